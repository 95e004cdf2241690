// A model's file: the weights of safetensors.cpp, and the description that a network is made from.

#include "fuzz/input.h"
#include "penumbra/model/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  const auto path = fuzz::write("model.safetensors", bytes, size);
  return fuzz::check([&] { read_model(path); });
}
