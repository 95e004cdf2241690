#pragma once
#include <vector>

#include "penumbra/augment/normalisation.h"
#include "penumbra/data/images.h"
#include "penumbra/model/classifier.h"

namespace penumbra {

// What the classifier says of the pictures at `positions`, in that order: evaluation mode, no
// gradient, batch by batch, so that memory does not grow with their number.
Output infer(Classifier& classifier, const Images& images, const std::vector<int64_t>& positions,
             const Normalisation& normalisation, int64_t batch_size = 256);

// 0, 1, ..., n-1
std::vector<int64_t> all_positions(const Images& images);

}  // namespace penumbra
