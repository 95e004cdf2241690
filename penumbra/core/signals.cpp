#include "penumbra/core/signals.h"

#include <unistd.h>

#include <csignal>

namespace penumbra {
namespace {

volatile std::sig_atomic_t requests = 0;
struct sigaction old_interrupt, old_terminate, old_hang_up, old_pipe;

void on_signal(int signal) {
  if (requests > 0) _exit(128 + signal);  // async-signal-safe, unlike exit
  requests = 1;
}

void on_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code == BUS_ADRERR) {
    static constexpr char kMessage[] =
        "penumbra: a file was cut short, or its disk failed, while it was read; start again when "
        "it is whole\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    _exit(2);  // async-signal-safe, as is write
  }
  std::signal(signal, SIG_DFL);  // somebody else's affair, or a mistake of ours
  raise(signal);
}

}  // namespace

InterruptScope::InterruptScope() {
  requests = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a read in progress is not torn by the first Ctrl-C
  sigaction(SIGINT, &action, &old_interrupt);
  sigaction(SIGTERM, &action, &old_terminate);
  // A terminal that is closed; nohup, which came before, wants it to count for nothing.
  sigaction(SIGHUP, nullptr, &old_hang_up);
  if (old_hang_up.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // Ctrl-C ends the reader of our output as well, and must not end us before all is saved.
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &old_pipe);
}

InterruptScope::~InterruptScope() {
  sigaction(SIGINT, &old_interrupt, nullptr);
  sigaction(SIGTERM, &old_terminate, nullptr);
  sigaction(SIGHUP, &old_hang_up, nullptr);
  sigaction(SIGPIPE, &old_pipe, nullptr);
}

bool interrupted() { return requests > 0; }

void end_where_a_mapped_file_was_cut() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace penumbra
