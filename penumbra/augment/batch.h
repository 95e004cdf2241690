#pragma once
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <vector>

namespace penumbra {

// What a method wants to see of the unlabelled images in each step.
struct Views {
  int64_t weak = 0, strong = 0;  // of each image
  double ratio = 1;              // unlabelled images per labelled one (mu)
  double labelled_strong = 0;    // share of labelled images that come as strong views, not as weak
};

// What a policy that learns did to one picture: which of its operations, how strongly.
struct ProbeStep {
  int operation = 0;             // its place in the policy's list
  std::array<float, 2> level{};  // 0 to 1, one for each of its parameters
};
using Trace = std::vector<ProbeStep>;

// One step's images: normalised, channels_last, float32 or bfloat16. B labelled and mu B
// unlabelled.
struct Batch {
  int64_t step = 0;
  double progress = 0;           // share of the run that lies behind, 0 to 1
  bool rehearsal = false;        // only timed: a method computes whatever a step may ever need
  uint64_t seed = 0;             // of the run: what a method draws comes from (seed, step)
  torch::Tensor images;          // [B, C, H, W] labelled, weak view
  torch::Tensor labels;          // [B] int64
  torch::Tensor labelled_index;  // [B] int64, positions in the training set
  std::vector<torch::Tensor> weak, strong;  // as many as asked for, each [mu B, C, H, W]
  torch::Tensor index;                      // [mu B] int64, positions in the training set

  // The same memory as one piece, in this order: images, strong[0], ..., weak[0], ...
  // Its first B + strong.size() mu B rows are the labelled and strong views without a copy.
  torch::Tensor all;  // [B + (strong.size() + weak.size()) mu B, C, H, W]

  // For a strong policy that learns: labelled pictures augmented at random, and what was done.
  // The policy wants to hear the model's probabilities for them: Policy::update.
  torch::Tensor probe;        // [B, C, H, W], or undefined
  std::vector<Trace> traces;  // B of them, or none
};

// The same batch with its images and labels on `device`; positions stay on the CPU.
Batch to_device(Batch batch, torch::Device device);

}  // namespace penumbra
