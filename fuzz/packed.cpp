// The cache of decoded pictures.

#include "penumbra/data/packed.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const auto path = fuzz::write("packed", bytes, size);
  return fuzz::check([&] {
    const auto packed = open_packed(path, 1);
    if (!packed) return;
    // What it claims must be there to be read.
    for (const auto& part : packed->parts) {
      if (part.size() > 0) part.pixels.sum().item<int64_t>();
      if (part.size() > 0) part.labels.sum().item<int64_t>();
      for (std::size_t i = 0; i < part.files.size(); ++i) std::string(part.files[i]).size();
    }
  });
}
