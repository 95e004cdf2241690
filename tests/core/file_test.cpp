#include "penumbra/core/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "tests/expect_error.h"
#include "tests/test_folder.h"
#include "tests/unprivileged.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::size_t entries(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TestFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("hello ");
    file.write("world");
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    file.commit();
    EXPECT_EQ(read_file(folder / "a"), "hello world");
  }
  EXPECT_EQ(read_file(folder / "a"), "hello world");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, WhatAKilledProcessLeftIsRemovedAndNothingElse) {
  const TestFolder folder;
  folder.write("state/a.safetensors", "whole");
  const auto child = fork();
  if (child == 0) {
    AtomicFile file(folder / "state/b.safetensors");
    file.write("half");
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(entries(folder / "state"), 2u);
  remove_unfinished(folder.path());
  EXPECT_EQ(entries(folder / "state"), 2u);  // not below the folder: that is somebody else's
  remove_unfinished(folder / "state");
  EXPECT_EQ(entries(folder / "state"), 1u);
  EXPECT_EQ(read_file(folder / "state/a.safetensors"), "whole");
}

TEST(AtomicFile, WhatWasLeftBeforeTheClockWasSetBackIsRemovedToo) {
  const TestFolder folder;
  const auto left = folder.write("b.tmp-1-0", "half");
  std::filesystem::last_write_time(
      left, std::filesystem::file_time_type::clock::now() + std::chrono::hours(25));
  remove_unfinished(folder.path(), std::chrono::hours(24));
  EXPECT_TRUE(std::filesystem::exists(left));
  remove_unfinished(folder.path());
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(AtomicFile, WhatSomebodyMayStillBeWritingIsLeftAlone) {
  const TestFolder folder;
  const AtomicFile open(folder / "a");
  const auto old = folder.write("b.tmp-1-0", "half");
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  remove_unfinished(folder.path(), std::chrono::hours(24));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, FilesThatOnlyLookUnfinishedAreKept) {
  const TestFolder folder;
  for (const char* name : {"notes.tmp-old.txt", "a.tmp-", "a.tmp-12", "a.tmp-12-", "a.tmp-1-2.txt",
                           "a.tmp-x-2", "tmp-1-2"})
    folder.write(name, "mine");
  folder.write("a.tmp-1-2", "half");
  folder.write("a.tmp-old.tmp-77-0", "half");
  remove_unfinished(folder.path());
  EXPECT_EQ(entries(folder.path()), 7u);
}

TEST(AtomicFile, ALinkStaysALink) {
  const TestFolder folder;
  folder.write("real", "old");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "real"), "new");
  std::filesystem::create_symlink("not/there/yet", folder / "ahead");  // relative to the link
  std::filesystem::create_directories(folder / "not/there");
  write_file(folder / "ahead", "first");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "ahead"));
  EXPECT_EQ(read_file(folder / "not/there/yet"), "first");
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THAT(error_of([&] { write_file(folder / "circle", "x"); }),
              HasSubstr("circle: its links lead nowhere"));
}

TEST(AtomicFile, DevicesAndFoldersAreNotReplaced) {
  const TestFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  for (const auto& path : {pipe, folder / "folder"})
    EXPECT_THAT(error_of([&] { write_file(path, "x"); }), testing::HasSubstr("no regular file"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(entries(folder.path()), 2u);
}

TEST(AtomicFile, NothingToTidyIsNoError) {
  const TestFolder folder;
  remove_unfinished(folder / "none");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(AtomicFile, ProcessesOfTheSameNumberOnTwoMachinesDoNotShareAFile) {
  const TestFolder folder;
  const auto mine = std::to_string(getpid());
  // Whatever number comes next, somebody has it already.
  for (int i = 0; i < 200; ++i) folder.write("a.tmp-" + mine + "-" + std::to_string(i), "theirs");
  {
    AtomicFile file(folder / "a");
    file.write("mine");
    file.commit();
  }
  EXPECT_EQ(read_file(folder / "a"), "mine");
  EXPECT_EQ(entries(folder.path()), 201u);
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(read_file(folder / ("a.tmp-" + mine + "-" + std::to_string(i))), "theirs");
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TestFolder folder;
  folder.write("a", "old");
  { AtomicFile(folder / "a").write("new"); }
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, WritesAtAnyOffset) {
  const TestFolder folder;
  AtomicFile file(folder / "a");
  file.write_at(3, "def", 3);
  file.write_at(0, "abc", 3);
  file.commit();
  EXPECT_EQ(read_file(folder / "a"), "abcdef");
}

TEST(AtomicFile, SaysWhyItCannotBeWritten) {
  EXPECT_THAT(error_of([] { write_file("/does/not/exist/a", "x"); }),
              HasSubstr("cannot write /does/not/exist/a: No such file"));
}

// A file size limit fails writes as a full disk does, and needs no privileges.
TEST(AtomicFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const TestFolder folder;
  folder.write("a", "old");
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(folder / "a", std::string(5000, 'x'));
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("cannot write") == 0 ? 0 : 3);
    }
    _exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  const TestFolder folder;
  EXPECT_THAT(error_of([&] { MappedFile file(folder.path()); }), HasSubstr("not a regular file"));
  EXPECT_THAT(error_of([&] { MappedFile file(folder / "none"); }), HasSubstr("No such file"));
}

TEST(MappedFile, AnEmptyFileIsEmpty) {
  const TestFolder folder;
  const MappedFile file(folder.write("empty", ""));
  EXPECT_EQ(file.size(), 0u);
  EXPECT_EQ(file.text(), "");
}

TEST(AtomicFile, AFolderThatGotInTheWayStaysAndNothingIsLeft) {
  const TestFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("text");
    std::filesystem::create_directory(folder / "a");
    EXPECT_THAT(error_of([&] { file.commit(); }),
                HasSubstr("cannot write " + (folder / "a").string() + ": "));
  }
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a"));
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, AFolderThatIsNotOursComesWithTheRemedy) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "closed");
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_read);
  {
    const Unprivileged nobody(folder.path());
    EXPECT_THAT(error_of([&] { write_file(folder / "closed/a", "x"); }),
                HasSubstr("Permission denied; check the permissions"));
  }
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_all);
}

