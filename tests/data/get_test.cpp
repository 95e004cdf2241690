#include "penumbra/data/get.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/process.h"
#include "penumbra/core/signals.h"
#include "penumbra/core/temporary_folder.h"
#include "penumbra/data/install.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr const char* kSumOfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// A dataset of two files, "abc" with a known sum and "names.txt" with none.
class Get : public testing::Test {
 protected:
  Get() {
    fs::create_directories(made_ / "inner");
    write_file(made_ / "inner" / "abc", "abc");
    write_file(made_ / "inner" / "names.txt", "a\nb\n");
    origin_.folder = "letters";
    origin_.address = "https://example.org/letters";
    origin_.files = {{"abc", kSumOfAbc}, {"names.txt", ""}};
  }

  Download archive() {
    run_successfully({"tar", {"-czf", "letters.tar.gz", "inner"}, made_, "tar"});
    return {Download::Kind::kUrl, "file://" + (made_ / "letters.tar.gz").string(),
            take_folder("inner")};
  }
  fs::path get() {
    reports_.clear();
    return get_dataset("alphabet", origin_, root_,
                       [this](const std::string& line) { reports_.push_back(line); });
  }
  // What stands in the data root, temporary folders included.
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    if (fs::exists(root_))
      for (const auto& entry : fs::directory_iterator(root_))
        names.push_back(entry.path().filename().string());
    return names;
  }
  void put(const std::string& folder, const std::string& file, const std::string& text) const {
    fs::create_directories(root_ / folder);
    write_file(root_ / folder / file, text);
  }

  const TemporaryFolder folder_{testing::TempDir(), "get"};
  const fs::path made_ = folder_.path() / "made", root_ = folder_.path() / "root";
  Origin origin_;
  std::vector<std::string> reports_;
};

TEST_F(Get, UnpacksAnArchiveAndPutsItsFilesInPlace) {
  origin_.downloads = {archive()};
  EXPECT_EQ(get(), root_ / "letters");
  EXPECT_EQ(read_file(root_ / "letters" / "abc"), "abc");
  EXPECT_EQ(read_file(root_ / "letters" / "names.txt"), "a\nb\n");
  EXPECT_THAT(entries(), ElementsAre("letters"));
  EXPECT_EQ(fs::status(root_ / "letters").permissions() & fs::perms::others_read,
            fs::perms::others_read);
}

TEST_F(Get, TakesSeveralPlainFiles) {
  const auto address = "file://" + (made_ / "inner").string();
  origin_.downloads = {
      {Download::Kind::kUrl, address + "/abc " + address + "/names.txt", take_folder(".")}};
  get();
  EXPECT_EQ(read_file(root_ / "letters" / "abc"), "abc");
  EXPECT_EQ(read_file(root_ / "letters" / "names.txt"), "a\nb\n");
}

TEST_F(Get, UnpacksAnNpmPackage) {
  if (run({"sh", {"-c", "command -v npm"}, ".", ""}).status != 0)
    GTEST_SKIP() << "needs npm; Debian's package npm has it";
  write_file(made_ / "package.json", R"({"name": "letters", "version": "1.0.0"})");
  origin_.downloads = {{Download::Kind::kNpm, made_.string(), take_folder("package/inner")}};
  get();
  EXPECT_EQ(read_file(root_ / "letters" / "abc"), "abc");
  EXPECT_THAT(entries(), ElementsAre("letters"));
}

