#include "penumbra/model/kernels.h"

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

Kernels& current() {
  thread_local Kernels kernels = fastest_kernels();
  return kernels;
}

}  // namespace

Kernels parse_kernels(std::string_view text) {
  if (text == "own") return Kernels::kOwn;
  if (text == "libtorch") return Kernels::kLibtorch;
  fail("kernels '", text, "': expected own or libtorch");
}

std::string_view to_string(Kernels kernels) {
  return kernels == Kernels::kOwn ? "own" : "libtorch";
}

bool has_own_convolutions() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

bool has_wide_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

bool has_products_of_pairs() {
#if defined(__x86_64__)
  return has_wide_vectors() && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

Kernels fastest_kernels() {
#if defined(__x86_64__)
  return has_own_convolutions() ? Kernels::kOwn : Kernels::kLibtorch;
#else
  return Kernels::kLibtorch;
#endif
}

KernelScope::KernelScope(Kernels kernels) : before_(current()) { current() = kernels; }
KernelScope::~KernelScope() { current() = before_; }

Kernels kernels_now() { return current(); }

}  // namespace penumbra
