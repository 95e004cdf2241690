// A JPEG, PNG or WebP picture with its EXIF rotation. The last byte chooses the request.

#include "penumbra/data/picture.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const unsigned wish = size > 0 ? bytes[size - 1] : 0;
  DecodeRequest request;
  request.channels = wish % 2 == 0 ? 3 : 1;
  request.short_side = wish % 4 < 2 ? 0 : 8;
  // Pictures of many pixels are honest work, not what is looked for.
  return fuzz::check([&] {
    auto header = request;
    header.header_only = true;
    const auto shape = decode_picture(bytes, size, header);
    if (int64_t{shape.height} * shape.width > 1 << 20) return;
    const auto picture = decode_picture(bytes, size, request);
    if (picture.pixels.size() != static_cast<std::size_t>(picture.height) *
                                     static_cast<std::size_t>(picture.width) *
                                     static_cast<std::size_t>(picture.channels))
      __builtin_trap();
  });
}
