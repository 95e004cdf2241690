#include "penumbra/model/primitive_bound.h"

#include <algorithm>
#include <dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

using dnnl::memory;

// oneDNN keeps channels in groups of one vector register: 16 floats with AVX-512, 8 before.
memory::format_tag blocked() {
  return dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core ? memory::format_tag::nChw16c
                                                                     : memory::format_tag::nChw8c;
}

}  // namespace

class PrimitiveNetwork::Layers {
 public:
  Layers(int64_t batch, Precision precision, Layout layout)
      : batch_(batch),
        type_(precision == Precision::kBf16 ? memory::data_type::bf16 : memory::data_type::f32),
        layout_(layout) {}

  void build(int64_t depth, int64_t width, int64_t image_size) {
    auto maps = convolution(images(image_size), 16, 3, 1);
    for (int64_t group = 0; group < 3; ++group)
      for (int64_t i = 0; i < (depth - 4) / 6; ++i)
        maps = block(maps, (16 * width) << group, i == 0 && group > 0 ? 2 : 1, group == 0);
    activate(maps);
    std::reverse(backward_.begin(), backward_.end());
  }

  void run() {
    for (const auto* calls : {&forward_, &backward_})
      for (const auto& call : *calls) call.primitive.execute(stream_, call.arguments);
    stream_.wait();
  }

 private:
  // Activations of one layer and their gradient, both [batch, channels, size, size].
  struct Maps {
    memory value, gradient;
    int64_t channels = 0, size = 0;
  };

  struct Call {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  memory::desc description(int64_t channels, int64_t size) const {
    const bool colours = channels % 8 != 0;  // the images themselves
    const auto tag = layout_ == Layout::kChannelsLast ? memory::format_tag::nhwc
                     : colours                        ? memory::format_tag::nchw
                                                      : blocked();
    return {{batch_, channels, size, size}, type_, tag};
  }

  // Zeros take as long as other numbers, and cannot overflow.
  memory zeros(const memory::desc& description) const {
    memory made(description, engine_);
    std::fill_n(static_cast<char*>(made.get_data_handle()), description.get_size(), char{0});
    return made;
  }

  Maps maps(int64_t channels, int64_t size) const {
    const auto of = description(channels, size);
    return {zeros(of), zeros(of), channels, size};
  }

  Maps images(int64_t size) const { return maps(3, size); }

  // Backward calls are gathered in the order of the forward pass and reversed at the end.
  Maps convolution(const Maps& in, int64_t channels, int64_t kernel, int64_t stride) {
    const auto out = maps(channels, (in.size - 1) / stride + 1);
    const memory::dims strides{stride, stride}, padding{kernel / 2, kernel / 2};
    const auto source = in.value.get_desc(), target = out.value.get_desc();
    const memory::dims shape{channels, in.channels, kernel, kernel};
    const memory::desc any(shape, type_, memory::format_tag::any);
    const memory::desc any_gradient(shape, memory::data_type::f32, memory::format_tag::any);
    const auto described = [&](dnnl::algorithm algorithm) {
      return dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, algorithm, source,
                                             any, target, strides, padding, padding);
    };
    // Where oneDNN has it: 3 x 3 with stride 1, AVX-512, float32 in blocks.
    const bool winograd = static_cast<bool>(dnnl::convolution_forward::primitive_desc(
        described(dnnl::algorithm::convolution_winograd), engine_, /*allow_empty=*/true));
    const auto algorithm =
        winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct;

    const dnnl::convolution_forward::primitive_desc forward(described(algorithm), engine_);
    forward_.push_back({dnnl::convolution_forward(forward),
                        {{DNNL_ARG_SRC, in.value},
                         {DNNL_ARG_WEIGHTS, zeros(forward.weights_desc())},
                         {DNNL_ARG_DST, out.value}}});
    const dnnl::convolution_backward_weights::primitive_desc weights(
        {algorithm, source, any_gradient, target, strides, padding, padding}, engine_, forward);
    backward_.push_back({dnnl::convolution_backward_weights(weights),
                         {{DNNL_ARG_SRC, in.value},
                          {DNNL_ARG_DIFF_DST, out.gradient},
                          {DNNL_ARG_DIFF_WEIGHTS, zeros(weights.diff_weights_desc())}}});
    if (in.channels == 3) return out;  // nobody asks for the gradient of the images
    const dnnl::convolution_backward_data::primitive_desc data(
        {algorithm, source, any, target, strides, padding, padding}, engine_, forward);
    backward_.push_back({dnnl::convolution_backward_data(data),
                         {{DNNL_ARG_DIFF_DST, out.gradient},
                          {DNNL_ARG_WEIGHTS, zeros(data.weights_desc())},
                          {DNNL_ARG_DIFF_SRC, in.gradient}}});
    return out;
  }

