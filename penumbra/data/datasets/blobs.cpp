// Blobs: a tiny synthetic dataset, for tests and for a first run without downloads.
// Each class is a bright square in its own place plus noise.

#include "penumbra/core/random.h"
#include "penumbra/data/dataset.h"

namespace penumbra {
namespace {

class Blobs final : public Dataset {
 public:
  explicit Blobs(Options& options) {
    options.read("count", count_, {1, 1e7},
                 "images in the training set; a quarter as many to test");
    options.read("size", size_, {4, 512}, "height and width in pixels");
    options.read("channels", channels_, {1, 4}, "colour channels");
    options.read("classes", classes_, {2, 16}, "squares stand on a grid of 4 x 4 places");
    options.read("noise", noise_, {1, 256}, "grey levels of noise; the square adds 100");
  }

  std::vector<std::string> classes(Reading&) const override {
    std::vector<std::string> names;
    for (int64_t i = 0; i < classes_; ++i) names.push_back("square " + std::to_string(i));
    return names;
  }
  Images train(Reading&) const override { return make(count_, /*epoch=*/0); }
  Images test(Reading&) const override { return make(std::max<int64_t>(1, count_ / 4), 1); }
  bool mirrors() const override { return false; }

 private:
  Images make(int64_t n, uint32_t epoch) const {
    Images images;
    images.pixels = torch::empty({n, size_, size_, channels_}, torch::kByte);
    images.labels = torch::arange(n, torch::kLong).remainder(classes_);
    auto* pixel = images.pixels.data_ptr<uint8_t>();
    for (int64_t i = 0; i < n; ++i) {
      Random random({/*seed=*/0, Stream::kData, epoch, static_cast<uint32_t>(i), 0});
      const auto place = i % classes_;
      for (int64_t y = 0; y < size_; ++y)
        for (int64_t x = 0; x < size_; ++x) {
          const bool inside = y * 4 / size_ == place / 4 && x * 4 / size_ == place % 4;
          for (int64_t c = 0; c < channels_; ++c) {
            const auto noise = static_cast<int64_t>(random.below(static_cast<uint32_t>(noise_)));
            *pixel++ = static_cast<uint8_t>(std::min<int64_t>(255, noise + (inside ? 100 : 0)));
          }
        }
    }
    return images;
  }

  int64_t count_ = 1024, size_ = 16, channels_ = 3, classes_ = 4, noise_ = 64;
};

}  // namespace

extern const DatasetPlugin dataset_blobs =
    plugin<Dataset, Blobs>("bright squares in noise, made on the spot, no files");

}  // namespace penumbra
