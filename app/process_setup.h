#pragma once
#include "penumbra/core/config.h"

namespace penumbra::app {

// Prepares the process for heavy work: libtorch's threads (its own default is one on some virtual
// machines) and an allocator that keeps large blocks instead of giving them back to the kernel and
// faulting them in again at every layer. Returns the number of threads: run.threads, or all
// processors.
int set_up_process(const Config& config);
int set_up_process(int threads);

}  // namespace penumbra::app
