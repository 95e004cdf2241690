// SVHN's MATLAB file.

#include "penumbra/data/matlab.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const auto path = fuzz::write("images.mat", bytes, size);
  return fuzz::check([&] {
    Reading reading;
    reading.inspect = true;
    read_matlab_images(path, 1, 10, reading);
  });
}
