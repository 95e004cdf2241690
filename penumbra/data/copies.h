#pragma once
#include <vector>

#include "penumbra/data/images.h"

namespace penumbra {

// A picture that is, pixel for pixel, another one: positions of both.
struct Copy {
  int64_t picture, original;
};

// Those of `pictures` that are among `originals`; none where the two have other sizes.
std::vector<Copy> find_copies(const Images& pictures, const std::vector<int64_t>& positions,
                              const Images& originals,
                              const std::vector<int64_t>& original_positions);
std::vector<Copy> find_copies(const Images& pictures, const Images& originals);

// Those that came before in the same set, each with the first of its kind.
std::vector<Copy> find_copies(const Images& images);

}  // namespace penumbra
