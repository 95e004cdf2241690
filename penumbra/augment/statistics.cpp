#include "penumbra/augment/statistics.h"

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

}  // namespace penumbra
