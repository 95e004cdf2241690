#include "penumbra/core/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

}  // namespace
}  // namespace penumbra
