#include "penumbra/model/precision.h"

#include <ATen/autocast_mode.h>

#include "penumbra/core/error.h"

namespace penumbra {

Precision parse_precision(std::string_view text) {
  if (text == "bf16") return Precision::kBf16;
  if (text == "fp32") return Precision::kFp32;
  fail("precision '", text, "': expected bf16 or fp32");
}

std::string_view to_string(Precision precision) {
  return precision == Precision::kBf16 ? "bf16" : "fp32";
}

Precision fastest_precision() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16")) return Precision::kBf16;
#endif
  return Precision::kFp32;
}

AutocastScope::AutocastScope(Precision precision, torch::Device device)
    : cpu_was_(at::autocast::is_cpu_enabled()),
      gpu_was_(at::autocast::is_enabled()),
      cpu_type_was_(at::autocast::get_autocast_cpu_dtype()),
      gpu_type_was_(at::autocast::get_autocast_gpu_dtype()) {
  const bool on = precision == Precision::kBf16;
  at::autocast::set_cpu_enabled(on && device.is_cpu());
  at::autocast::set_enabled(on && device.is_cuda());
  if (on) {
    at::autocast::set_autocast_cpu_dtype(torch::kBFloat16);
    at::autocast::set_autocast_gpu_dtype(torch::kBFloat16);
  }
}

AutocastScope::~AutocastScope() {
  at::autocast::clear_cache();
  at::autocast::set_cpu_enabled(cpu_was_);
  at::autocast::set_enabled(gpu_was_);
  at::autocast::set_autocast_cpu_dtype(cpu_type_was_);
  at::autocast::set_autocast_gpu_dtype(gpu_type_was_);
}

}  // namespace penumbra
