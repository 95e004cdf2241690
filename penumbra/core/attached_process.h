#pragma once
#include "penumbra/core/process.h"

namespace penumbra {

// Runs a long program that shows its progress: its standard error is ours, `output` is what it
// wrote to standard output. An interrupt of ours (core/signals.h) reaches it once, as SIGTERM, and
// it is then waited for; when this process ends before it, for whatever reason, it is told too.
ProcessResult run_attached(const Command& command);

}  // namespace penumbra
