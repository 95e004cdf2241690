#include "penumbra/core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace penumbra {

int processor_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
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
  std::vector<std::thread> helpers;
  const auto wanted = std::min<std::size_t>(n, static_cast<std::size_t>(std::max(1, threads)));
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(loop);
  loop();
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace penumbra
