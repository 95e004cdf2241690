#include "penumbra/data/images.h"

#include <sys/mman.h>

#include <algorithm>

namespace penumbra {

Names::Names(const std::vector<std::string>& names) {
  struct Block {
    std::vector<uint64_t> ends;
    std::string text;
  };
  auto block = std::make_shared<Block>();
  for (const auto& name : names) {
    block->text += name;
    block->ends.push_back(block->text.size());
  }
  ends_ = block->ends.data();
  size_ = block->ends.size();
  text_ = block->text.data();
  owner_ = std::move(block);
}

std::string name_of(const Images& images, int64_t position) {
  return images.files.empty() ? std::to_string(position)
                              : std::string(images.files[static_cast<std::size_t>(position)]);
}

int64_t pictures_at_once(int64_t height, int64_t width, int64_t channels) {
  constexpr int64_t kMostValues = (int64_t{256} << 20) / int64_t{sizeof(float)};
  return std::clamp<int64_t>(kMostValues / height / width / channels, 1, 256);
}

torch::Tensor empty_pixels(int64_t n, int64_t height, int64_t width, int64_t channels) {
  auto pixels = torch::empty({n, height, width, channels}, torch::kByte);
  constexpr uintptr_t kHugePage = 2 << 20;
  const auto begin = reinterpret_cast<uintptr_t>(pixels.data_ptr());
  const auto first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  const auto last = (begin + static_cast<uintptr_t>(pixels.numel())) / kHugePage * kHugePage;
  // Only advice: where it is not taken, nothing is lost.
  if (first < last)
    madvise(pixels.data_ptr<uint8_t>() + (first - begin), last - first, MADV_HUGEPAGE);
  return pixels;
}

}  // namespace penumbra
