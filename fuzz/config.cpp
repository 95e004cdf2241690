// A configuration in TOML.

#include "penumbra/core/config.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  return fuzz::check([&] {
    Config config;
    config.read_text({reinterpret_cast<const char*>(bytes), size}, "config.toml");
    auto train = config.section("train");
    double lr = 0;
    train.read("lr", lr, {0, 1}, "");
    train.reject_unknown("train");
  });
}
