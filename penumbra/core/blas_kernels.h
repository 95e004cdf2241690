#pragma once
#include <string>

namespace penumbra {

// OpenBLAS takes a processor that is newer than itself for one of 2004, and its matrix products
// then take three times as long. Where that has happened it is told what the processor has; to be
// called before the first of them. Returns the name of the kernels in use, empty with another BLAS.
std::string choose_blas_kernels();

}  // namespace penumbra
