#pragma once
#include <cstdint>
#include <vector>

#include "penumbra/core/random.h"

namespace penumbra {

// Pictures drawn without replacement in pass after pass, each in an order of its own that
// depends on the seed, the stream and the number of the pass alone. Draw number i is therefore the
// same whichever draws were asked for before: a resumed run asks from where it stopped.
class Passes {
 public:
  Passes(std::vector<int64_t> items, uint64_t seed, Stream stream)
      : items_(std::move(items)), seed_(seed), stream_(stream) {}

  struct Draw {
    int64_t item;
    uint32_t pass;
  };
  // Draws begin .. begin+n-1; they may span passes.
  std::vector<Draw> draw(int64_t begin, int64_t n);

 private:
  std::vector<int64_t> items_;
  uint64_t seed_;
  Stream stream_;
  int64_t pass_ = -1;           // whose order `order_` is
  std::vector<int64_t> order_;  // items_ shuffled
};

}  // namespace penumbra
