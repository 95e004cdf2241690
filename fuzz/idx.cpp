// MNIST's pair of files, plain or gzipped: two bytes of the first one's size, then both.

#include "penumbra/data/idx.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  if (size < 2) return 0;
  const auto images = std::min<std::size_t>(bytes[0] + 256u * bytes[1], size - 2);
  fuzz::write("train-images-idx3-ubyte", bytes + 2, images);
  fuzz::write("train-labels-idx1-ubyte", bytes + 2 + images, size - 2 - images);
  return fuzz::check([&] {
    Reading reading;
    reading.inspect = true;
    read_idx_pair(fuzz::folder(), "train", 10, reading);
  });
}
