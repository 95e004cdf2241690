#include "penumbra/model/ema.h"

#include <gtest/gtest.h>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

std::shared_ptr<Classifier> make_student() {
  Options options;
  return std::make_shared<Classifier>(make_backbone("tiny", {3, 8, 8}, options, make_generator(1)),
                                      4, std::vector<HeadSpec>{{"certificates", 3, false}},
                                      make_generator(2));
}

torch::Tensor find(const std::vector<NamedTensor>& items, const std::string& name) {
  for (const auto& item : items)
    if (item.name == name) return item.tensor;
  throw std::out_of_range(name);
}

// Another set of weights and statistics, as after a step of training.
void change(Classifier& student, uint64_t seed) {
  const torch::NoGradGuard no_grad;
  for (auto& weight : student.parameters()) weight.normal_(0, 1, make_generator(seed));
  student.train();
  student.forward(torch::empty({4, 3, 8, 8}).normal_(1, 2, make_generator(seed)));
}

TEST(Ema, StartsAsTheStudentWithoutGradientsInEvaluationMode) {
  const auto student = make_student();
  Ema ema(*student, {});
  for (std::size_t i = 0; i < student->state().size(); ++i)
    EXPECT_TRUE(student->state()[i].tensor.equal(ema.teacher().state()[i].tensor));
  for (const auto& weight : ema.teacher().parameters()) EXPECT_FALSE(weight.requires_grad());
  for (const auto& weight : student->parameters()) EXPECT_TRUE(weight.requires_grad());
  EXPECT_FALSE(ema.teacher().is_training());
  EXPECT_TRUE(student->is_training());
}

TEST(Ema, MovesEveryWeightByTheFormula) {
  const auto student = make_student();
  student->use_channels_last();
  EmaOptions options;
  options.decay = 0.9;
  options.warm_up = false;
  Ema ema(*student, options);
  std::vector<torch::Tensor> expected;
  for (const auto& weight : student->parameters()) expected.push_back(weight.detach().clone());
  for (uint64_t step = 1; step <= 5; ++step) {
    change(*student, step);
    ema.update();
    const auto weights = student->parameters();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      expected[i] = 0.9 * expected[i] + 0.1 * weights[i].detach();
      EXPECT_TRUE(torch::allclose(ema.teacher().parameters()[i], expected[i], 1e-5, 1e-6));
    }
  }
  EXPECT_EQ(ema.updates(), 5);
}

TEST(Ema, WarmsItsDecayUp) {
  const auto student = make_student();
  Ema ema(*student, {});
  EXPECT_DOUBLE_EQ(ema.decay(), 0.1);  // (1 + 0) / (10 + 0)
  ema.update();
  EXPECT_DOUBLE_EQ(ema.decay(), 2.0 / 11);
  ema.set_updates(90);
  EXPECT_DOUBLE_EQ(ema.decay(), 0.91);
  ema.set_updates(100000);
  EXPECT_DOUBLE_EQ(ema.decay(), 0.999);
}

TEST(Ema, CopiesOrAveragesTheStatisticsAsAsked) {
  for (const std::string buffers : {"copy", "average"}) {
    const auto student = make_student();
    Options given{{"ema_decay", "0.75"}, {"ema_warm_up", "false"}, {"ema_buffers", buffers}};
    const EmaOptions options(given);
    Ema ema(*student, options);
    const auto mean = [](const Classifier& model) {
      return find(model.statistics(), "bn1.running_mean").clone();
    };
    const auto before = mean(ema.teacher());
    change(*student, 1);
    ema.update();
    const auto expected =
        buffers == "copy" ? mean(*student) : 0.75 * before + 0.25 * mean(*student);
    EXPECT_TRUE(torch::allclose(mean(ema.teacher()), expected, 1e-5, 1e-7)) << buffers;
    EXPECT_FALSE(mean(ema.teacher()).equal(before));
    const auto batches = find(ema.teacher().statistics(), "bn1.num_batches_tracked");
    EXPECT_EQ(batches.item<int64_t>(), 1);  // counts are copied in both
  }
}

TEST(Ema, RejectsOptionsOutOfRange) {
  Options decay{{"ema_decay", "1.5"}}, buffers{{"ema_buffers", "freeze"}};
  EXPECT_THROW(EmaOptions{decay}, Error);
  EXPECT_THROW(EmaOptions{buffers}, Error);
}

TEST(Ema, WithoutDecayItIsTheStudentAndWithAllOfItItStays) {
  for (const double decay : {0.0, 1.0}) {
    const auto student = make_student();
    EmaOptions options;
    options.decay = decay;
    options.warm_up = false;
    Ema ema(*student, options);
    const auto before = ema.teacher().parameters()[0].clone();
    change(*student, 3);
    ema.update();
    const auto expected = decay == 0 ? student->parameters()[0].detach() : before;
    EXPECT_TRUE(ema.teacher().parameters()[0].equal(expected)) << decay;
  }
}

TEST(Ema, LeavesTheStudentAlone) {
  const auto student = make_student();
  Ema ema(*student, {});
  change(*student, 3);
  std::vector<torch::Tensor> before;
  for (const auto& item : student->state()) before.push_back(item.tensor.detach().clone());
  for (int i = 0; i < 3; ++i) ema.update();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(student->state()[i].tensor.equal(before[i])) << student->state()[i].name;
  EXPECT_TRUE(student->is_training());
}

TEST(Ema, ReadsItsOptionsAndDescribesThem) {
  Options none;
  const EmaOptions options(none);
  EXPECT_EQ(options.decay, 0.999);
  EXPECT_TRUE(options.warm_up);
  EXPECT_EQ(options.buffers, "copy");
  ASSERT_EQ(none.described().size(), 3U);
  for (const auto& option : none.described()) EXPECT_NE(option.meaning, "") << option.key;
}

}  // namespace
}  // namespace penumbra
