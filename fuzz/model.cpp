// A model's file: the weights of safetensors.cpp, the description that a network is made from, and
// the judge of what it says.

#include <ATen/Parallel.h>

#include "fuzz/input.h"
#include "penumbra/evaluate/certify.h"
#include "penumbra/model/infer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace penumbra;
  at::set_num_threads(1);  // more would take memory, and nothing here is large
  const auto path = fuzz::write("model.safetensors", bytes, size);
  return fuzz::check([&] {
    const auto model = read_model(path);
    const auto judge = judge_of(model.info);
    const auto& input = model.info.input;
    // Large pictures are honest work, not what is looked for.
    if (input.height * input.width > 32 * 32) return;
    const auto said =
        infer(*model.classifier, torch::zeros({1, input.channels, input.height, input.width}));
    judge_roughly(said);
    if (!judge) return;
    judge->judge(said);
    judge->epistemic_quantile(judge->options().unfamiliar);
    if (judge->has_certificates()) judge->certificate_scores(said);
  });
}
