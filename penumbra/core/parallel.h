#pragma once
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace penumbra {

// Processors that this process may use.
int processor_count();

// So many threads that each call `work`, or as many as the system grants: a busy machine has fewer,
// which is no reason to give up.
std::vector<std::thread> start_threads(int wanted, const std::function<void()>& work);

// Calls work(i) for every i in 0 .. n-1 from `threads` threads, taking items as they
// become free, since pictures differ in cost. The first exception stops the rest and is
// thrown again here. (OpenMP's loops fix the thread number for the whole process.)
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& work);

}  // namespace penumbra
