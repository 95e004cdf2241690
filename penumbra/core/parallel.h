#pragma once
#include <cstddef>
#include <functional>

namespace penumbra {

// Processors that this process may use.
int processor_count();

// Calls work(i) for every i in 0 .. n-1 from `threads` threads, taking items as they
// become free, since pictures differ in cost. The first exception stops the rest and is
// thrown again here. (OpenMP's loops fix the thread number for the whole process.)
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& work);

}  // namespace penumbra
