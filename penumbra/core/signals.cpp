#include "penumbra/core/signals.h"

#include <unistd.h>

#include <csignal>

namespace penumbra {
namespace {

volatile std::sig_atomic_t requests = 0;
struct sigaction old_interrupt, old_terminate;

void on_signal(int signal) {
  if (requests > 0) _exit(128 + signal);  // async-signal-safe, unlike exit
  requests = 1;
}

}  // namespace

InterruptScope::InterruptScope() {
  requests = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a read in progress is not torn by the first Ctrl-C
  sigaction(SIGINT, &action, &old_interrupt);
  sigaction(SIGTERM, &action, &old_terminate);
}

InterruptScope::~InterruptScope() {
  sigaction(SIGINT, &old_interrupt, nullptr);
  sigaction(SIGTERM, &old_terminate, nullptr);
}

bool interrupted() { return requests > 0; }

}  // namespace penumbra
