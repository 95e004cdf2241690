#include "penumbra/core/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// What the child does between fork and exec: no input, all output into our pipe.
class SpawnActions {
 public:
  SpawnActions(const std::filesystem::path& folder, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::string read_to_end(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t n = read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void fail_to_start(const Command& command, int code) {
  if (code == ENOENT && !command.package.empty())
    fail("no program '", command.program, "'; Debian's package ", command.package, " has it");
  fail("cannot run '", command.program, "': ", std::strerror(code));
}

// Errors of curl, apt and npm begin with what matters and end with where the log is.
std::string first_lines(const std::string& output) {
  std::istringstream lines(output);
  std::string joined, previous;
  int count = 0;
  for (std::string line; count < 3 && std::getline(lines, line);) {
    if (line.empty() || line == previous) continue;  // curl repeats itself when it retries
    joined.append(joined.empty() ? "" : "; ").append(line);
    previous = line;
    ++count;
  }
  return joined.empty() ? "it said nothing" : joined;
}

}  // namespace

ProcessResult run(const Command& command) {
  // A folder that is not there would look like a missing program.
  if (!std::filesystem::is_directory(command.folder))
    fail("cannot run '", command.program, "' in ", command.folder.string(), ": no such folder");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(command, errno);

  std::vector<char*> arguments{const_cast<char*>(command.program.c_str())};
  for (const auto& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  pid_t child = 0;
  const SpawnActions actions(command.folder, ends[1]);
  const int code = posix_spawnp(&child, command.program.c_str(), actions.get(), nullptr,
                                arguments.data(), environ);
  close(ends[1]);
  if (code != 0) {
    close(ends[0]);
    fail_to_start(command, code);
  }
  ProcessResult result;
  result.output = read_to_end(ends[0]);
  close(ends[0]);
  result.status = wait_for(child);
  return result;
}

std::string run_successfully(const Command& command) {
  auto result = run(command);
  if (result.status != 0)
    fail(command.program, " ended with status ", result.status, ": ", first_lines(result.output));
  return std::move(result.output);
}

}  // namespace penumbra
