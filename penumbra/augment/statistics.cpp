#include "penumbra/augment/statistics.h"

#include "penumbra/augment/view.h"
#include "penumbra/core/error.h"
#include "penumbra/data/statistics.h"

namespace penumbra {

Normalisation normalisation_of(const Images& images, int threads) {
  if (images.size() == 0) fail("there are no pictures to take channel statistics of");
  const auto statistics = channel_statistics(images.pixels, threads);
  Normalisation normalisation;
  for (std::size_t c = 0; c < statistics.mean.size(); ++c) {
    normalisation.mean.push_back(static_cast<float>(statistics.mean[c]));
    normalisation.std.push_back(statistics.std[c] > 0 ? static_cast<float>(statistics.std[c]) : 1);
  }
  return normalisation;
}

torch::Tensor normalised(const Images& images, const std::vector<int64_t>& positions,
                         const Normalisation& normalisation) {
  const auto shape = shape_of(images);
  const Normaliser normaliser(normalisation, shape);
  const auto* pixels = images.pixels.data_ptr<uint8_t>();
  const auto n = static_cast<int64_t>(positions.size());
  auto batch = torch::empty({n, shape.channels, shape.height, shape.width},
                            torch::TensorOptions(torch::kFloat), torch::MemoryFormat::ChannelsLast);
  for (int64_t i = 0; i < n; ++i)
    normaliser.write(pixels + positions[static_cast<std::size_t>(i)] * shape.size(),
                     batch.data_ptr<float>() + i * shape.size());
  return batch;
}

}  // namespace penumbra
