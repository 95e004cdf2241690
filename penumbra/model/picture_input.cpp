#include "penumbra/model/picture_input.h"

#include <algorithm>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/picture.h"
#include "penumbra/data/resize.h"

namespace penumbra {
namespace {

Fit fit_of(const ModelInfo& model) { return model.fit == "stretch" ? Fit::kStretch : Fit::kCrop; }

// Grey as PIL makes it (ITU-R 601), or grey values three times.
Picture with_channels(const uint8_t* pixels, const Images& images, int64_t channels) {
  Picture picture;
  picture.height = static_cast<int>(images.height());
  picture.width = static_cast<int>(images.width());
  picture.channels = static_cast<int>(channels);
  const auto places = images.height() * images.width(), given = images.channels();
  picture.pixels.resize(static_cast<std::size_t>(places * channels));
  for (int64_t i = 0; i < places; ++i) {
    const uint8_t* from = pixels + i * given;
    uint8_t* to = picture.pixels.data() + i * channels;
    if (given == 3 && channels == 1)
      to[0] = static_cast<uint8_t>(luminance(from));
    else
      for (int64_t c = 0; c < channels; ++c) to[c] = from[std::min(c, given - 1)];
  }
  return picture;
}

}  // namespace

void read_picture(const std::filesystem::path& file, const ModelInfo& model, uint8_t* target) {
  const auto& input = model.input;
  // The decoder makes one or three, whatever it is asked for; the rest of `target` would be
  // missing.
  if (input.channels != 1 && input.channels != 3)
    fail("pictures have one or three channels, this model takes ", input.channels,
         ": expected a model that was trained on grey or colour pictures");
  const MappedFile bytes(file);
  DecodeRequest request;
  request.channels = static_cast<int>(input.channels);
  const bool square = input.height == input.width;
  if (square) request.short_side = static_cast<int>(input.height);
  const auto picture = decode_picture(bytes.data(), bytes.size(), request);
  if (picture.height == input.height && picture.width == input.width)
    std::copy(picture.pixels.begin(), picture.pixels.end(), target);
  else if (square)
    resize(picture, static_cast<int>(input.height), fit_of(model), target);
  else
    fail("a picture of ", picture.width, " x ", picture.height, ", expected ", input.width, " x ",
         input.height);
}

Images reshaped(const Images& images, const ModelInfo& model, int threads) {
  const auto& [channels, height, width] = model.input;
  if (images.channels() == channels && images.height() == height && images.width() == width)
    return images;
  if (height != width)
    fail("pictures of ", images.height(), " x ", images.width(), " x ", images.channels(),
         " cannot become ", height, " x ", width, " x ", channels,
         ": expected a model for square pictures");
  Images made;
  made.pixels = empty_pixels(images.size(), height, width, channels);
  made.labels = images.labels;
  const auto from = images.height() * images.width() * images.channels();
  const auto to = height * width * channels;
  parallel_for(static_cast<std::size_t>(images.size()), threads, [&](std::size_t i) {
    const auto row = static_cast<int64_t>(i);
    const auto picture =
        with_channels(images.pixels.data_ptr<uint8_t>() + row * from, images, channels);
    resize(picture, static_cast<int>(height), fit_of(model),
           made.pixels.data_ptr<uint8_t>() + row * to);
  });
  return made;
}

}  // namespace penumbra
