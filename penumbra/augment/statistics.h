#pragma once
#include "penumbra/augment/normalisation.h"
#include "penumbra/data/images.h"

namespace penumbra {

// What brings these pictures to mean 0 and deviation 1 in every channel. A channel without
// variation is left at its scale. Throws Error when there are no pictures.
Normalisation normalisation_of(const Images& images, int threads);

// The pictures at `positions`, [N, C, H, W], channels last in memory, which is how they lie.
torch::Tensor normalised(const Images& images, const std::vector<int64_t>& positions,
                         const Normalisation& normalisation);

}  // namespace penumbra
