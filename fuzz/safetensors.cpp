// Weights, of ours or of strangers.

#include "penumbra/model/safetensors.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const auto path = fuzz::write("weights.safetensors", bytes, size);
  return fuzz::check([&] {
    const SafetensorsFile file(path);
    for (const auto& entry : file.entries()) file.tensor(entry.name);
  });
}
