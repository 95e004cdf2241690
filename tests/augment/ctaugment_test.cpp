#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <set>

#include "penumbra/augment/control.h"
#include "penumbra/augment/policy.h"
#include "penumbra/core/error.h"

namespace penumbra {
namespace {

std::unique_ptr<Policy> make(Options options = {}) { return make_policy("ctaugment", options); }

// A batch of one class-0 picture on which `trace` was tried.
Batch probed(int64_t step, Trace trace) {
  Batch batch;
  batch.step = step;
  batch.labels = torch::zeros({1}, torch::kLong);
  batch.traces = {std::move(trace)};
  return batch;
}

torch::Tensor probabilities(double of_label) {
  return torch::tensor({of_label, 1 - of_label}, torch::kFloat).unsqueeze(0);
}

std::vector<uint8_t> apply_at(const Policy& policy, int64_t step, uint32_t image) {
  Canvas canvas({32, 32, 3});
  for (int i = 0; i < canvas.shape().size(); ++i)
    canvas.front()[i] = static_cast<uint8_t>(i * 5 % 251);
  Random random({2, Stream::kUnlabelledViews, 0, image, 0});
  policy.apply(canvas, random, step);
  return {canvas.front(), canvas.front() + canvas.shape().size()};
}

TEST(CtAugment, HasTheOperationsAndBinsOfItsAuthors) {
  std::map<int, int> by_bins;
  int with_parameters = 0;
  for (const auto& [operation, bins] : controlled_operations()) {
    ++by_bins[bins[0]];
    with_parameters += bins[0] > 0;
    EXPECT_EQ(bins[1], operation == Operation::kRescale ? 6 : 0);
  }
  EXPECT_EQ(with_parameters, 18);
  EXPECT_EQ(by_bins, (std::map<int, int>{{0, 1}, {8, 1}, {17, 17}}));
}

TEST(CtAugment, DrawsOnlyBinsNearTheBest) {
  // p = rate + 0.01 relative to the largest, kept from 0.8 on: 1, 0.9 and 0.8 of 1.01
  const auto chances = cumulative_chances({1.0f, 0.9f, 0.5f, 0.8f, 0.79f}, 0.8, 0.99);
  const double sum = 1.01 + 0.91 + 0.81;
  EXPECT_NEAR(chances[0], 1.01 / sum, 1e-6);
  EXPECT_NEAR(chances[1], 1.92 / sum, 1e-6);
  EXPECT_EQ(chances[2], chances[1]);
  EXPECT_NEAR(chances[3], 1, 1e-6);
  EXPECT_EQ(chances[4], chances[3]);
}

TEST(CtAugment, LearnsTheRateOfTheBinThatWasTried) {
  const auto policy = make();
  // Operation 2 (brightness), level 0.5: bin 8 of 17. Closeness 1 - 1/2 (0.75 + 0.75) = 0.25.
  policy->update(probed(0, {{2, {0.5f, 0}}}), probabilities(0.25));
  const auto rates = policy->save()["history"].back()["rates"].get<Rates>();
  for (std::size_t bin = 0; bin < 17; ++bin)
    EXPECT_NEAR(rates[2][0][bin], bin == 8 ? 0.99 + 0.01 * 0.25 : 1, 1e-6) << bin;
  EXPECT_EQ(rates[3], initial_rates()[3]);
}

TEST(CtAugment, UsesRatesOfAFixedAge) {
  const auto policy = make({{"delay", "3"}, {"decay", "0.5"}});
  const auto untouched = make({{"delay", "3"}, {"decay", "0.5"}});
  // After step 0 nothing but the lowest bins is left of any operation.
  Trace everything;
  for (int operation = 0; operation < 19; ++operation)
    for (int bin = 1; bin < 17; ++bin)
      for (int times = 0; times < 4; ++times)
        everything.push_back({operation, {(static_cast<float>(bin) + 0.5f) / 17, 0.5f}});
  policy->update(probed(0, everything), probabilities(0));
  int changed = 0;
  for (uint32_t image = 0; image < 50; ++image) {
    for (int64_t step = 0; step <= 3; ++step)  // rates of step -1 and before
      EXPECT_EQ(apply_at(*policy, step, image), apply_at(*untouched, step, image));
    changed += apply_at(*policy, 4, image) != apply_at(*untouched, 4, image);
  }
  EXPECT_GT(changed, 25);
}

// FixMatch's ends with a grey square of half the side, 16 pixels wide here; ReMixMatch's does not.
// It is drawn last, so that all else stays as it was.
TEST(CtAugment, EndsWithACutoutUnlessToldOtherwise) {
  const auto with = make(), without = make({{"final_cutout", "false"}});
  int cut = 0;
  for (uint32_t image = 0; image < 50; ++image) {
    const auto painted = apply_at(*with, 0, image), plain = apply_at(*without, 0, image);
    int changed = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (painted[i] == plain[i]) continue;
      ++changed;
      EXPECT_EQ(painted[i], 127) << image;
    }
    EXPECT_LE(changed, 16 * 16 * 3) << image;
    cut += changed > 0;
  }
  EXPECT_GT(cut, 40);
}

TEST(CtAugment, AResumedPolicyGoesOnAsTheOldOne) {
  const auto policy = make(), resumed = make();
  Random random({4});
  Canvas canvas({16, 16, 3});
  std::vector<Trace> traces;
  for (int64_t step = 0; step < 40; ++step) traces.push_back(policy->probe(canvas, random));
  for (int64_t step = 0; step < 40; ++step) {
    const auto batch = probed(step, traces[static_cast<std::size_t>(step)]);
    policy->update(batch, probabilities(0.3));
    if (step == 20) resumed->load(Json::parse(policy->save().dump()));
    if (step > 20) resumed->update(batch, probabilities(0.3));
  }
  EXPECT_TRUE(policy->save() == resumed->save());
  EXPECT_EQ(policy->save()["history"].size(), 5u);  // the delay of 4 steps and the present
}

TEST(CtAugment, ProbesTryAllOperationsAtAllStrengths) {
  const auto policy = make();
  std::map<int, std::set<int>> tried;
  Canvas canvas({8, 8, 3});
  for (uint32_t image = 0; image < 5000; ++image) {
    Random random({1, Stream::kLabelledViews, 0, image, 0});
    const auto trace = policy->probe(canvas, random);
    ASSERT_EQ(trace.size(), 2u);
    for (const auto& [operation, level] : trace)
      tried[operation].insert(static_cast<int>(level[0] * 17));
  }
  EXPECT_EQ(tried.size(), 19u);
  for (const auto& [operation, bins] : tried) EXPECT_EQ(bins.size(), 17u) << operation;
}

TEST(CtAugment, RefusesAStateThatIsNotItsOwn) {
  EXPECT_THROW(make()->load(Json::parse("{}")), Error);
  EXPECT_THROW(make()->load(Json::parse(R"({"history": []})")), Error);
  EXPECT_THROW(make()->load(Json::parse(R"({"history": [{"step": 1, "rates": [[[1], [1]]]}]})")),
               Error);
}

TEST(CtAugment, RefusesRatesAndStepsThatItNeverHas) {
  const auto load = [](const char* key, const Json& value) {
    const auto policy = make();
    auto state = policy->save();
    auto& first = state["history"][0];
    (std::string(key) == "step" ? first["step"] : first["rates"][0][0][3]) = value;
    state["history"].push_back({{"step", 7}, {"rates", initial_rates()}});
    policy->load(state);
  };
  EXPECT_NO_THROW(load("step", 6));
  EXPECT_NO_THROW(load("rate", 1.0000001));  // rounded
  for (const Json& step : {Json(7), Json(8), Json(-2), Json(std::numeric_limits<int64_t>::min()),
                           Json(1.5), Json(1e300), Json("1"), Json()})
    EXPECT_THAT([&] { load("step", step); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("are of step")))
        << step;
  for (const Json& rate : {Json(2), Json(-1), Json(1e300)})
    EXPECT_THAT([&] { load("rate", rate); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("expected 0 to 1")))
        << rate;
}

TEST(CtAugment, KeepsWhatItHasWhereAStateIsRefused) {
  const auto policy = make();
  const auto before = policy->save();
  EXPECT_THROW(policy->load(Json::parse(R"({"history": []})")), Error);
  EXPECT_TRUE(policy->save() == before);
}

}  // namespace
}  // namespace penumbra
