#include "penumbra/augment/passes.h"

namespace penumbra {

std::vector<Passes::Draw> Passes::draw(int64_t begin, int64_t n) {
  const auto size = static_cast<int64_t>(items_.size());
  std::vector<Draw> draws;
  draws.reserve(static_cast<std::size_t>(n));
  for (int64_t i = begin; i < begin + n; ++i) {
    if (i / size != pass_) {
      pass_ = i / size;
      order_ = items_;
      // The place of the image names the stream: each has its own order.
      Random random({seed_, Stream::kShuffle, static_cast<uint32_t>(pass_),
                     static_cast<uint32_t>(stream_), 0});
      shuffle(order_, random);
    }
    draws.push_back({order_[static_cast<std::size_t>(i % size)], static_cast<uint32_t>(pass_)});
  }
  return draws;
}

}  // namespace penumbra
