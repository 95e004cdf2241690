#include "penumbra/data/packed.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/test_folder.h"

namespace penumbra {
namespace {

constexpr uint64_t kKey = 42;
constexpr PictureShape kShape{2, 3, 1};

// Five pictures, four to train with; picture i is filled with i.
void write_packed(const std::filesystem::path& path) {
  PackedWriter writer(path, kShape);
  for (std::size_t i = 0; i < 5; ++i)
    writer.store(i, std::vector<uint8_t>(kShape.bytes(), static_cast<uint8_t>(i)).data(), 1);
  FolderLayout layout;
  layout.parts[kTrain] = {{"a/1.png", 0}, {"b/22.png", 1}, {"c", -1}, {"", 1}};
  layout.parts[kTest] = {{"test/ü.png", 1}};
  writer.commit(kKey, layout, {{"bad.png", "", "cut short"}});
}

TEST(Packed, GivesBackWhatWasStored) {
  const TestFolder folder;
  write_packed(folder.path() / "cache");
  auto packed = open_packed(folder.path() / "cache", kKey);
  ASSERT_TRUE(packed);
  const auto train = packed->parts[kTrain], test = packed->parts[kTest];
  const auto skipped = packed->skipped;
  packed.reset();  // the images keep the mapping alive
  EXPECT_EQ(train.pixels.sizes(), torch::IntArrayRef({4, 2, 3, 1}));
  EXPECT_TRUE(train.pixels.select(1, 1).select(1, 2).flatten().equal(
      torch::tensor({0, 1, 2, 3}, torch::kByte)));
  EXPECT_TRUE(train.labels.equal(torch::tensor({0, 1, -1, 1}, torch::kLong)));
  EXPECT_EQ(train.files[0], "a/1.png");
  EXPECT_EQ(train.files[1], "b/22.png");
  EXPECT_EQ(train.files[3], "");
  EXPECT_EQ(test.files[0], "test/ü.png");
  EXPECT_EQ(test.pixels.min().item<int>(), 4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(train.pixels.data_ptr()) % 4096, 0u);
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(to_string(skipped[0]), "bad.png: cut short");
}

TEST(Packed, AnotherKeyOrNoFileIsNoCache) {
  const TestFolder folder;
  write_packed(folder.path() / "cache");
  EXPECT_FALSE(open_packed(folder.path() / "cache", kKey + 1));
  EXPECT_FALSE(open_packed(folder.path() / "none", kKey));
  EXPECT_FALSE(open_packed(folder.path(), kKey));
}

TEST(Packed, HostileFileIsNoCache) {
  const TestFolder folder;
  const auto path = folder.path() / "cache";
  write_packed(path);
  const auto good = read_file(path);
  for (std::size_t size = 0; size < good.size(); size += size < 4096 ? 512 : 1)
    ASSERT_FALSE(open_packed(folder.write("short", good.substr(0, size)), kKey)) << size;
  EXPECT_FALSE(open_packed(folder.write("long", good + "x"), kKey));
  // Every number of the header, each with every kind of lie.
  for (std::size_t at = 0; at < std::size_t{14} * 8; at += 8)
    for (const uint64_t lie : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 20, uint64_t{1} << 61,
                               uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{7}}) {
      auto bytes = good;
      if (std::memcmp(bytes.data() + at, &lie, 8) == 0) continue;
      std::memcpy(bytes.data() + at, &lie, 8);
      ASSERT_FALSE(open_packed(folder.write("lie", bytes), kKey)) << at << ' ' << lie;
    }
  // Names that reach outside.
  const std::size_t ends = 4096 + (6 * kShape.bytes() + 7) / 8 * 8 + std::size_t{5} * 8;
  for (std::size_t at = ends; at < ends + std::size_t{7} * 8; at += 8) {
    auto bytes = good;
    const uint64_t lie = 1 << 30;
    std::memcpy(bytes.data() + at, &lie, 8);
    ASSERT_FALSE(open_packed(folder.write("lie", bytes), kKey)) << at;
  }
}

TEST(Packed, PartsMayBeEmptyAndNothingSkipped) {
  const TestFolder folder;
  const auto path = folder / "cache";
  {
    PackedWriter writer(path, kShape);
    writer.store(0, std::vector<uint8_t>(2 * kShape.bytes(), 9).data(), 2);
    FolderLayout layout;
    layout.parts[kValidation] = {{"v/1.png", 0}, {"v/2.png", 1}};
    writer.commit(kKey, layout, {});
  }
  const auto packed = open_packed(path, kKey);
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->parts[kTrain].size(), 0);
  EXPECT_EQ(packed->parts[kTest].size(), 0);
  EXPECT_EQ(packed->parts[kValidation].files[1], "v/2.png");
  EXPECT_EQ(packed->parts[kValidation].pixels.min().item<int>(), 9);
  EXPECT_TRUE(packed->skipped.empty());
}

TEST(Packed, ASlotMayBeWrittenAgain) {
  const TestFolder folder;
  {
    PackedWriter writer(folder / "cache", kShape);
    const std::vector<uint8_t> three(3 * kShape.bytes(), 1);
    writer.store(0, three.data(), 3);
    writer.store(1, std::vector<uint8_t>(kShape.bytes(), 2).data(), 1);
    FolderLayout layout;
    layout.parts[kTrain] = {{"1", 0}, {"2", 0}, {"3", 1}};
    writer.commit(kKey, layout, {});
  }
  const auto train = open_packed(folder / "cache", kKey)->parts[kTrain];
  EXPECT_TRUE(train.pixels.select(1, 0).select(1, 0).flatten().equal(
      torch::tensor({1, 2, 1}, torch::kByte)));
}

TEST(Packed, WithoutCommitThereIsNoFile) {
  const TestFolder folder;
  {
    PackedWriter writer(folder / "cache", kShape);
    writer.store(0, std::vector<uint8_t>(kShape.bytes(), 1).data(), 1);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Packed, LabelsMayBeChangedAndTheFileStaysAsItIs) {
  const TestFolder folder;
  write_packed(folder / "cache");
  const auto before = read_file(folder / "cache");
  auto train = open_packed(folder / "cache", kKey)->parts[kTrain];
  train.labels.fill_(-1);
  EXPECT_EQ(read_file(folder / "cache"), before);
}

}  // namespace
}  // namespace penumbra
