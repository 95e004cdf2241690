// Written here rather than taken from libtorch (interpolate with antialias) because pictures
// are decoded by our own threads: each libtorch call in them would start a team of OpenMP
// threads of its own.

#include "penumbra/data/resize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// For each new position: the old ones that it is a weighted mean of.
struct Filter {
  std::vector<int> first, count;
  std::vector<float> weights;  // [new positions, most]
  std::size_t most = 0;

  const float* of(int i) const { return weights.data() + static_cast<std::size_t>(i) * most; }
};

// New pixel i covers old pixels begin + [i, i+1) * scale. Its weights are
//   w(j) ~ max(0, 1 - |j + 1/2 - centre| / support),  support = max(1, scale),
// over the old positions j that exist, scaled to add up to one.
Filter triangle(int old_size, double begin, double scale, int new_size) {
  const double support = std::max(1.0, scale);
  Filter filter;
  filter.most = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  filter.weights.resize(static_cast<std::size_t>(new_size) * filter.most);
  for (int i = 0; i < new_size; ++i) {
    const double centre = begin + (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int last = std::min(old_size, static_cast<int>(centre + support + 0.5));
    auto* weights = filter.weights.data() + static_cast<std::size_t>(i) * filter.most;
    double sum = 0;
    for (int j = first; j < last; ++j)
      sum += std::max(0.0, 1 - std::abs(j + 0.5 - centre) / support);
    for (int j = first; j < last; ++j)
      weights[j - first] =
          static_cast<float>(std::max(0.0, 1 - std::abs(j + 0.5 - centre) / support) / sum);
    filter.first.push_back(first);
    filter.count.push_back(last - first);
  }
  return filter;
}

// The weighted mean of whole rows: contiguous, so that the compiler can use vectors.
void mean_rows(const uint8_t* rows, std::size_t stride, const float* weights, int count,
               std::vector<float>& mean) {
  std::fill(mean.begin(), mean.end(), 0.5f);  // rounds when cut to whole numbers
  for (int j = 0; j < count; ++j, rows += stride) {
    const float weight = weights[j];
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += weight * static_cast<float>(rows[i]);
  }
}

template <int channels>
uint8_t* mean_columns(const float* row, const Filter& filter, int begin, int size, uint8_t* to) {
  for (int x = 0; x < size; ++x) {
    const auto* from = row + (filter.first[static_cast<std::size_t>(x)] - begin) * channels;
    const auto* weights = filter.of(x);
    float sum[channels] = {};
    for (int j = 0; j < filter.count[static_cast<std::size_t>(x)]; ++j, from += channels)
      for (int c = 0; c < channels; ++c) sum[c] += weights[j] * from[c];
    for (int c = 0; c < channels; ++c) *to++ = static_cast<uint8_t>(std::min(255.0f, sum[c]));
  }
  return to;
}

// Indexed by the number of channels, which the compiler must know to unroll over them.
constexpr decltype(&mean_columns<1>) kMeanColumns[] = {nullptr, mean_columns<1>, mean_columns<2>,
                                                       mean_columns<3>, mean_columns<4>};

}  // namespace

void resize(const Picture& picture, int size, Fit fit, uint8_t* target) {
  if (picture.channels < 1 || picture.channels > 4)
    fail("a picture of ", picture.channels, " channels cannot be resized: expected 1 to 4");
  const auto across = kMeanColumns[picture.channels];
  const double shorter = std::min(picture.height, picture.width);
  const double height = fit == Fit::kCrop ? shorter : picture.height;
  const double width = fit == Fit::kCrop ? shorter : picture.width;
  const auto rows = triangle(picture.height, (picture.height - height) / 2, height / size, size);
  const auto columns = triangle(picture.width, (picture.width - width) / 2, width / size, size);

  // Rows first and in floating point: one rounding, at the end, and only the columns in use.
  const auto channels = static_cast<std::size_t>(picture.channels);
  const int begin = columns.first.front();
  const auto used = static_cast<std::size_t>(columns.first.back() + columns.count.back() - begin);
  const auto stride = static_cast<std::size_t>(picture.width) * channels;
  std::vector<float> mean(used * channels);
  for (int y = 0; y < size; ++y) {
    const auto first = static_cast<std::size_t>(rows.first[static_cast<std::size_t>(y)]);
    const auto* from =
        picture.pixels.data() + first * stride + static_cast<std::size_t>(begin) * channels;
    mean_rows(from, stride, rows.of(y), rows.count[static_cast<std::size_t>(y)], mean);
    target = across(mean.data(), columns, begin, size, target);
  }
}

}  // namespace penumbra
