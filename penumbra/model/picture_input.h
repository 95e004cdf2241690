#pragma once
#include <filesystem>

#include "penumbra/data/images.h"
#include "penumbra/model/model_file.h"

namespace penumbra {

// A picture file in the shape that the model takes, resized as its training pictures were. Writes
// height * width * channels bytes. Throws Error where it cannot be read.
void read_picture(const std::filesystem::path& file, const ModelInfo& model, uint8_t* target);

// Pictures of any one shape in the model's.
Images reshaped(const Images& images, const ModelInfo& model, int threads);

}  // namespace penumbra
