// A folder's labels.csv.

#include "penumbra/data/labels_file.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const auto path = fuzz::write("labels.csv", bytes, size);
  return fuzz::check([&] {
    Reading reading;
    reading.inspect = true;
    read_labels_file(path, reading);
  });
}
