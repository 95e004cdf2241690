#pragma once
#include <cstdint>
#include <vector>

#include "penumbra/augment/normalisation.h"
#include "penumbra/data/images.h"

namespace penumbra {

// Over all pixels of the given pictures: exact sums of levels and of their squares, so that
// neither order nor threads matter. A channel without variation gets std 1.
Normalisation channel_statistics(const Images& images, const std::vector<int64_t>& indices,
                                 int threads);

}  // namespace penumbra
