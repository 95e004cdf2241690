#pragma once
#include <torch/types.h>

#include <string_view>

namespace penumbra {

// What convolutions compute in; weights are float32 in both.
enum class Precision { kFp32, kBf16 };

// "bf16" or "fp32", as after --precision; throws Error otherwise.
Precision parse_precision(std::string_view text);

std::string_view to_string(Precision precision);

// bf16 where the processor has instructions for it. Elsewhere libtorch emulates it, many times
// slower than float32.
Precision fastest_precision();

// While it lives, and with kBf16, libtorch runs this thread's convolutions and products in
// bfloat16. The casts of the weights are dropped at its end: weights cast while gradients are
// off would otherwise be used, cut off, by the next pass that wants gradients. So a scope
// covers one forward pass, or several with the same gradient mode.
class AutocastScope {
 public:
  AutocastScope(Precision precision, torch::Device device);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  bool cpu_was_, gpu_was_;
  torch::ScalarType cpu_type_was_, gpu_type_was_;
};

}  // namespace penumbra
