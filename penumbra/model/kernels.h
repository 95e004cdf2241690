#pragma once
#include <string_view>

namespace penumbra {

// Who computes convolutions and batch norms on a CPU: libtorch, or this library where it has
// something faster (winograd.h, norm_activation.h). The two differ by rounding.
enum class Kernels { kLibtorch, kOwn };

// "own" or "libtorch", as after --kernels; throws Error otherwise.
Kernels parse_kernels(std::string_view text);

std::string_view to_string(Kernels kernels);

// Whether the processor has the instructions that winograd_loops.cpp is compiled for: those of
// vectors of eight floats, of sixteen, and of sixteen pairs of bfloat16.
bool has_own_convolutions();
bool has_wide_vectors();
bool has_products_of_pairs();

// Own ones, but for processors on which they were never measured against libtorch's.
Kernels fastest_kernels();

// While it lives, this thread computes so.
class KernelScope {
 public:
  explicit KernelScope(Kernels kernels);
  ~KernelScope();
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  Kernels before_;
};

// What the innermost scope says; without one, fastest_kernels().
Kernels kernels_now();

}  // namespace penumbra
