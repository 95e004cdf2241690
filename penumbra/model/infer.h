#pragma once
#include "penumbra/model/classifier.h"

namespace penumbra {

// What the classifier says of all images [N, C, H, W], computed in batches: evaluation mode,
// no gradient, results on the CPU. The mode that the classifier was in comes back. Where it
// mirrors() logits are the logarithm of the mean probabilities of an image and its mirror image,
// and everything else is of the image itself.
Output infer(Classifier& classifier, const torch::Tensor& images, int64_t batch_size = 256);

}  // namespace penumbra
