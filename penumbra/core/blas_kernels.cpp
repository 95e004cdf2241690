#include "penumbra/core/blas_kernels.h"

#include <dlfcn.h>

#include <cstdlib>

namespace penumbra {
namespace {

// Nothing of OpenBLAS may be linked to: any BLAS will do.
template <typename Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// OpenBLAS's name for the newest processor whose instructions this one has as well.
const char* best_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

}  // namespace

std::string choose_blas_kernels() {
  auto* const name = find<char*()>("openblas_get_corename");
  if (name == nullptr) return {};
  auto* const forget = find<void()>("gotoblas_dynamic_quit");
  auto* const choose = find<void()>("gotoblas_dynamic_init");
  constexpr const char* kWish = "OPENBLAS_CORETYPE";  // a user's own comes first
  if (name() == std::string("Prescott") && forget != nullptr && choose != nullptr &&
      best_kernels() != nullptr && std::getenv(kWish) == nullptr) {
    setenv(kWish, best_kernels(), /*replace=*/1);
    forget();
    choose();
  }
  return name();
}

}  // namespace penumbra
