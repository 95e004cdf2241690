// Noise: pictures of nothing, in fine grains and in coarse ones. A stranger to any model.

#include "penumbra/core/random.h"
#include "penumbra/data/dataset.h"

namespace penumbra {
namespace {

class Noise final : public Dataset {
 public:
  explicit Noise(Options& options) {
    options.read("count", count_, {1, 1e6}, "pictures");
    options.read("size", size_, {1, 1024}, "height and width");
    options.read("channels", channels_, {1, 4}, "of a picture");
  }

  std::vector<std::string> classes(Reading&) const override { return {"fine", "coarse"}; }
  Images train(Reading&) const override { return draw(0); }
  Images test(Reading&) const override { return draw(1); }

 private:
  Images draw(uint16_t part) const {
    Images images;
    images.pixels = empty_pixels(count_, size_, size_, channels_);
    images.labels = torch::arange(count_, torch::kLong).remainder(2);
    auto* pixel = images.pixels.data_ptr<uint8_t>();
    for (int64_t i = 0; i < count_; ++i) {
      Random random({0, Stream::kData, 0, static_cast<uint32_t>(i), part});
      const int64_t grain = i % 2 == 0 ? 1 : std::max<int64_t>(2, size_ / 8),
                    across = size_ / grain + 1;
      std::vector<uint8_t> values(static_cast<std::size_t>(across * across * channels_));
      for (auto& value : values) value = static_cast<uint8_t>(random.bits() >> 24);
      for (int64_t y = 0; y < size_; ++y)
        for (int64_t x = 0; x < size_; ++x)
          for (int64_t c = 0; c < channels_; ++c)
            *pixel++ =
                values[static_cast<std::size_t>((y / grain * across + x / grain) * channels_ + c)];
    }
    return images;
  }

  int64_t count_ = 1000, size_ = 32, channels_ = 3;
};

}  // namespace

extern const DatasetPlugin dataset_noise =
    plugin<Dataset, Noise>("random values, a stranger to any model");

}  // namespace penumbra
