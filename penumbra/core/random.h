#pragma once
#include <Random123/philox.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace penumbra {

// Who is drawing: different streams never share numbers, even for the same image.
enum class Stream : uint16_t {
  kSplit,
  kLabelledViews,
  kUnlabelledViews,
  kShuffle,
  kModel,
  kMethod,
  kData,
  kEvaluation
};

// Names one sequence of random numbers. The same key gives the same numbers
// whatever the thread, the order of calls or the machine.
struct RandomKey {
  uint64_t seed = 0;
  Stream stream = Stream::kData;
  uint32_t epoch = 0;
  uint32_t image = 0;
  uint16_t view = 0;
};

// Counter-based generator (Philox4x32-10): the key is the seed, the counter is
// (block of four draws, epoch, image, stream and view), so there is no state to hand on.
class Random {
 public:
  explicit Random(const RandomKey& key)
      : key_{{static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)}},
        counter_{{0, key.epoch, key.image,
                  static_cast<uint32_t>(key.stream) << 16 | static_cast<uint32_t>(key.view)}} {}

  uint32_t bits() {
    if (used_ == 4) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }

  // Uniform in [0, 1), all 24 bits of a float's precision.
  float uniform() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }
  float uniform(float min, float max) { return min + (max - min) * uniform(); }

  // Uniform in 0 .. n-1 for n >= 1, without bias (Lemire's multiplication with rejection).
  uint32_t below(uint32_t n) {
    uint64_t product = static_cast<uint64_t>(bits()) * n;
    if (static_cast<uint32_t>(product) < n) {
      const uint32_t threshold = -n % n;
      while (static_cast<uint32_t>(product) < threshold)
        product = static_cast<uint64_t>(bits()) * n;
    }
    return static_cast<uint32_t>(product >> 32);
  }

  bool chance(float probability) { return uniform() < probability; }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_, block_{};
  unsigned used_ = 4;
};

// Shuffles in place (Fisher-Yates; std::shuffle's result depends on the standard library).
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (auto i = static_cast<uint32_t>(items.size()); i > 1; --i)
    std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace penumbra
