// A run's split.csv; what can be read must come back the same after it is written.

#include "penumbra/data/split_file.h"
#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  if (size == 0) return 0;
  Images train;
  train.pixels = torch::zeros({8, 1, 1, 1}, torch::kByte);
  train.labels = torch::arange(8, torch::kLong) - 1;  // the first one has no label
  if (bytes[0] % 2 == 1)
    train.files = Names({"a.png", "b.png", "c/d.png", "e.png", "f.png", "g.png", "h.png", "i,j"});
  const auto path = fuzz::write("split.csv", bytes + 1, size - 1);
  return fuzz::check([&] {
    const auto split = read_split(path, train);
    write_split(path, split, train);
    const auto again = read_split(path, train);
    if (split.labelled != again.labelled || split.unlabelled != again.unlabelled ||
        split.validation != again.validation || split.test != again.test)
      __builtin_trap();
  });
}
