#include "penumbra/core/parallel.h"

#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <vector>

#include "tests/expect_error.h"

namespace penumbra {
namespace {

TEST(ParallelFor, DoesEveryItemOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_for(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(StartThreads, StartsAsManyAsAreWanted) {
  for (const int wanted : {-1, 0, 1, 3}) {
    std::atomic<int> calls{0};
    auto threads = start_threads(wanted, [&] { ++calls; });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(calls, std::max(0, wanted));
  }
}

TEST(ParallelFor, ThrowsWhatAnItemThrewAndStops) {
  std::atomic<int> done{0};
  EXPECT_EQ(error_of([&] {
              parallel_for(1000000, 4, [&](std::size_t i) {
                if (i == 10) fail("item ten");
                ++done;
              });
            }),
            "item ten");
  EXPECT_LT(done, 1000000);
}

TEST(ParallelFor, WithoutHelpersTheCallerDoesAll) {
  for (const int threads : {-3, 0, 1}) {
    std::vector<std::size_t> order;  // no lock: there is one thread
    parallel_for(5, threads, [&](std::size_t i) { order.push_back(i); });
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  }
}

TEST(ParallelFor, StartsNoMoreThreadsThanThereAreItems) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(2, 1000, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_LE(seen.size(), 2U);
}

TEST(ParallelFor, ExceptionsOfAnyKindArrive) {
  EXPECT_THROW(parallel_for(4, 2, [](std::size_t) { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(ProcessorCount, IsAtLeastOne) { EXPECT_GE(processor_count(), 1); }

}  // namespace
}  // namespace penumbra