TEST_F(Get, UnpacksADebianPackageWithoutInstallingIt) {
  // A stand-in for apt-get, found first in PATH, that "downloads" a package made here.
  const auto tree = made_ / "tree", bin = made_ / "bin";
  fs::create_directories(tree / "DEBIAN");
  fs::create_directories(bin);
  fs::create_directories(tree / "usr" / "share");
  fs::copy(made_ / "inner", tree / "usr" / "share" / "letters", fs::copy_options::recursive);
  write_file(tree / "DEBIAN" / "control",
             "Package: letters\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.org>\n"
             "Description: letters\n");
  run_successfully({"dpkg-deb", {"-b", tree.string(), (made_ / "l.deb").string()}, ".", "dpkg"});
  write_file(bin / "apt-get", "#!/bin/sh\n[ \"$*\" = \"-q download letters\" ] && cp '" +
                                  (made_ / "l.deb").string() + "' .\n");
  fs::permissions(bin / "apt-get", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
  origin_.downloads = {{Download::Kind::kDebian, "letters", take_folder("usr/share/letters")}};
  const auto place = get();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(read_file(place / "abc"), "abc");
}

TEST_F(Get, WhatAKilledProcessFetchedIsRemovedAfterADay) {
  origin_.downloads = {archive()};
  put(".get-alphabet-aaaaaa", "half", "fetched");
  put(".get-other-bbbbbb", "half", "being fetched");
  fs::last_write_time(root_ / ".get-alphabet-aaaaaa",
                      fs::file_time_type::clock::now() - std::chrono::hours(25));
  get();
  EXPECT_THAT(entries(), testing::UnorderedElementsAre("letters", ".get-other-bbbbbb"));
}

TEST_F(Get, DoesNotPraiseFilesWhoseSumsAreNotKnown) {
  origin_.downloads = {archive()};
  get();
  EXPECT_THAT(reports_.back(), HasSubstr("its files are there (their sums are not known)"));
  origin_.files.pop_back();  // the one without a sum
  get();
  EXPECT_THAT(reports_.back(), HasSubstr("its files are right"));
}

TEST_F(Get, FilesThatAreThereAreCheckedAndLeftAlone) {
  put("letters", "abc", "abc");
  put("letters", "names.txt", "mine");
  EXPECT_EQ(get(), root_ / "letters");
  EXPECT_THAT(reports_, ElementsAre(HasSubstr("already in")));
  EXPECT_EQ(read_file(root_ / "letters" / "names.txt"), "mine");
}

TEST_F(Get, FilesMayStandGzippedUnderTheDatasetsName) {
  put("alphabet", "abc", "abc");
  put("alphabet", "names.txt", "");
  run_successfully({"gzip", {"abc"}, root_ / "alphabet", "gzip"});
  EXPECT_EQ(get(), root_ / "alphabet");
}

TEST_F(Get, FilesOfTheSystemsPackageAreEnough) {
  origin_.system_folder = (made_ / "inner").string();
  EXPECT_EQ(get(), made_ / "inner");
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Get, OtherFilesInThePlaceAreAnErrorWithBothSums) {
  put("letters", "abc", "abd");
  put("letters", "names.txt", "");
  origin_.downloads = {archive()};
  EXPECT_THAT([&] { get(); },
              ThrowsMessage<Error>(AllOf(
                  HasSubstr("letters is there, but abc has the SHA-256 sum "
                            "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"),
                  HasSubstr(kSumOfAbc), HasSubstr("move that folder away"))));
  EXPECT_EQ(read_file(root_ / "letters" / "abc"), "abd");
}

TEST_F(Get, AMissingFileInThePlaceIsNamed) {
  put("letters", "abc", "abc");
  EXPECT_THAT([&] { get(); },
              ThrowsMessage<Error>(HasSubstr("letters is there, but names.txt is missing")));
}

TEST_F(Get, WrongSumsAreNeverPutInPlaceAndTheNextWayIsTried) {
  write_file(made_ / "inner" / "abc", "xyz");
  const auto wrong = archive();
  origin_.downloads = {wrong};
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(HasSubstr("abc has the SHA-256 sum")));
  EXPECT_THAT(entries(), IsEmpty());

  write_file(made_ / "inner" / "abc", "abc");
  const auto address = "file://" + (made_ / "inner").string();
  origin_.downloads.push_back(
      {Download::Kind::kUrl, address + "/abc " + address + "/names.txt", take_folder(".")});
  EXPECT_EQ(get(), root_ / "letters");
  EXPECT_THAT(reports_,
              ElementsAre(HasSubstr("letters.tar.gz"), HasSubstr("/abc"), HasSubstr("is in")));
  EXPECT_THAT(entries(), ElementsAre("letters"));
}

