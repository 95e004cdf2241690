#include "penumbra/method/interleave.h"

namespace penumbra {

Output interleaved(const Forward& network, const torch::Tensor& images, int64_t size) {
  const auto n = images.size(0), pieces = (n + size - 1) / size;
  // Row r goes to piece r mod pieces.
  const auto piece_of = torch::arange(n, torch::kLong).remainder(pieces);
  const auto order = std::get<1>(piece_of.sort(c10::optional<bool>(/*stable=*/true), /*dim=*/0));
  const auto back = order.argsort().to(images.device());
  const auto mixed = images.index_select(0, order.to(images.device()));
  std::vector<torch::Tensor> logits, features;
  for (const auto& piece : mixed.tensor_split(pieces)) {
    const auto said = network(piece);
    logits.push_back(said.logits);
    features.push_back(said.features);
  }
  return {torch::cat(logits).index_select(0, back), torch::cat(features).index_select(0, back), {}};
}

}  // namespace penumbra
