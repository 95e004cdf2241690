#include "app/process_setup.h"

#include <ATen/Parallel.h>
#include <malloc.h>

#include "penumbra/core/parallel.h"
#include "penumbra/train/experiment.h"

namespace penumbra::app {

int set_up_process(int threads) {
  // Memory that was freed is kept: the maps of a large batch, fetched from the kernel anew, cost
  // more than the arithmetic on them. (A threshold for mmap would end at 32 MB.)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
  const int used = threads > 0 ? threads : processor_count();
  at::set_num_threads(used);
  return used;
}

int set_up_process(const Config& config) {
  auto section = config.section("run");
  return set_up_process(static_cast<int>(RunOptions(section).threads));
}

}  // namespace penumbra::app