TEST_F(Get, WhenNothingWorksSaysWhatWasTriedAndWhatToDo) {
  origin_.downloads = {{Download::Kind::kUrl, "file:///no/such.tar.gz", take_folder("inner")},
                       {Download::Kind::kDebian, "penumbra-no-such-package", take_folder("usr")},
                       {archive().kind, archive().name, take_folder("outer")}};
  EXPECT_THAT([&] { get(); },
              ThrowsMessage<Error>(AllOf(
                  HasSubstr("cannot get alphabet:\n  file:///no/such.tar.gz: curl ended with"),
                  HasSubstr("\n  Debian package penumbra-no-such-package: "),
                  HasSubstr("it holds no folder 'outer'"),
                  HasSubstr("by hand from https://example.org/letters"),
                  HasSubstr("put them into " + (root_ / "letters").string() + ": abc names.txt"))));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Get, WithoutAWaySaysWhereToGetItByHand) {
  EXPECT_THAT([&] { get(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("there is no way to get it by program"),
                                         HasSubstr("https://example.org/letters"))));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Get, ADatasetWithoutFilesHasNothingToGet) {
  origin_ = {};
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>("dataset 'alphabet' has no files to get"));
}

TEST_F(Get, AnInterruptStopsAndLeavesNothing) {
  auto first = archive();
  first.install = [](const fs::path&, const fs::path&) {
    std::raise(SIGINT);
    fail("a way that did not work");
  };
  origin_.downloads = {first};
  {
    const InterruptScope scope;
    EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>("interrupted; nothing was left behind"));
  }
  EXPECT_THAT(entries(), IsEmpty());
  const InterruptScope forgets;  // a new one starts without a request
  origin_.downloads = {archive()};
  EXPECT_EQ(get(), root_ / "letters");
}

TEST_F(Get, AnArchiveThatIsNoneIsNamedWithWhatTarSays) {
  write_file(made_ / "letters.tar.gz", "no archive at all");
  origin_.downloads = {
      {Download::Kind::kUrl, "file://" + (made_ / "letters.tar.gz").string(), take_folder(".")}};
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(HasSubstr("tar ended with status")));
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Get, AnEmptyFolderInThePlaceIsFilled) {
  fs::create_directories(root_ / "letters");
  origin_.downloads = {archive()};
  EXPECT_EQ(get(), root_ / "letters");
  EXPECT_EQ(read_file(root_ / "letters" / "abc"), "abc");
}

TEST_F(Get, ASystemFolderWithOtherFilesDoesNoHarm) {
  const auto system = made_ / "system";
  fs::create_directories(system);
  write_file(system / "abc", "not abc");
  origin_.system_folder = system.string();
  origin_.downloads = {archive()};
  EXPECT_EQ(get(), root_ / "letters");
}

TEST_F(Get, AnArchiveThatLinksToTheUsersOwnFilesTakesNoneOfThem) {
  fs::rename(made_ / "inner", made_ / "mine");  // the right files, which would be taken
  fs::create_directory_symlink(made_ / "mine", made_ / "inner");
  origin_.downloads = {archive()};
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(HasSubstr("its folder 'inner' is a link to ")));
  EXPECT_EQ(read_file(made_ / "mine" / "abc"), "abc");
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Get, WhatAKilledProcessFetchedIsRemovedAlsoWhereNothingIsToGet) {
  put("letters", "abc", "abc");
  put("letters", "names.txt", "");
  put(".get-alphabet-aaaaaa", "half", "fetched");
  fs::last_write_time(root_ / ".get-alphabet-aaaaaa",
                      fs::file_time_type::clock::now() - std::chrono::hours(25));
  get();
  EXPECT_THAT(entries(), ElementsAre("letters"));
}

}  // namespace
}  // namespace penumbra
