#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/model/classifier.h"
#include "penumbra/model/layers.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

Classifier make(const std::string& name, int64_t classes, InputShape input = {}) {
  Options options;
  return Classifier(make_backbone(name, input, options, make_generator(1)), classes, {},
                    make_generator(2));
}

int64_t count(const Classifier& classifier) {
  int64_t total = 0;
  for (const auto& [name, weight] : classifier.weights()) total += weight.numel();
  return total;
}

std::string message_for(const std::string& name) {
  try {
    Options options;
    make_backbone(name, {}, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Wrn, HasThePublishedParameterCounts) {
  EXPECT_EQ(count(make("wrn_28_2", 10)), 1467610);    // "1.5 M"
  EXPECT_EQ(count(make("wrn", 10)), 1467610);         // the same network
  EXPECT_EQ(count(make("wrn_28_8", 100)), 23401012);  // "23.4 M"
}

TEST(Wrn, HasAsManyConvolutionsAsItsNameSays) {
  const auto layers = [](const std::string& name) {
    int64_t number = 0;
    for (const auto& [weight, tensor] : make(name, 10).weights()) number += tensor.dim() == 4;
    return number;
  };
  for (const int64_t depth : {10, 16, 22, 28, 40})
    EXPECT_EQ(layers("wrn_" + std::to_string(depth) + "_2"), depth);
}

TEST(Wrn, SaysWhatIsWrongWithAName) {
  EXPECT_EQ(message_for("wrn_27_2"),
            "no backbone 'wrn_27_2': depth must be 6n+4, such as 10, 16, 22, 28");
  for (const std::string bad : {"wrn_4_2", "wrn_-8_2", "wrn_1000000_2"})
    EXPECT_THAT(message_for(bad), HasSubstr("depth must be 6n+4"));
  for (const std::string bad : {"wrn_28_0", "wrn_28_65", "wrn_28_-2"})
    EXPECT_THAT(message_for(bad), HasSubstr("width must be 1 to 64"));
  for (const std::string bad :
       {"wrn_28", "wrn_28_2_1", "wrn_28_2.5", "wrn__2", "wrn_x", "wrn_99999999999999999999_2"})
    EXPECT_EQ(message_for(bad), "no backbone '" + bad +
                                    "': expected wrn_DEPTH_WIDTH, such as "
                                    "wrn_28_2");
  EXPECT_THAT(message_for("wrm_28_2"),
              HasSubstr("there are: fast resnet18 resnet18_cifar tiny wrn"));
  EXPECT_THAT(message_for("resnet18_"), HasSubstr("nothing follows the last underscore"));
  EXPECT_THAT(message_for("wrn_28_"), HasSubstr("nothing follows the last underscore"));
  EXPECT_THAT(message_for(""), HasSubstr("no backbone ''; there are:"));
}

TEST(Wrn, BeginsWithTheUsualScales) {
  const auto classifier = make("wrn_16_4", 10);
  for (const auto& [name, weight] : classifier.weights()) {
    const auto deviation = weight.numel() > 1 ? weight.std().item<double>() : 0;
    if (weight.dim() == 4) {
      const auto fan_out = static_cast<double>(weight.numel() / weight.size(1));
      EXPECT_NEAR(deviation / std::sqrt(2 / fan_out), 1, 0.1) << name;
      EXPECT_NEAR(weight.mean().item<double>() / deviation, 0, 0.15) << name;
    } else if (weight.dim() == 2) {
      EXPECT_NEAR(deviation / std::sqrt(2.0 / (256 + 10)), 1, 0.1) << name;
    } else {
      EXPECT_TRUE(weight.eq(name.find("weight") == std::string::npos ? 0 : 1).all().item<bool>());
    }
  }
}

TEST(Wrn, TakesTheMomentumOfBatchNormAsAnOption) {
  const auto after_one_batch = [](Options options) {
    const auto backbone = make_backbone("wrn_10_1", {}, options);
    const auto batch = torch::empty({8, 3, 32, 32}).normal_(0, 1, make_generator(1));
    backbone->forward(batch);
    return backbone->named_buffers()["layer1.0.bn1.running_var"].clone();
  };
  const auto slow = after_one_batch({}), fast = after_one_batch({{"bn_momentum", "0.1"}});
  // running = (1 - momentum) * 1 + momentum * batch
  EXPECT_TRUE(torch::allclose((slow - 1) * 100, fast - 1, 1e-2, 1e-3));
}

TEST(ResNet18, HasTorchvisionsParameterCountAndNames) {
  const auto classifier = make("resnet18", 1000, {3, 64, 64});
  EXPECT_EQ(count(classifier), 11689512);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : classifier.state()) names.push_back(name);
  EXPECT_EQ(names.size(), 122U);  // as many as torchvision's state_dict has
  for (const auto* name :
       {"conv1.weight", "bn1.running_var", "layer1.0.conv1.weight", "layer2.0.downsample.0.weight",
        "layer4.1.bn2.num_batches_tracked", "layer3.0.downsample.1.bias", "fc.bias"})
    EXPECT_THAT(names, testing::Contains(name));
}

TEST(ResNet18Cifar, DiffersOnlyInTheFirstConvolution) {
  EXPECT_EQ(count(make("resnet18_cifar", 10)),
            count(make("resnet18", 10)) - 64 * 3 * 7 * 7 + 64 * 3 * 3 * 3);
}

TEST(Fast, WhitensPatchesOnceFitted) {
  Options options;
  const auto backbone = make_backbone("fast_8", {3, 16, 16}, options, make_generator(1));
  // Neighbours alike, channels alike, one channel louder: far from white.
  auto generator = make_generator(2);
  auto images = torch::randn({500, 3, 17, 17}, generator);
  images = images.slice(2, 1) + images.slice(2, 0, 16);
  images = (images.slice(3, 1) + images.slice(3, 0, 16)).contiguous();
  images.select(1, 1).add_(images.select(1, 0)).mul_(3);
  backbone->fit(images);
  const auto filters = backbone->named_buffers()["whitening"];
  ASSERT_EQ(filters.sizes(), torch::IntArrayRef({24, 3, 2, 2}));
  EXPECT_TRUE(filters.slice(0, 0, 12).equal(-filters.slice(0, 12)));
  const auto maps = torch::conv2d(images, filters.slice(0, 0, 12));
  const auto rows = maps.transpose(0, 1).reshape({12, -1});
  const auto moment = rows.matmul(rows.t()) / static_cast<double>(rows.size(1));
  EXPECT_LT((moment - torch::eye(12)).abs().max().item<double>(), 0.02);
}

TEST(Fast, StartsByPassingItsInputsOn) {
  Options options;
  const auto backbone = make_backbone("fast_32", {3, 16, 16}, options, make_generator(1));
  const auto filters = backbone->named_parameters()["group1.conv1.weight"];  // [32, 24, 3, 3]
  const auto images = torch::randn({2, 24, 9, 9}, make_generator(2));
  const auto maps = torch::conv2d(images, filters, {}, 1, 1);
  EXPECT_TRUE(maps.slice(1, 0, 24).equal(images));
  EXPECT_FALSE(filters.slice(0, 24).eq(0).any().item<bool>());
}

TEST(Fast, HasItsSizeInItsName) {
  EXPECT_EQ(make("fast_32", 10).backbone().feature_size(), 128);
  EXPECT_EQ(make("fast", 10).backbone().feature_size(), 256);
  Options options;
  for (const char* name : {"fast_0", "fast_-3", "fast_8_8", "fast_x", "fast_4096"})
    EXPECT_THROW(make_backbone(name, {}, options), Error) << name;
}

TEST(Tiny, HasTheGradientOfFiniteDifferences) {
  Options options{{"width", "3"}};
  Classifier classifier(make_backbone("tiny", {2, 8, 8}, options, make_generator(1)), 3, {},
                        make_generator(2));
  classifier.to(torch::kDouble);
  auto images = torch::empty({4, 2, 8, 8}, torch::kDouble).normal_(0, 1, make_generator(3));
  images.set_requires_grad(true);
  const auto loss = [&] { return classifier.forward(images).logits.square().sum(); };
  loss().backward();
  auto inputs = classifier.parameters();
  inputs.push_back(images);
  for (auto& input : inputs) {
    const auto direction = torch::empty_like(input).normal_(0, 1, make_generator(4));
    const auto slope = (input.grad() * direction).sum().item<double>();
    const torch::NoGradGuard no_grad;
    const double step = 1e-6;
    input.add_(direction, step);
    const auto above = loss().item<double>();
    input.sub_(direction, 2 * step);
    const auto below = loss().item<double>();
    input.add_(direction, step);
    EXPECT_NEAR((above - below) / (2 * step), slope, 1e-5 * (1 + std::abs(slope)));
  }
}

TEST(AverageOverPlaces, KeepsFloatPrecisionForBfloat16) {
  auto maps = torch::full({1, 1, 16, 16}, 1.0, torch::kBFloat16);
  maps.index_put_({0, 0, 0, 0}, 2.0);
  const auto mean = average_over_places(maps);
  EXPECT_EQ(mean.scalar_type(), torch::kFloat);
  EXPECT_FLOAT_EQ(mean.item<float>(), 1 + 1.0F / 256);
}

}  // namespace
}  // namespace penumbra
