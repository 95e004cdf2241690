#include "app/process_setup.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <future>

#include "penumbra/core/blas_kernels.h"
#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"
#include "penumbra/train/experiment.h"

namespace penumbra::app {
namespace {

// OpenBLAS asks for its buffers again and again when it does not get them, so that a program with
// too little room would hang.
void check_address_space() {
  constexpr rlim_t kLeast = rlim_t{2} << 30;
  rlimit room{};
  if (getrlimit(RLIMIT_AS, &room) == 0 && room.rlim_cur < kLeast)
    fail("the address space is limited to ", room.rlim_cur >> 20, " MB: expected at least ",
         kLeast >> 20, " MB ('ulimit -v unlimited' takes the limit away)");
}

// libtorch waits for ever for threads that the system did not grant.
void check_threads(int wanted) {
  std::promise<void> all_there;
  const auto end = all_there.get_future().share();
  auto threads = start_threads(wanted, [end] { end.wait(); });
  const auto granted = threads.size();
  all_there.set_value();
  for (auto& thread : threads) thread.join();
  if (granted < static_cast<std::size_t>(wanted))
    fail(
        "the system grants ", granted, " threads: expected ", wanted,
        ", one for each processor ('ulimit -u' says how many a user may have, 'ulimit -v' how much "
        "room for them)");
}

}  // namespace

int set_up_process(int threads) {
  check_address_space();
  const int used = threads > 0 ? threads : processor_count();
  check_threads(std::max(used, processor_count()));  // libtorch has a pool for all processors
  // Memory that was freed is kept: the maps of a large batch, fetched from the kernel anew, cost
  // more than the arithmetic on them. (A threshold for mmap would end at 32 MB.)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
  choose_blas_kernels();
  at::set_num_threads(used);
  return used;
}

int set_up_process(const Config& config) {
  auto section = config.section("run");
  return set_up_process(static_cast<int>(RunOptions(section).threads));
}

}  // namespace penumbra::app
