#include "penumbra/data/inspect.h"

#include "tests/expect_error.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A dataset that is what the test says.
class Made final : public Dataset {
 public:
  std::vector<std::string> classes(Reading&) const override { return {"cat", "dog"}; }
  Images train(Reading& reading) const override {
    if (!problem.empty()) reading.broken({"train.bin", "byte 3", problem});
    auto images = made(train_labels, 0);
    if (repeated >= 0) images.pixels[repeated + 1] = images.pixels[repeated];
    return images;
  }
  Images validation(Reading&) const override { return made(validation_labels, 100); }
  Images test(Reading&) const override { return made(test_labels, first_test_picture); }
  bool recognises(const std::filesystem::path&) const override { return false; }
  Origin origin() const override {
    Origin origin;
    if (benchmark) origin.folder = "made";
    return origin;
  }

  std::vector<int64_t> train_labels{0, 0, 1, 1}, validation_labels, test_labels{0, 1, 1};
  int64_t first_test_picture = 50;  // pictures are all of one colour, which is their number
  int64_t repeated = -1;            // a training picture whose copy the next one is
  bool benchmark = false;
  std::string problem;

 private:
  static Images made(const std::vector<int64_t>& labels, int64_t first) {
    if (labels.empty()) return {};
    const auto n = static_cast<int64_t>(labels.size());
    Images images;
    images.pixels = torch::arange(first, first + n, torch::kByte)
                        .reshape({n, 1, 1, 1})
                        .expand({n, 2, 3, 1})
                        .contiguous();
    images.labels = torch::tensor(labels, torch::kLong);
    return images;
  }
};

Inspection inspected(const std::function<void(Made&)>& change) {
  OpenedDataset opened;
  opened.name = "made";
  auto made = std::make_unique<Made>();
  change(*made);
  opened.dataset = std::move(made);
  return inspect(opened, {});
}

TEST(Inspect, CountsWhatIsThere) {
  const auto found = inspected([](Made& made) {
    made.train_labels = {0, 0, 1, 1, kUnlabelled};
    made.validation_labels = {0};
  });
  EXPECT_EQ(found.dataset, "made");
  EXPECT_EQ(found.train, 5);
  EXPECT_EQ(found.unlabelled, 1);
  EXPECT_EQ(found.validation, 1);
  EXPECT_EQ(found.test, 3);
  EXPECT_EQ(found.height, 2);
  EXPECT_EQ(found.width, 3);
  EXPECT_EQ(found.channels, 1);
  EXPECT_THAT(found.train_per_class, ElementsAre(2, 2));
  EXPECT_THAT(found.test_per_class, ElementsAre(1, 2));
  EXPECT_NEAR(found.statistics.mean[0], 2.0 / 255, 1e-9);
  EXPECT_TRUE(found.problems.empty());
}

TEST(Inspect, CollectsProblemsInsteadOfStopping) {
  const auto found = inspected([](Made& made) { made.problem = "cut short"; });
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(to_string(found.problems[0]), "train.bin, byte 3: cut short");
  EXPECT_EQ(found.train, 4);
}

TEST(Inspect, AClassWithOnePictureIsAProblem) {
  const auto found = inspected([](Made& made) { made.train_labels = {0, 0, 1}; });
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(to_string(found.problems[0]),
            "class 'dog': has 1 labelled training images, expected two or more");
}

TEST(Inspect, ATestPictureAmongTheTrainingPicturesIsNamed) {
  const auto found = inspected([](Made& made) { made.first_test_picture = 3; });
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_THAT(to_string(found.problems[0]),
              HasSubstr("test image 0: the same picture is in the training set as train image 3"));
}

TEST(Inspect, OfABenchmarkItIsOnlyWorthANote) {
  const auto found = inspected([](Made& made) {
    made.benchmark = true;
    made.first_test_picture = 2;
  });
  EXPECT_TRUE(found.problems.empty());
  EXPECT_THAT(found.notes, ElementsAre("2 test images are also in the training set"));
}

TEST(Inspect, AClassWithoutPicturesIsAProblemButNotWhereThereIsNothingAtAll) {
  const auto lacking = inspected([](Made& made) { made.train_labels = {0, 0, 0}; });
  ASSERT_EQ(lacking.problems.size(), 1U);
  EXPECT_EQ(to_string(lacking.problems[0]),
            "class 'dog': has 0 labelled training images, expected two or more");
  const auto nothing = inspected([](Made& made) {
    made.train_labels.clear();
    made.problem = "cut short";
  });
  ASSERT_EQ(nothing.problems.size(), 1U);  // what is wrong with the file says it all
  EXPECT_EQ(nothing.train, 0);
}

TEST(Inspect, EveryTestPictureThatWasTrainedOnIsListed) {
  const auto found = inspected([](Made& made) { made.first_test_picture = 1; });
  ASSERT_EQ(found.problems.size(), 3U);
  EXPECT_THAT(to_string(found.problems[2]),
              HasSubstr("test image 2: the same picture is in the training set as train image 3; "
                        "remove one"));
}

TEST(Inspect, APictureInTwoClassesIsNamed) {
  const auto found = inspected([](Made& made) { made.repeated = 1; });
  EXPECT_TRUE(found.problems.empty());
  EXPECT_THAT(found.notes,
              ElementsAre("train image 2 is the same picture as train image 1, in another class"));
}

TEST(Inspect, APictureThatIsThereTwiceIsWorthANoteUnlessItIsOfABenchmark) {
  const auto twice = [](Made& made) { made.repeated = 0; };
  const auto found = inspected(twice);
  EXPECT_TRUE(found.problems.empty());
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("1 training pictures are there more than once, "
                                                 "such as train image 0 and train image 1")));
  const auto unlabelled = inspected([&](Made& made) {
    made.repeated = 1;
    made.train_labels = {0, 0, kUnlabelled, 1, 1};
  });
  EXPECT_TRUE(unlabelled.problems.empty());
  EXPECT_EQ(unlabelled.notes.size(), 1U);
  const auto benchmark = inspected([&](Made& made) {
    twice(made);
    made.benchmark = true;
  });
  EXPECT_TRUE(benchmark.notes.empty());
}

TEST(Inspect, LabelsOfNoClassAreNotCounted) {
  const auto found = inspected([](Made& made) { made.test_labels = {0, 5, kUnlabelled}; });
  EXPECT_THAT(found.test_per_class, ElementsAre(1, 0));
  EXPECT_EQ(found.test, 3);
}

TEST(Inspect, WithoutATestSetThereIsNothingToCompare) {
  const auto found = inspected([](Made& made) { made.test_labels.clear(); });
  EXPECT_EQ(found.test, 0);
  EXPECT_TRUE(found.problems.empty());
  EXPECT_TRUE(found.notes.empty());
}

}  // namespace
}  // namespace penumbra