  // Batch norm with a fused ReLU (LeakyReLU cannot be fused).
  Maps activate(const Maps& in) {
    const auto out = maps(in.channels, in.size);
    const auto of = in.value.get_desc();
    const auto flags =
        dnnl::normalization_flags::use_scale_shift | dnnl::normalization_flags::fuse_norm_relu;
    constexpr float kEpsilon = 1e-5F;
    const dnnl::batch_normalization_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, of, kEpsilon, flags}, engine_);
    const auto mean = zeros(forward.mean_desc()), variance = zeros(forward.variance_desc()),
               scale_shift = zeros(forward.weights_desc()),
               workspace = zeros(forward.workspace_desc());
    forward_.push_back({dnnl::batch_normalization_forward(forward),
                        {{DNNL_ARG_SRC, in.value},
                         {DNNL_ARG_DST, out.value},
                         {DNNL_ARG_MEAN, mean},
                         {DNNL_ARG_VARIANCE, variance},
                         {DNNL_ARG_SCALE_SHIFT, scale_shift},
                         {DNNL_ARG_WORKSPACE, workspace}}});
    const dnnl::batch_normalization_backward::primitive_desc backward(
        {dnnl::prop_kind::backward, of, of, kEpsilon, flags}, engine_, forward);
    backward_.push_back({dnnl::batch_normalization_backward(backward),
                         {{DNNL_ARG_SRC, in.value},
                          {DNNL_ARG_MEAN, mean},
                          {DNNL_ARG_VARIANCE, variance},
                          {DNNL_ARG_DIFF_DST, out.gradient},
                          {DNNL_ARG_SCALE_SHIFT, scale_shift},
                          {DNNL_ARG_WORKSPACE, workspace},
                          {DNNL_ARG_DIFF_SRC, in.gradient},
                          {DNNL_ARG_DIFF_SCALE_SHIFT, zeros(forward.weights_desc())}}});
    return out;
  }

  Call addition(const memory& from, const memory& to) const {
    const auto of = to.get_desc();
    const dnnl::binary::primitive_desc add({dnnl::algorithm::binary_add, of, of, of}, engine_);
    return {dnnl::binary(add), {{DNNL_ARG_SRC_0, to}, {DNNL_ARG_SRC_1, from}, {DNNL_ARG_DST, to}}};
  }

  // out = conv2(act(conv1(act(in)))) + in, or + a 1x1 convolution of it where channels change.
  Maps block(const Maps& in, int64_t channels, int64_t stride, bool activate_before_residual) {
    // The gradient along the residual: the batch norm's own would overwrite it.
    const auto residual_gradient = zeros(in.gradient.get_desc());
    backward_.push_back(addition(residual_gradient, in.gradient));
    const auto active = activate(in);
    auto residual = in;
    if (in.channels != channels)
      residual = convolution(activate_before_residual ? active : in, channels, 1, stride);
    const auto out =
        convolution(activate(convolution(active, channels, 3, stride)), channels, 3, 1);
    forward_.push_back(addition(residual.value, out.value));
    return out;
  }

  int64_t batch_;
  memory::data_type type_;
  Layout layout_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<Call> forward_, backward_;
};

PrimitiveNetwork::PrimitiveNetwork(int64_t depth, int64_t width, int64_t image_size, int64_t batch,
                                   Precision precision, Layout layout)
    : layers_(std::make_unique<Layers>(batch, precision, layout)) {
  try {
    layers_->build(depth, width, image_size);
  } catch (const dnnl::error& error) {
    fail("oneDNN cannot build wrn_", depth, "_", width, " for images of ", image_size, " x ",
         image_size, ": ", error.message);
  }
}

PrimitiveNetwork::~PrimitiveNetwork() = default;

void PrimitiveNetwork::train() { layers_->run(); }

}  // namespace penumbra
