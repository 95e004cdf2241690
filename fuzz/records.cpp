// CIFAR's records. The first byte chooses how large they are: whole ones take long to come about.

#include "penumbra/data/records.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  if (size == 0) return 0;
  RecordLayout layout;
  layout.label_bytes = 1 + bytes[0] % 2;
  layout.label_at = layout.label_bytes - 1;
  layout.height = layout.width = bytes[0] % 4 == 3 ? 32 : 2;
  layout.channels = bytes[0] % 8 == 7 ? 1 : 3;
  const auto path = fuzz::write("records.bin", bytes + 1, size - 1);
  return fuzz::check([&] {
    for (const bool inspect : {true, false}) {
      Reading reading;
      reading.inspect = inspect;
      read_records({path}, layout, reading);
    }
  });
}
