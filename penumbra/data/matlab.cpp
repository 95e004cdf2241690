#include "penumbra/data/matlab.h"

#include <fmt/ranges.h>

#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/label_check.h"
#include "penumbra/data/matlab_file.h"

namespace fs = std::filesystem;

namespace penumbra {

Images read_matlab_images(const fs::path& path, int64_t first_label, int64_t last_label,
                          Reading& reading) {
  const auto mapped = reading.open(path);  // says why when it cannot be opened
  if (!mapped) return {};
  const auto broken = [&](const std::string& where, const std::string& what) {
    reading.broken({path.string(), where, what});
    return Images();
  };
  std::map<std::string, MatlabArray> arrays;
  try {
    arrays = read_matlab_arrays(mapped->text(), {"X", "y"});
  } catch (const Error& error) {
    return broken("", error.what());
  }
  for (const char* name : {"X", "y"})
    if (arrays.count(name) == 0)
      return broken(fmt::format("variable {}", name),
                    "not there: expected X (pictures) and y (labels); get the file again");

  const auto& x = arrays["X"];
  auto sizes = x.sizes;
  if (sizes.size() == 3) sizes.push_back(1);  // MATLAB drops a last dimension of one
  if (x.values.scalar_type() != torch::kByte || sizes.size() != 4 || sizes[2] > 4)
    return broken("variable X",
                  fmt::format("is {}, expected uint8 of height x width x channels x pictures",
                              fmt::join(x.sizes, " x ")));
  const auto& y = arrays["y"];
  const auto vector = y.sizes.size() == 2 && (y.sizes[0] == 1 || y.sizes[1] == 1);
  if (!vector || y.values.size(0) != sizes[3] || !y.values.equal(y.values.trunc()))
    return broken("variable y",
                  fmt::format("is {}, expected {} whole numbers, one for each picture",
                              fmt::join(y.sizes, " x "), sizes[3]));

  // MATLAB's first index runs fastest: X[h + H (w + W (c + C n))] becomes pixels[n, h, w, c].
  const auto height = sizes[0], width = sizes[1], channels = sizes[2];
  const auto each = height * width * channels;
  Images images;
  images.pixels = empty_pixels(sizes[3], height, width, channels);
  images.labels = y.values.to(torch::kLong);
  const auto* from = x.values.data_ptr<uint8_t>();
  auto* to = images.pixels.data_ptr<uint8_t>();
  parallel_for(static_cast<std::size_t>(sizes[3]), reading.threads, [&](std::size_t picture) {
    const auto n = static_cast<int64_t>(picture);
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t w = 0; w < width; ++w)
        for (int64_t h = 0; h < height; ++h)
          to[n * each + (h * width + w) * channels + c] =
              from[n * each + (c * width + w) * height + h];
  });
  check_labels(images.labels, first_label, last_label, path, reading);
  return images;
}

}  // namespace penumbra
