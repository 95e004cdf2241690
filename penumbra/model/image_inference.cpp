#include "penumbra/model/image_inference.h"

#include <numeric>

#include "penumbra/augment/statistics.h"
#include "penumbra/model/infer.h"

namespace penumbra {
namespace {

Output join(const std::vector<Output>& parts) {
  const auto all = [&](auto get) {
    std::vector<torch::Tensor> pieces;
    pieces.reserve(parts.size());
    for (const auto& part : parts) pieces.push_back(get(part));
    return torch::cat(pieces);
  };
  Output output;
  output.logits = all([](const Output& part) { return part.logits; });
  output.features = all([](const Output& part) { return part.features; });
  for (const auto& head : parts.front().heads)
    output.heads[head.first] = all([&](const Output& part) { return part.heads.at(head.first); });
  return output;
}

}  // namespace

Output infer(Classifier& classifier, const Images& images, const std::vector<int64_t>& positions,
             const Normalisation& normalisation, int64_t batch_size) {
  const auto n = static_cast<int64_t>(positions.size());
  std::vector<Output> parts;
  for (int64_t begin = 0; begin < std::max<int64_t>(1, n); begin += batch_size) {
    const auto first = positions.begin() + begin;
    const std::vector<int64_t> some(first, first + std::min(batch_size, n - begin));
    parts.push_back(infer(classifier, normalised(images, some, normalisation), batch_size));
  }
  return join(parts);
}

std::vector<int64_t> all_positions(const Images& images) {
  std::vector<int64_t> positions(static_cast<std::size_t>(images.size()));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

}  // namespace penumbra
