#include "penumbra/data/records.h"

#include "penumbra/data/dataset.h"
#include "tests/expect_error.h"
#include "tests/test_data.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// One CIFAR-10 record whose bytes tell where they stand.
std::string record(int label, int shift) {
  std::string bytes(1, static_cast<char>(label));
  for (int i = 0; i < 3072; ++i) bytes += static_cast<char>((i + shift) % 251);
  return bytes;
}

TEST(Records, PlanesBecomeInterleavedColours) {
  const TestFolder folder;
  Reading reading;
  reading.threads = 2;
  const auto images = read_records(
      {folder.write("a", record(3, 0) + record(7, 5)), folder.write("b", record(1, 9))}, {},
      reading);
  ASSERT_EQ(images.pixels.sizes(), torch::IntArrayRef({3, 32, 32, 3}));
  EXPECT_TRUE(images.labels.equal(torch::tensor({3, 7, 1}, torch::kLong)));
  const auto at = images.pixels.accessor<uint8_t, 4>();
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x)
      for (int c = 0; c < 3; ++c) {
        ASSERT_EQ(at[0][y][x][c], (c * 1024 + y * 32 + x) % 251);
        ASSERT_EQ(at[2][y][x][c], (c * 1024 + y * 32 + x + 9) % 251);
      }
}

TEST(Records, ACutOrPaddedFileNamesTheRecord) {
  const TestFolder folder;
  Reading reading;
  const auto read = [&](const std::string& bytes) {
    return error_of([&] { read_records({folder.write("a", bytes)}, {}, reading); });
  };
  EXPECT_THAT(read(record(0, 0) + record(1, 0).substr(0, 100)),
              HasSubstr("a, record 1: 100 bytes are left of a record of 3073"));
  EXPECT_THAT(read(record(0, 0) + "x"), HasSubstr("record 1: 1 bytes are left"));
  EXPECT_THAT(read(""), HasSubstr("record 0"));
}

TEST(Records, ALabelOutOfRangeNamesRecordAndRange) {
  const TestFolder folder;
  const auto file = folder.write("a", record(0, 0) + record(12, 0));
  Reading reading;
  EXPECT_THAT(error_of([&] { read_records({file}, {}, reading); }),
              HasSubstr("a, record 1: label 12, expected 0 to 9"));
}

TEST(Records, InspectionCollectsEverythingAndGoesOn) {
  const TestFolder folder;
  std::string bytes;
  for (int i = 0; i < 15; ++i) bytes += record(100 + i, 0);
  Reading reading;
  reading.inspect = true;
  const auto images =
      read_records({folder / "none", folder.write("a", bytes + "abc")}, {}, reading);
  EXPECT_EQ(images.size(), 15);
  EXPECT_EQ(images.labels.eq(kUnlabelled).sum().item<int64_t>(), 15);
  ASSERT_EQ(reading.problems.size(), 13u);  // missing, cut, ten labels, "5 more"
  EXPECT_THAT(reading.problems[0].what, HasSubstr("no such file"));
  EXPECT_THAT(reading.problems.back().what, HasSubstr("5 more"));
}

TEST(Cifar100, ReadsFineAndCoarseLabels) {
  PENUMBRA_NEED_TEST_DATA();
  Reading reading;
  const auto open = [&](const std::string& labels) {
    Options options{{"labels", labels}, {"path", (test_data() / "cifar-100-binary").string()}};
    return make_dataset("cifar100", options);
  };
  const auto fine = open("fine")->train(reading), coarse = open("coarse")->train(reading);
  EXPECT_EQ(fine.labels.bincount().size(0), 100);
  EXPECT_EQ(coarse.labels.bincount().size(0), 20);
  EXPECT_TRUE(fine.pixels.equal(coarse.pixels));
  EXPECT_EQ(open("coarse")->classes(reading).front(), "aquatic_mammals");
}

TEST(Cifar10, SaysHowManyNamesItsFileShouldHave) {
  const TestFolder folder;
  folder.write("batches.meta.txt", "cat\r\ndog\n\n");
  Options options{{"path", folder.path().string()}};
  Reading reading;
  const auto dataset = make_dataset("cifar10", options);
  EXPECT_THAT(error_of([&] { dataset->classes(reading); }),
              HasSubstr("2 class names, expected 10"));
}

TEST(Records, MayBeGreyOrHaveTwoLabels) {
  const TestFolder folder;
  Reading reading;
  RecordLayout layout;
  layout.label_bytes = 2;
  layout.label_at = 1;
  layout.height = 1;
  layout.width = 3;
  layout.channels = 1;
  const auto grey =
      read_records({folder.write("a", std::string("\11\2abc\11\4def"))}, layout, reading);
  EXPECT_TRUE(grey.labels.equal(torch::tensor({2, 4}, torch::kLong)));
  EXPECT_EQ(grey.pixels[1][0][2][0].item<int64_t>(), 'f');
  layout.channels = 2;  // two planes of three pixels
  const auto two = read_records({folder.write("a", std::string("\11\2abcdef"))}, layout, reading);
  EXPECT_EQ(two.pixels[0][0][1][0].item<int64_t>(), 'b');
  EXPECT_EQ(two.pixels[0][0][1][1].item<int64_t>(), 'e');
}

}  // namespace
}  // namespace penumbra
