#include "penumbra/core/attached_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "penumbra/core/error.h"
#include "penumbra/core/signals.h"

namespace penumbra {
namespace {

constexpr int kNotStarted = 127;

// Between fork and exec, so only calls that are safe in a signal handler. posix_spawn cannot ask
// for a signal at the parent's death.
[[noreturn]] void become(const char* program, char* const* arguments, const char* folder,
                         int output, pid_t parent) {
  // Out of the terminal's foreground group: Ctrl-C would come twice, from there and from us, and
  // the second one means to leave at once.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kNotStarted);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  if (chdir(folder) == 0) execvp(program, arguments);
  _exit(kNotStarted);
}

// Everything until the child closes its end, passing an interrupt on meanwhile.
std::string read_and_pass_on(int descriptor, pid_t child) {
  constexpr int kMilliseconds = 100;
  std::string text;
  std::array<char, 4096> buffer{};
  for (bool told = false;;) {
    if (interrupted() && !told) {
      kill(child, SIGTERM);
      told = true;
    }
    pollfd ready{descriptor, POLLIN, 0};
    if (poll(&ready, 1, kMilliseconds) <= 0) continue;
    const ssize_t n = read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

ProcessResult run_attached(const Command& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    fail("cannot run '", command.program, "': ", std::strerror(errno));
  std::vector<char*> arguments{const_cast<char*>(command.program.c_str())};
  for (const auto& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0)
    become(command.program.c_str(), arguments.data(), command.folder.c_str(), ends[1], parent);
  const int code = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    fail("cannot run '", command.program, "': ", std::strerror(code));
  }
  ProcessResult result;
  result.output = read_and_pass_on(ends[0], child);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.status == kNotStarted)
    fail("cannot run '", command.program, "' in ", command.folder.string(),
         ": expected a program and a folder that are there");
  return result;
}

}  // namespace penumbra
