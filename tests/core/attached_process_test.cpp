#include "penumbra/core/attached_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "penumbra/core/error.h"
#include "penumbra/core/signals.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Command shell(const std::string& script, const std::filesystem::path& folder = ".") {
  return {"sh", {"-c", script}, folder, ""};
}

TEST(AttachedProcess, HandsOnOutputAndStatus) {
  const auto result = run_attached(shell("echo out; exit 3"));
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\n");
}

TEST(AttachedProcess, StandardErrorIsOurs) {
  testing::internal::CaptureStderr();
  const auto result = run_attached(shell("echo progress >&2; echo out"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "progress\n");
  EXPECT_EQ(result.output, "out\n");
}

TEST(AttachedProcess, RunsInTheFolderWithoutInput) {
  const TestFolder folder;
  const auto result = run_attached(shell("pwd; cat", folder.path()));
  EXPECT_EQ(result.output, folder.path().string() + "\n");
}

TEST(AttachedProcess, TakesMoreOutputThanAPipeHolds) {
  EXPECT_EQ(run_attached({"head", {"-c", "1000000", "/dev/zero"}, ".", ""}).output.size(),
            1000000U);
}

TEST(AttachedProcess, CountsSignalsAsShellsDo) {
  EXPECT_EQ(run_attached(shell("kill -KILL $$")).status, 128 + 9);
}

TEST(AttachedProcess, WhatCannotBeStartedIsNamed) {
  EXPECT_THAT(([] {
                run_attached({"no-such-program", {}, ".", ""});
              }),
              ThrowsMessage<Error>(HasSubstr("cannot run 'no-such-program'")));
  EXPECT_THAT(([] { run_attached(shell("true", "/no/such/folder")); }),
              ThrowsMessage<Error>(HasSubstr("/no/such/folder")));
}

bool wait_for(const std::filesystem::path& file) {
  for (int i = 0; i < 1000 && !std::filesystem::exists(file); ++i) usleep(10000);
  return std::filesystem::exists(file);
}

// A shell that says when it has begun, and does `when_asked` when it is told to end.
Command patient(const TestFolder& folder, const std::string& when_asked) {
  return shell("trap '" + when_asked + "' TERM; touch " + (folder / "begun").string() +
               "; while :; do sleep 0.02; done");
}

// In processes of their own, since signals are everyone's.
TEST(AttachedProcess, AnInterruptReachesItOnceAndItIsWaitedFor) {
  const TestFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const InterruptScope scope;
    const auto result = run_attached(patient(folder, "echo asked; exit 5"));
    _exit(result.output == "asked\n" ? result.status : 1);
  }
  ASSERT_TRUE(wait_for(folder / "begun"));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(AttachedProcess, ItEndsWhenWeAreKilled) {
  const TestFolder folder;
  const auto sign = folder / "ended";
  const pid_t child = fork();
  if (child == 0) {
    run_attached(patient(folder, "touch " + sign.string() + "; exit"));
    _exit(0);
  }
  ASSERT_TRUE(wait_for(folder / "begun"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(wait_for(sign));
}

}  // namespace
}  // namespace penumbra
