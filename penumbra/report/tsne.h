#pragma once
#include <torch/types.h>

#include <functional>

namespace penumbra {

struct TsneOptions {
  double perplexity = 30;    // neighbours that a point effectively has
  int64_t iterations = 500;  // the first half of them with exaggerated attraction
};

// Points in the plane whose neighbours are those of the rows of `features` [N, d]: [N, 2] float
// (van der Maaten and Hinton 2008, https://jmlr.org/papers/v9/vandermaaten08a.html). Attraction
// over the 3 perplexity nearest rows, repulsion exactly, in N^2 steps without memory of that size;
// N up to some thousands. It starts from the two main directions, so that the same rows give the
// same map. `progress` hears of every iteration.
torch::Tensor tsne(const torch::Tensor& features, const TsneOptions& options,
                   const std::function<void(int64_t done, int64_t all)>& progress = {});

}  // namespace penumbra
