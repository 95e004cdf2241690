// Networks against an independent implementation in Python (tests/golden/make_models.py).

#include <gtest/gtest.h>

#include <map>

#include "penumbra/core/file.h"
#include "penumbra/core/json.h"
#include "penumbra/model/classifier.h"

namespace penumbra {
namespace {

constexpr double kTolerance = 1e-9;

// `count` numbers in [-0.5, 0.5): the formula of make_models.py.
torch::Tensor scattered(uint64_t salt, int64_t count) {
  const auto numbers = torch::empty({count}, torch::kDouble);
  auto* out = numbers.data_ptr<double>();
  for (int64_t i = 0; i < count; ++i) {
    uint64_t x = (static_cast<uint64_t>(i + 1) * 2654435761U + salt * 97) & 0xFFFFFFFFU;
    x ^= x >> 16;
    x = (x * 0x45D9F3BU) & 0xFFFFFFFFU;
    x ^= x >> 16;
    out[i] = static_cast<double>(x) / 0x1p32 - 0.5;
  }
  return numbers;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

torch::Tensor value_of(const std::string& name, const torch::Tensor& tensor, uint64_t salt) {
  const auto x = scattered(salt, tensor.numel()).reshape(tensor.sizes());
  if (tensor.dim() == 4)
    return x * std::sqrt(24.0 / static_cast<double>(tensor.numel() / tensor.size(1)));
  if (tensor.dim() == 2) return x * 0.5;
  if (ends_with(name, "running_var") || ends_with(name, "weight")) return 1 + 0.5 * x;
  return 0.2 * x;
}

void set_weights(const Classifier& classifier) {
  const torch::NoGradGuard no_grad;
  std::map<std::string, torch::Tensor> sorted;
  for (const auto& [name, tensor] : classifier.state())
    if (!ends_with(name, "num_batches_tracked")) sorted.emplace(name, tensor);
  uint64_t salt = 0;
  for (auto& [name, tensor] : sorted) tensor.copy_(value_of(name, tensor, salt++));
}

// Sum, length and the first three values.
std::vector<double> summary(const torch::Tensor& tensor) {
  const auto flat = tensor.detach().contiguous().reshape(-1);
  std::vector<double> values{flat.sum().item<double>(), flat.norm().item<double>()};
  for (int64_t i = 0; i < std::min<int64_t>(3, flat.numel()); ++i)
    values.push_back(flat[i].item<double>());
  return values;
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected,
                 const std::string& what) {
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], kTolerance * (1 + std::abs(expected[i]))) << what;
}

void expect_logits(const torch::Tensor& logits, const Json& expected) {
  const auto flat = logits.detach().contiguous();
  const auto* values = flat.data_ptr<double>();
  expect_near({values, values + flat.numel()}, expected.get<std::vector<double>>(), "logits");
}

TEST(Networks, AgreeWithPythonInLogitsGradientsAndRunningStatistics) {
  const auto cases =
      Json::parse(read_file(std::string(PENUMBRA_SOURCE_DIR) + "/tests/golden/models.json"));
  ASSERT_EQ(cases.size(), 5U);
  for (const auto& expected : cases) {
    const auto name = expected["backbone"].get<std::string>();
    SCOPED_TRACE(name);
    const InputShape input{expected["channels"], expected["height"], expected["width"]};
    const int64_t n = expected["images"], classes = expected["classes"];
    Options options;
    Classifier classifier(make_backbone(name, input, options), classes, {}, make_generator(0));
    classifier.to(torch::kDouble);
    set_weights(classifier);
    auto images = scattered(1000, n * input.channels * input.height * input.width) * 4;
    images = images.reshape({n, input.channels, input.height, input.width});

    classifier.eval();
    expect_logits(classifier.forward(images).logits, expected["evaluated"]);

    classifier.train();
    images.set_requires_grad(true);
    const auto logits = classifier.forward(images).logits;
    expect_logits(logits, expected["trained"]);
    (logits * scattered(2000, n * classes).reshape({n, classes})).sum().backward();
    expect_near(summary(images.grad()), expected["image_gradient"], "images");
    EXPECT_EQ(classifier.weights().size(), expected["gradients"].size());
    for (const auto& [weight, tensor] : classifier.weights())
      expect_near(summary(tensor.grad()), expected["gradients"].at(weight), weight);
    for (const auto& [statistic, tensor] : classifier.statistics())
      if (!ends_with(statistic, "num_batches_tracked"))
        expect_near(summary(tensor), expected["running"].at(statistic), statistic);
  }
}

}  // namespace
}  // namespace penumbra
