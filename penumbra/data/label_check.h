#pragma once
#include <torch/types.h>

#include <filesystem>

#include "penumbra/data/reading.h"

namespace penumbra {

// Reports labels [N] int64 of `file` outside first .. last and makes them kUnlabelled.
// Ten are listed one by one, the rest are counted.
void check_labels(const torch::Tensor& labels, int64_t first, int64_t last,
                  const std::filesystem::path& file, Reading& reading);

}  // namespace penumbra
