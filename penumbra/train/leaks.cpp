#include "penumbra/train/leaks.h"

#include <fmt/format.h>

#include "penumbra/data/copies.h"
#include "penumbra/model/image_inference.h"

namespace penumbra {

namespace {
constexpr int64_t kMostLookedAt = int64_t{1} << 30;  // bytes: a second or two
}

std::vector<std::string> describe_leaks(const Experiment& experiment) {
  std::vector<std::string> lines;
  const auto& train = experiment.training.source.images;
  if (train.pixels.numel() > kMostLookedAt) return lines;
  auto learnt = experiment.split.labelled;
  const auto& unlabelled = experiment.split.unlabelled;
  learnt.insert(learnt.end(), unlabelled.begin(), unlabelled.end());
  const auto look = [&](const Images& given, const std::vector<int64_t>& held_out,
                        const char* part) {
    const bool brought = given.size() > 0;
    const auto& images = brought ? given : train;
    const auto positions = brought ? all_positions(given) : held_out;
    const auto copies = find_copies(images, positions, train, learnt).size();
    if (copies > 0)
      lines.push_back(fmt::format(
          "{} of {} {} pictures are copies of some that are trained on, and look easier than new "
          "ones ('penumbra data inspect' has more)",
          copies, positions.size(), part));
  };
  look(experiment.validation, experiment.split.validation, "validation");
  look(experiment.test, experiment.split.test, "test");
  return lines;
}

}  // namespace penumbra