TEST(AtomicFile, InTheCurrentFolderNeedsNoPath) {
  const TestFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("here", "text");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(folder / "here"), "text");
}

TEST(AtomicFile, MayBeEmptyAndMayHoldAnyBytes) {
  const TestFolder folder;
  write_file(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  write_file(folder / "every", every);
  EXPECT_EQ(read_file(folder / "every"), every);
}

TEST(AtomicFile, ReplacesALongerFileWhole) {
  const TestFolder folder;
  write_file(folder / "a", std::string(100000, 'x'));
  write_file(folder / "a", "short");
  EXPECT_EQ(read_file(folder / "a"), "short");
}

TEST(AtomicFile, ThreadsMayWriteItsParts) {
  const TestFolder folder;
  AtomicFile file(folder / "a");
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&file, i] {
      const std::string part(100000, static_cast<char>('a' + i));
      file.write_at(i * part.size(), part.data(), part.size());
    });
  for (auto& thread : threads) thread.join();
  file.commit();
  const auto written = read_file(folder / "a");
  ASSERT_EQ(written.size(), 800000U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(written[i * 100000], static_cast<char>('a' + i));
    EXPECT_EQ(written[i * 100000 + 99999], static_cast<char>('a' + i));
  }
}

TEST(MappedFile, FollowsLinksAndKeepsItsBytesWhenTheFileIsReplaced) {
  const TestFolder folder;
  folder.write("real", "first");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  const MappedFile file(folder / "link");
  write_file(folder / "real", "second");
  EXPECT_EQ(file.text(), "first");
  EXPECT_EQ(file.size(), 5U);
  EXPECT_EQ(file.data()[0], 'f');
  EXPECT_EQ(read_file(folder / "link"), "second");
}

TEST(MappedFile, AFileThatIsClosedToUsComesWithTheRemedy) {
  const TestFolder folder;
  const auto path = folder.write("closed", "secret");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const Unprivileged nobody(folder.path());  // gone before the folder is removed
  EXPECT_THAT(error_of([&] { MappedFile file(path); }),
              HasSubstr("cannot open " + path.string() + ": Permission denied; check"));
}

// Nobody writes to it, so that opening it as a file would wait for ever.
TEST(MappedFile, APipeIsRefusedAndNotWaitedFor) {
  const TestFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { MappedFile file(folder / "pipe"); }),
            "cannot open " + (folder / "pipe").string() + ": not a regular file");
}

TEST(IsThere, WhatCannotBeLookedAtIsForTheOpeningToSay) {
  const TestFolder folder;
  const auto file = folder.write("file", "");
  std::filesystem::create_symlink("circle", folder / "circle");
  std::filesystem::create_symlink("nowhere", folder / "broken");
  for (const auto& path : {file, folder.path(), folder / "circle", folder / std::string(300, 'x')})
    EXPECT_TRUE(is_there(path)) << path;
  for (const auto& path : {folder / "none", folder / "broken", file / "below"})
    EXPECT_FALSE(is_there(path)) << path;
}

TEST(RefuseLinks, NamesALinkAndLeavesWhatItLeadsTo) {
  const TestFolder folder;
  folder.write("file", "1");
  std::filesystem::create_directory(folder / "below");
  refuse_links(folder.path());
  refuse_links(folder / "nowhere");
  std::filesystem::create_symlink("nowhere", folder / "link");
  EXPECT_THAT(error_of([&] { refuse_links(folder.path()); }),
              HasSubstr("link is a link, and what it leads to would be replaced"));
}

TEST(SyncFile, SaysWhatIsNotThere) {
  const TestFolder folder;
  sync_file(folder.write("file", "1"));
  EXPECT_THAT(error_of([&] { sync_file(folder / "none"); }), HasSubstr("cannot open"));
}

}  // namespace
}  // namespace penumbra
