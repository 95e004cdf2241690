#pragma once
#include "penumbra/augment/normalisation.h"
#include "penumbra/data/images.h"

namespace penumbra {

// What brings these pictures to mean 0 and deviation 1 in every channel. A channel without
// variation is left at its scale. Throws Error when there are no pictures.
Normalisation normalisation_of(const Images& images, int threads);

}  // namespace penumbra
