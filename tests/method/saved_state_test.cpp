// What a method has saved may come back from a stranger, with a checksum that is right.

#include <limits>

#include "penumbra/method/method.h"
#include "tests/expect_error.h"

namespace penumbra {
namespace {

// Two labelled images and four others, of three classes.
std::unique_ptr<Method> met(const char* name) {
  Options options;
  auto method = make_method(name, options);
  method->meet({{0, 1}, {2, 3, 4, 5}, torch::tensor({0, 1}, torch::kLong), 3});
  return method;
}

std::string error_with(const char* method, const char* name, int64_t label) {
  auto state = met(method)->save();
  for (auto& entry : state)
    if (entry.name == name) entry.tensor = torch::full({6}, label, torch::kLong);
  return error_of([&] { met(method)->load(state); });
}

// Counting the largest label there is would need a list as long.
TEST(SavedState, OfFlexMatchHasLabelsOfItsClassesAndOneMore) {
  for (const int64_t label : {int64_t{-1}, int64_t{4}, std::numeric_limits<int64_t>::max()})
    EXPECT_THAT(error_with("flexmatch", "learnt", label), testing::HasSubstr(": expected 0 to 3"));
  EXPECT_NO_THROW(met("flexmatch")->load({{"learnt", torch::full({6}, 3, torch::kLong)}}));
}

TEST(SavedState, OfLabelPropagationHasLabelsOfItsClassesOrNone) {
  for (const int64_t label : {-2, 3})
    EXPECT_THAT(error_with("label_propagation", "labels", label),
                testing::HasSubstr(": expected -1 to 2"));
  EXPECT_NO_THROW(met("label_propagation")->load(met("label_propagation")->save()));
}

// A checkpoint may say that a survey was made, and have none of its labels.
TEST(SavedState, OfLabelPropagationWithoutLabelsTeachesNothing) {
  const Forward same([](const torch::Tensor& x) { return Output{x, x, {}}; });
  Batch batch;
  batch.progress = 0.9;
  batch.images = torch::eye(3).slice(0, 0, 2);
  batch.labels = torch::arange(2, torch::kLong);
  batch.weak = {torch::eye(3)};
  batch.all = torch::cat({batch.images, batch.weak[0]});
  batch.index = torch::tensor({2, 3, 4}, torch::kLong);
  const auto step = met("label_propagation")->step(same, same, batch);
  EXPECT_EQ(step.report.at("loss/propagated"), 0);
}

}  // namespace
}  // namespace penumbra
