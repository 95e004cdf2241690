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

// A file of more records than a thread takes at once, each a label and one grey pixel.
TEST(Records, OfManyPiecesKeepTheirOrderWithAnyThreads) {
  const TestFolder folder;
  RecordLayout layout;
  layout.height = layout.width = layout.channels = 1;
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    bytes += static_cast<char>(i % 10);
    bytes += static_cast<char>(i % 241);
  }
  const auto path = folder.write("a", bytes);
  for (const int threads : {1, 4}) {
    Reading reading;
    reading.threads = threads;
    const auto images = read_records({path}, layout, reading);
    const auto numbers = torch::arange(1000, torch::kLong);
    EXPECT_TRUE(images.labels.equal(numbers.remainder(10)));
    EXPECT_TRUE(images.pixels.flatten().to(torch::kLong).equal(numbers.remainder(241)));
  }
}

TEST(Records, ALabelIsNumberedWithinItsOwnFile) {
  const TestFolder folder;
  Reading reading;
  EXPECT_THAT(error_of([&] {
                read_records({folder.write("a", record(1, 0) + record(2, 0)),
                              folder.write("b", record(3, 0) + record(200, 0))},
                             {}, reading);
              }),
              HasSubstr("b, record 1: label 200, expected 0 to 9"));
}

TEST(Records, AMissingFileComesWithTheRemedy) {
  Options options{{"path", "/does/not/exist"}};
  Reading reading;
  reading.remedy = "'penumbra data get cifar10' fetches it";
  const auto dataset = make_dataset("cifar10", options);
  EXPECT_EQ(
      error_of([&] { dataset->train(reading); }),
      "/does/not/exist/data_batch_1.bin: no such file; 'penumbra data get cifar10' fetches it");
  EXPECT_THAT(error_of([&] { dataset->test(reading); }), HasSubstr("test_batch.bin: no such file"));
}

TEST(Records, NoFileThatCanBeReadGivesNoPictures) {
  const TestFolder folder;
  Reading reading;
  reading.inspect = true;
  const auto images = read_records({folder / "none", folder.path()}, {}, reading);
  EXPECT_EQ(images.pixels.sizes(), torch::IntArrayRef({0, 32, 32, 3}));
  EXPECT_EQ(images.labels.size(0), 0);
  ASSERT_EQ(reading.problems.size(), 2U);
  EXPECT_THAT(reading.problems[1].what, HasSubstr("not a regular file"));
}

TEST(Cifar10, ReadsFiveFilesInOrderAndAnotherToTest) {
  const TestFolder folder;
  for (int i = 1; i <= 5; ++i)
    folder.write("data_batch_" + std::to_string(i) + ".bin", record(i, i));
  folder.write("test_batch.bin", record(9, 0));
  folder.write("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  Options options{{"path", folder.path().string()}};
  Reading reading;
  const auto dataset = make_dataset("cifar10", options);
  EXPECT_TRUE(dataset->train(reading).labels.equal(torch::tensor({1, 2, 3, 4, 5}, torch::kLong)));
  EXPECT_EQ(dataset->test(reading).labels[0].item<int64_t>(), 9);
  EXPECT_EQ(dataset->classes(reading).size(), 10U);
}

TEST(Cifar100, TheSecondLabelByteIsTheFineOne) {
  const TestFolder folder;
  folder.write("train.bin", "\x07" + record(55, 0));
  folder.write("test.bin", "\x13" + record(99, 0));
  const auto label = [&](const std::string& labels, bool test) {
    Options options{{"labels", labels}, {"path", folder.path().string()}};
    Reading reading;
    const auto dataset = make_dataset("cifar100", options);
    const auto images = test ? dataset->test(reading) : dataset->train(reading);
    return images.labels[0].item<int64_t>();
  };
  EXPECT_EQ(label("fine", false), 55);
  EXPECT_EQ(label("coarse", false), 7);
  EXPECT_EQ(label("fine", true), 99);
  EXPECT_EQ(label("coarse", true), 19);
  folder.write("train.bin", "\x14" + record(100, 0));
  EXPECT_THAT(error_of([&] { label("fine", false); }), HasSubstr("label 100, expected 0 to 99"));
  EXPECT_THAT(error_of([&] { label("coarse", false); }), HasSubstr("label 20, expected 0 to 19"));
}

}  // namespace
}  // namespace penumbra
