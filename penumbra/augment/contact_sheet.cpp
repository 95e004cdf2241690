#include "penumbra/augment/contact_sheet.h"

#include <algorithm>

#include "penumbra/augment/view.h"

namespace penumbra {
namespace {

constexpr int kGap = 4, kGroupGap = 16;  // pixels between cells, and around groups of columns
constexpr int kPaper = 255;

// Copies the picture to (x, y) on the page, each pixel `factor` times across and down.
void paste(Canvas& canvas, torch::Tensor& page, int64_t x, int64_t y, int64_t factor) {
  const auto shape = canvas.shape();
  const auto row = page.size(1) * shape.channels;
  for (int64_t i = 0; i < shape.height * factor; ++i) {
    const uint8_t* in = canvas.front() + i / factor * shape.row();
    uint8_t* out = page.data_ptr<uint8_t>() + (y + i) * row + x * shape.channels;
    for (int64_t k = 0; k < shape.width * factor; ++k)
      out = std::copy_n(in + k / factor * shape.channels, shape.channels, out);
  }
}

}  // namespace

torch::Tensor draw(const ContactSheet& sheet, const Images& images, const Policies& policies) {
  const auto shape = shape_of(images);
  policies.weak->check(shape);
  policies.strong->check(shape);
  if (sheet.pictures.empty() || sheet.weak < 0 || sheet.strong < 0)
    fail("a contact sheet of ", sheet.pictures.size(), " pictures with ", sheet.weak, " weak and ",
         sheet.strong, " strong views: expected at least one picture");
  const int64_t factor = std::max(1, sheet.cell / std::max(shape.height, shape.width));
  const int64_t width = shape.width * factor, height = shape.height * factor;
  const auto column = [&](int64_t i) {
    const int64_t groups = (i > 0) + (i > sheet.weak);
    return kGroupGap + i * (width + kGap) + groups * (kGroupGap - kGap);
  };
  const auto line = [&](int64_t i) { return kGroupGap + i * (height + kGap); };
  const auto rows = static_cast<int64_t>(sheet.pictures.size());
  const auto pixels = images.pixels.contiguous();
  auto page = torch::full({line(rows) - kGap + kGroupGap,
                           column(sheet.weak + sheet.strong) + width + kGroupGap, shape.channels},
                          kPaper, torch::kByte);
  Canvas canvas(shape);
  for (int64_t i = 0; i < rows; ++i) {
    const auto image = sheet.pictures[static_cast<std::size_t>(i)];
    if (image < 0 || image >= images.size())
      fail("picture number ", image, " of ", images.size(), " for the contact sheet");
    const Occurrence occurrence{sheet.seed, Stream::kUnlabelledViews, /*pass=*/0, image};
    for (int k = 0; k <= sheet.weak + sheet.strong; ++k) {
      canvas.load(pixels.data_ptr<uint8_t>() + image * shape.size());
      if (k > sheet.weak)
        draw_strong(canvas, occurrence, static_cast<uint16_t>(k - 1 - sheet.weak), *policies.weak,
                    *policies.strong, /*step=*/0);
      else if (k > 0)
        draw_weak(canvas, occurrence, static_cast<uint16_t>(k - 1), *policies.weak, /*step=*/0);
      paste(canvas, page, column(k), line(i), factor);
    }
  }
  return page;
}

}  // namespace penumbra
