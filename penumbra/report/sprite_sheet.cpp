#include "penumbra/report/sprite_sheet.h"

#include <openssl/evp.h>
#include <webp/encode.h>

#include <algorithm>
#include <cmath>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// The page shows no picture larger, and WebP has room for 127 of these side by side.
constexpr int64_t kLargestSide = 128;
// Photographs take a third of a byte each, so that a page of thousands stays below 5 MB.
constexpr double kMostPixels = 8e6;
// Of the sheet's text: noise takes a whole byte each and is shrunk further. What is left of 5 MB is
// for the page and the numbers of five thousand points.
constexpr double kMostText = 3.2e6;
constexpr float kQuality = 85;  // of 100: a tenth of a PNG's size, no difference to the eye

// [H, W, 3] uint8 as a WebP file.
std::string encode_webp(const torch::Tensor& page) {
  uint8_t* bytes = nullptr;
  const auto width = static_cast<int>(page.size(1)), height = static_cast<int>(page.size(0));
  const auto size =
      WebPEncodeRGB(page.data_ptr<uint8_t>(), width, height, 3 * width, kQuality, &bytes);
  if (size == 0) fail("cannot draw a sheet of ", width, " x ", height, " pixels");
  std::string file(reinterpret_cast<const char*>(bytes), size);
  WebPFree(bytes);
  return file;
}

// [H, W, 3] uint8 with no side above the largest, its proportions kept.
torch::Tensor shrunk(const torch::Tensor& picture, int64_t largest) {
  const auto side = std::max(picture.size(0), picture.size(1));
  if (side <= largest) return picture;
  const auto to = [&](int64_t size) { return std::max<int64_t>(1, size * largest / side); };
  const auto planes = picture.permute({2, 0, 1}).unsqueeze(0).to(torch::kFloat);
  return torch::adaptive_avg_pool2d(planes, {to(picture.size(0)), to(picture.size(1))})
      .round()
      .to(torch::kByte)
      .squeeze(0)
      .permute({1, 2, 0});
}

std::string base64(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

int64_t SpriteSheet::add(const torch::Tensor& picture) {
  const auto colour =
      picture.size(2) < 3 ? picture.slice(2, 0, 1).expand({-1, -1, 3}) : picture.slice(2, 0, 3);
  pictures_.push_back(shrunk(colour, kLargestSide));
  return static_cast<int64_t>(pictures_.size()) - 1;
}

Json SpriteSheet::to_json() const {
  const auto count = static_cast<double>(pictures_.size());
  auto json = drawn(static_cast<int64_t>(std::sqrt(kMostPixels / count)));
  const auto text = static_cast<double>(json["sheet"].get<std::string>().size());
  if (text <= kMostText) return json;
  const auto side = std::max(json["width"].get<double>(), json["height"].get<double>());
  return drawn(std::max<int64_t>(1, static_cast<int64_t>(side * std::sqrt(kMostText / text))));
}

Json SpriteSheet::drawn(int64_t side) const {
  const auto count = static_cast<int64_t>(pictures_.size());
  const auto first = shrunk(pictures_.front(), side);
  const auto height = first.size(0), width = first.size(1);
  const auto columns =
      std::max<int64_t>(1, static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(count)))));
  const auto rows = (count + columns - 1) / columns;
  auto page = torch::zeros({rows * height, columns * width, 3}, torch::kByte);
  for (int64_t i = 0; i < count; ++i)
    page.slice(0, i / columns * height, (i / columns + 1) * height)
        .slice(1, i % columns * width, (i % columns + 1) * width)
        .copy_(shrunk(pictures_[static_cast<std::size_t>(i)], side));
  return {{"width", width},
          {"height", height},
          {"columns", columns},
          {"count", count},
          {"sheet", "data:image/webp;base64," + base64(encode_webp(page))}};
}

}  // namespace penumbra
