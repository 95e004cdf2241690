#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// The label of a picture that nobody labelled.
inline constexpr int64_t kUnlabelled = -1;

// File names, one after the other in one block of text that may be memory-mapped, so that
// a million of them cost no allocation.
class Names {
 public:
  Names() = default;
  // Name i is text[ends[i-1], ends[i]); `owner` keeps both alive.
  Names(std::shared_ptr<const void> owner, const uint64_t* ends, std::size_t size, const char* text)
      : owner_(std::move(owner)), ends_(ends), size_(size), text_(text) {}
  explicit Names(const std::vector<std::string>& names);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view operator[](std::size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {text_ + begin, ends_[i] - begin};
  }

 private:
  std::shared_ptr<const void> owner_;
  const uint64_t* ends_ = nullptr;
  std::size_t size_ = 0;
  const char* text_ = nullptr;
};

// Pictures as they were taken: never float, never augmented.
struct Images {
  torch::Tensor pixels = torch::empty({0, 0, 0, 0}, torch::kByte);  // [N, H, W, C] uint8
  torch::Tensor labels = torch::empty({0}, torch::kLong);           // [N] int64, or kUnlabelled
  Names files;  // N names relative to the folder they came from; none for a benchmark

  int64_t size() const { return pixels.size(0); }
  int64_t height() const { return pixels.size(1); }
  int64_t width() const { return pixels.size(2); }
  int64_t channels() const { return pixels.size(3); }
};

// The file of a picture; pictures of a benchmark are known by their numbers.
std::string name_of(const Images& images, int64_t position);

// How many pictures of this shape to work on at once: as many as take a quarter of a gigabyte as
// the float32 that a network wants, at least one and at most 256.
int64_t pictures_at_once(int64_t height, int64_t width, int64_t channels);

// Room for pictures that are about to be written: [N, H, W, C] uint8. Large sets lie in huge
// pages where the kernel has them, since handing out small ones takes longer than reading does.
torch::Tensor empty_pixels(int64_t n, int64_t height, int64_t width, int64_t channels);

}  // namespace penumbra
