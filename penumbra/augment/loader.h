#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "penumbra/augment/batch.h"
#include "penumbra/augment/normalisation.h"
#include "penumbra/augment/policy.h"
#include "penumbra/data/images.h"

namespace penumbra {

struct LoaderOptions {
  int64_t batch_size = 64;  // labelled images per step (B)
  uint64_t seed = 0;
  int threads = 1;                              // that make batches in the background
  torch::ScalarType precision = torch::kFloat;  // or kBFloat16
  int64_t ahead = 2;                            // batches kept ready
  int64_t first_step = 0;                       // where a resumed run goes on
};

// What batches are made from.
struct Source {
  Images images;                              // the training set
  std::vector<int64_t> labelled, unlabelled;  // positions in it
  Views views;
  Policies policies;
  Normalisation normalisation;
};

// Makes the batches of a training run, one for each step, ahead of time and in the background. A
// batch depends on the seed and its step (and on what a learning policy learnt up to delay()
// steps before), not on threads, look-ahead or where the run started.
class Loader {
 public:
  Loader(Source source, const LoaderOptions& options);
  ~Loader();  // at any moment: what is under way is finished or dropped

  // The next step's batch; an exception of a background thread is thrown here. Memory of batches
  // that nobody holds any more is used again.
  Batch next();

  // Seconds that next() has spent waiting, since the beginning.
  double waited() const;

 private:
  class Workers;
  std::unique_ptr<Workers> workers_;
};

}  // namespace penumbra
