#include "penumbra/train/fingerprint.h"

#include <fmt/format.h>

#include "penumbra/core/crc32.h"

namespace penumbra {
namespace {

constexpr int64_t kMostCompared = int64_t{1} << 30;  // bytes

void clear(decltype(Experiment::effective)& sections, std::string_view section,
           std::string_view key) {
  for (auto& [name, options] : sections)
    for (auto& option : options)
      if (name == section && option.key == key) option.value.clear();
}

}  // namespace

std::string fingerprint_of(const Experiment& experiment) {
  auto sections = experiment.effective;
  // A resumed run reads the split that it wrote; its parts are compared below, as is the data,
  // wherever it lies now. With a budget in minutes the number of steps follows the clock.
  clear(sections, "run", "split");
  clear(sections, "data", "path");
  clear(sections, "pool", "path");
  if (experiment.run.minutes > 0) clear(sections, "train", "steps");
  const auto text = to_toml(sections);
  Crc32 sum;
  sum.add(text.data(), text.size());
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
  return fmt::format("{}x{}-{:08x}", images.size(), each, sum.value());
}

}  // namespace penumbra
