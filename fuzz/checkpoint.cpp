// The state of a run: the bytes are its facts, with a checksum that is right, since another one
// would be where every reading ends. The file around them is safetensors.cpp's.

#include "penumbra/train/checkpoint.h"
#include "fuzz/input.h"
#include "penumbra/model/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const std::string facts(reinterpret_cast<const char*>(bytes), size);
  static const std::vector<NamedTensor> tensors{{"student/weight", torch::ones({2})}};
  return fuzz::check([&] {
    write_safetensors(fuzz::folder() / "step-000000001.safetensors", tensors,
                      {{"facts", facts}, {"checksum", checksum(tensors, facts)}});
    read_checkpoint(fuzz::folder(), "", [](const std::string&) {});
  });
}
