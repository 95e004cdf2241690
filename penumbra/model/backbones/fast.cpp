// Fast: few wide convolutions behind a whitening layer, for a useful model within minutes of CPU.
// After Jordan 2024, "94% on CIFAR-10 in 3.29 seconds", https://arxiv.org/abs/2404.00498, with
// ReLU for GELU, which costs a quarter of a CPU's step, and one convolution less per group.

#include <torch/nn/modules/container/sequential.h>

#include <charconv>

#include "penumbra/model/backbone.h"
#include "penumbra/model/layers.h"

namespace penumbra {
namespace {

namespace nn = torch::nn;

// Batch norm with a bias and no factor: the convolution before it has no use for one.
class ShiftNorm final : public nn::Module {
 public:
  ShiftNorm(int64_t channels, double momentum)
      : bias_(register_parameter("bias", torch::zeros({channels}))),
        mean_(register_buffer("running_mean", torch::zeros({channels}))),
        variance_(register_buffer("running_var", torch::ones({channels}))),
        momentum_(momentum) {}

  Norm norm() const {
    return {/*weight=*/{},    bias_,        mean_, variance_, momentum_,
            /*epsilon=*/1e-5, is_training()};
  }

 private:
  torch::Tensor bias_, mean_, variance_;
  double momentum_;
};

// A convolution whose first filters pass their inputs on, so that depth costs nothing at first.
void start_as_identity(Convolution& convolution) {
  const torch::NoGradGuard no_gradient;
  auto& weight = convolution->weight;  // [out, in, 3, 3]
  const auto passed = std::min(weight.size(0), weight.size(1));
  auto filters = weight.narrow(0, 0, passed).zero_();
  filters.select(3, 1).select(2, 1).diagonal().fill_(1);
}

// relu(norm2(conv2(relu(norm1(pool(conv1(x)))))))
class Group final : public nn::Module {
 public:
  Group(int64_t in, int64_t out, double momentum)
      : conv1_(register_module("conv1", convolution(in, out, 3))),
        norm1_(register_module("norm1", std::make_shared<ShiftNorm>(out, momentum))),
        conv2_(register_module("conv2", convolution(out, out, 3))),
        norm2_(register_module("norm2", std::make_shared<ShiftNorm>(out, momentum))) {}

  torch::Tensor forward(const torch::Tensor& maps) {
    const auto half = conv1_->forward_pooled_activated(maps, norm1_->norm(), /*slope=*/0);
    return conv2_->forward_activated(half, norm2_->norm(), /*slope=*/0);
  }

  void pass_on() {
    start_as_identity(conv1_);
    start_as_identity(conv2_);
  }

 private:
  Convolution conv1_;
  std::shared_ptr<ShiftNorm> norm1_;
  Convolution conv2_;
  std::shared_ptr<ShiftNorm> norm2_;
};

// "fast_32" has 32, 64 and 128 channels; "fast" has 64, 128 and 256.
int64_t parse_width(const BackboneName& name) {
  int64_t width = 64;
  const auto& text = name.parameters;
  if (text.empty()) return width;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, width);
  if (error != std::errc{} || rest != end || width < 1 || width > 1024)
    name.reject("expected fast_WIDTH with a width of 1 to 1024, such as fast_64");
  return width;
}

// Pictures one pixel high or wide are doubled, since the filters see two by two.
torch::Tensor two_by_two(const torch::Tensor& images) {
  const auto rows = images.size(2), columns = images.size(3);
  if (rows > 1 && columns > 1) return images;
  return torch::replication_pad2d(images, {0, columns == 1, 0, rows == 1});
}

class Fast final : public Backbone {
 public:
  Fast(Options& options, const BackboneName& name, const InputShape& input) {
    const auto width = parse_width(name);
    double momentum = 0.1;
    options.read("bn_momentum", momentum, {0, 1}, "step of batch norm's running statistics");
    const auto patch = 4 * input.channels;
    // Not trained. Until it is fitted every filter is one pixel's value, or its negative.
    const auto pixels = torch::eye(patch).reshape({patch, input.channels, 2, 2});
    whitening_ = register_buffer("whitening", torch::cat({pixels, -pixels}));
    int64_t channels = 2 * patch;
    for (int64_t i = 0; i < 3; ++i) {
      const auto out = width << i;
      groups_.push_back(register_module("group" + std::to_string(i + 1),
                                        std::make_shared<Group>(channels, out, momentum)));
      channels = out;
    }
    feature_size_ = channels;
  }

  int64_t feature_size() const override { return feature_size_; }

  torch::Tensor forward(const torch::Tensor& images) override {
    auto maps = torch::conv2d(two_by_two(images), whitening_).relu_();
    for (auto& group : groups_) maps = group->forward(maps);
    const auto strongest = maps.amax({2, 3});  // [N, features]
    // The maximum of many maps is large; a ninth of it lets the classifier start undecided.
    return (strongest.scalar_type() == torch::kBFloat16 ? strongest.to(torch::kFloat) : strongest) /
           9;
  }

  // Patches p of two by two pixels: filters e / sqrt(l + eps) for eigenpairs of E[p p^T], and
  // their negatives, so that relu loses nothing.
  void fit(const torch::Tensor& images) override {
    const torch::NoGradGuard no_gradient;
    const auto patch = whitening_.size(1) * 4;
    auto moment = torch::zeros({patch, patch}, torch::kDouble);
    double count = 0;
    for (const auto& part : images.split(256)) {
      const auto patches =
          torch::im2col(two_by_two(part).contiguous(), {2, 2}, {1, 1}, {0, 0}, {1, 1})
              .transpose(0, 1)
              .reshape({patch, -1})
              .to(torch::kDouble);
      moment += patches.matmul(patches.t());
      count += static_cast<double>(patches.size(1));
    }
    moment /= std::max(1.0, count);
    const auto [values, vectors] = torch::linalg_eigh(moment);
    const auto filters = (vectors / (values.clamp_min(0) + 5e-4).sqrt())
                             .t()
                             .reshape({patch, whitening_.size(1), 2, 2});
    whitening_.copy_(torch::cat({filters, -filters}));
  }

  void reset(torch::Generator generator) override {
    Backbone::reset(std::move(generator));
    for (auto& group : groups_) group->pass_on();
  }

 private:
  torch::Tensor whitening_;  // [8 C, C, 2, 2]
  std::vector<std::shared_ptr<Group>> groups_;
  int64_t feature_size_ = 0;
};

}  // namespace

extern const BackbonePlugin backbone_fast = backbone_plugin<Fast>(
    "few wide convolutions behind a whitening layer, for CPUs; fast_32 is half as wide as fast");

}  // namespace penumbra
