#include "penumbra/core/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "penumbra/core/file.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

TEST(Interrupt, TheFirstAsksAndTheSecondEnds) {
  const pid_t child = fork();
  if (child == 0) {
    const InterruptScope scope;
    if (interrupted()) _exit(3);
    raise(SIGINT);
    if (!interrupted()) _exit(4);
    raise(SIGINT);
    _exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
}

TEST(Interrupt, AfterTheScopeTheOldBehaviourIsBack) {
  const pid_t child = fork();
  if (child == 0) {
    { const InterruptScope scope; }
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(BusError, AMappedFileThatIsCutShortEndsWithAMessage) {
  const TestFolder folder;
  const auto path = folder.write("a", std::string(100000, 'a'));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    end_where_a_mapped_file_was_cut();
    const MappedFile file(path);
    std::filesystem::resize_file(path, 10);
    const volatile uint8_t* bytes = file.data();
    _exit(bytes[90000] == 'a' ? 4 : 5);
  }
  close(ends[1]);
  char said[200] = {};
  EXPECT_GT(read(ends[0], said, sizeof said - 1), 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(std::string(said).rfind("penumbra: a file was cut short", 0), 0U);
}

TEST(BusError, OfAnotherKindIsStillACrash) {
  const pid_t child = fork();
  if (child == 0) {
    end_where_a_mapped_file_was_cut();
    raise(SIGBUS);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace penumbra
