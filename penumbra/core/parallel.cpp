#include "penumbra/core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>

namespace penumbra {

int processor_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::vector<std::thread> start_threads(int wanted, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  // No thread granted, or no memory for one: to go on throwing would end the process, since those
  // that run already are not joined.
  try {
    threads.reserve(static_cast<std::size_t>(std::max(0, wanted)));
    for (int i = 0; i < wanted; ++i) threads.emplace_back(work);
  } catch (...) {
    return threads;
  }
  return threads;
}

void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto loop = [&] {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < n;) work(i);
    } catch (...) {
      next = n;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const auto most = static_cast<int>(std::min<std::size_t>(n, std::numeric_limits<int>::max()));
  auto helpers = start_threads(std::min(most, threads) - 1, loop);
  loop();
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace penumbra
