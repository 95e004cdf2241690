#include "penumbra/train/fingerprint.h"

#include <fmt/format.h>

#include "penumbra/core/crc32.h"

namespace penumbra {
namespace {

constexpr const char* kFormula = "2:";  // of the program that made it: another one, another number
constexpr int64_t kMostCompared = int64_t{1} << 30;  // bytes

// Settings that may differ between two parts of a run. A resumed run reads the split that it wrote;
// its parts are compared, as is the data, wherever it lies now. What the speed of the machine
// decided is compared, not the speed. With a budget in minutes the number of steps follows the
// clock.
bool may_differ(const std::string& name, const Experiment& experiment) {
  for (const char* setting : {"run.data", "data.path", "data.labels_file", "run.pool", "pool.path",
                              "pool.labels_file", "run.split", "run.cores"})
    if (name == setting) return true;
  return name == "train.steps" && experiment.run.minutes > 0;
}

}  // namespace

std::string fingerprint_of(const Experiment& experiment) {
  Crc32 sum;
  const auto add = [&sum](const std::string& text) { sum.add(text.data(), text.size() + 1); };
  for (const auto& [section, options] : experiment.effective)
    for (const auto& option : options)
      if (const auto name = section + "." + option.key; !may_differ(name, experiment))
        add(name + "=" + option.value);
  for (const auto& name : experiment.classes) add(name);
  const auto& split = experiment.split;
  for (const auto* part : {&split.labelled, &split.unlabelled, &split.validation, &split.test})
    sum.add(part->data(), part->size() * sizeof(int64_t));
  const auto& images = experiment.training.source.images;
  const auto each = static_cast<std::size_t>(images.height() * images.width() * images.channels());
  for (const auto* part : {&images, &experiment.validation, &experiment.test}) {
    const auto labels = part->labels.contiguous();
    sum.add(labels.data_ptr(), labels.nbytes());
    const auto stride = 1 + part->pixels.numel() / kMostCompared;
    for (int64_t i = 0; i < part->size(); i += stride)
      sum.add(part->pixels[i].data_ptr<uint8_t>(), each);
  }
  return fmt::format("{}{}x{}-{:08x}", kFormula, images.size(), each, sum.value());
}

}  // namespace penumbra
