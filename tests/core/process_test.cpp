#include "penumbra/core/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Process, HandsOnOutputErrorsAndStatus) {
  const auto result = run({"sh", {"-c", "echo out; echo err >&2; exit 3"}, ".", "dash"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(Process, NoShellReadsTheArguments) {
  EXPECT_EQ(run({"echo", {"$HOME", "a  b", "*", ";ls"}, ".", ""}).output, "$HOME a  b * ;ls\n");
}

TEST(Process, RunsInTheFolderWithoutInput) {
  EXPECT_EQ(run({"pwd", {}, "/usr", ""}).output, "/usr\n");
  EXPECT_EQ(run({"cat", {}, ".", ""}).output, "");
}

TEST(Process, CountsSignalsAsShellsDo) {
  EXPECT_EQ(run({"sh", {"-c", "kill -TERM $$"}, ".", ""}).status, 128 + 15);
}

TEST(Process, TakesMoreOutputThanAPipeHolds) {
  EXPECT_EQ(run({"head", {"-c", "1000000", "/dev/zero"}, ".", ""}).output.size(), 1000000u);
}

TEST(Process, AMissingProgramIsNamedWithItsPackage) {
  EXPECT_THAT(([] {
                run({"no-such-program", {}, ".", "some-package"});
              }),
              ThrowsMessage<Error>("no program 'no-such-program'; Debian's package some-package "
                                   "has it"));
}

TEST(Process, AMissingFolderIsNotTakenForAMissingProgram) {
  EXPECT_THAT(([] {
                run({"echo", {}, "/no/such", "coreutils"});
              }),
              ThrowsMessage<Error>("cannot run 'echo' in /no/such: no such folder"));
}

TEST(Process, FailureCarriesTheFirstLines) {
  EXPECT_EQ(run_successfully({"echo", {"fine"}, ".", ""}), "fine\n");
  EXPECT_THAT(([] {
                run_successfully({"sh", {"-c", "echo; echo a; echo a; echo b; exit 4"}, ".", ""});
              }),
              ThrowsMessage<Error>("sh ended with status 4: a; b"));
  EXPECT_THAT(([] {
                run_successfully({"false", {}, ".", ""});
              }),
              ThrowsMessage<Error>(HasSubstr("it said nothing")));
}

TEST(Process, AProgramThatCannotBeRunSaysWhy) {
  EXPECT_THAT(([] {
                run({"/etc/passwd", {}, ".", ""});
              }),
              ThrowsMessage<Error>("cannot run '/etc/passwd': Permission denied"));
  EXPECT_THAT(([] {
                run({"no-such-program", {}, ".", ""});
              }),
              ThrowsMessage<Error>("cannot run 'no-such-program': No such file or directory"));
}

TEST(Process, FailureCarriesThreeLinesAtTheMost) {
  EXPECT_THAT(([] {
                run_successfully({"sh", {"-c", "printf 'a\\nb\\nc\\nd\\n'; exit 1"}, ".", ""});
              }),
              ThrowsMessage<Error>("sh ended with status 1: a; b; c"));
}

}  // namespace
}  // namespace penumbra
