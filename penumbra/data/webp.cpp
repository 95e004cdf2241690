// WebP by libwebp; its demuxer finds the EXIF block.

#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <new>

#include "penumbra/core/error.h"
#include "penumbra/data/orientation.h"
#include "penumbra/data/picture_formats.h"

namespace penumbra {
namespace {

int orientation(const uint8_t* bytes, std::size_t size) {
  const WebPData data{bytes, size};
  const std::unique_ptr<WebPDemuxer, void (*)(WebPDemuxer*)> demuxer(WebPDemux(&data),
                                                                     WebPDemuxDelete);
  WebPChunkIterator chunk{};
  if (demuxer == nullptr || WebPDemuxGetChunk(demuxer.get(), "EXIF", 1, &chunk) == 0) return 1;
  const int found = exif_orientation(chunk.chunk.bytes, chunk.chunk.size);
  WebPDemuxReleaseChunkIterator(&chunk);
  return found;
}

}  // namespace

Decoded decode_webp(const uint8_t* bytes, std::size_t size, const DecodeRequest& request) {
  WebPBitstreamFeatures features{};
  if (WebPGetFeatures(bytes, size, &features) != VP8_STATUS_OK)
    fail("the WebP is broken or cut short: its header cannot be read");
  if (features.has_animation != 0)
    fail("an animated WebP, expected a still picture; save one frame of it");
  check_picture_size(features.width, features.height);

  Decoded decoded;
  auto& picture = decoded.picture;
  picture.height = features.height;
  picture.width = features.width;
  picture.channels = features.has_alpha != 0 ? 4 : 3;
  decoded.orientation = orientation(bytes, size);
  if (request.header_only) return decoded;

  // Other than for a PNG there is no bound on the pixels of so many bytes: a lossless file of one
  // colour needs no bits for its pixels at all, so that a hundred bytes may honestly be 16383 x
  // 16383.
  const auto stride = picture.width * picture.channels;
  picture.pixels.resize(static_cast<std::size_t>(picture.height) *
                        static_cast<std::size_t>(stride));
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) fail("libwebp is of another version than its headers");
  config.output.colorspace = picture.channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {picture.pixels.data(), stride, picture.pixels.size()};
  const auto status = WebPDecode(bytes, size, &config);
  if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status != VP8_STATUS_OK) fail("the WebP is broken or cut short: its pixels cannot be read");
  return decoded;
}

}  // namespace penumbra
