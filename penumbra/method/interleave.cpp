#include "penumbra/method/interleave.h"

#include <algorithm>
#include <numeric>

namespace penumbra {
namespace {

// Row r goes to piece r mod pieces, and a view further on where it would meet the same images of an
// earlier view: that of row r = labelled + s view + i is (labelled + s view) mod pieces from where
// i begins, which comes again after pieces / gcd(view, pieces) views.
torch::Tensor pieces_of(int64_t n, int64_t labelled, int64_t view, int64_t pieces) {
  const auto common = std::gcd(view, pieces);
  auto piece_of = torch::empty({n}, torch::kLong);
  auto* piece = piece_of.data_ptr<int64_t>();
  for (int64_t r = 0; r < n; ++r) {
    const auto further = r < labelled ? 0 : (r - labelled) / view * common / pieces;
    piece[r] = (r + further) % pieces;
  }
  return piece_of;
}

}  // namespace

Output interleaved(const Forward& network, const torch::Tensor& images, int64_t labelled,
                   int64_t view) {
  const auto n = images.size(0), views = (n - labelled) / view;
  const auto pieces = std::max((n + labelled - 1) / labelled, views);
  const auto piece_of = pieces_of(n, labelled, view, pieces);
  const auto sizes = torch::bincount(piece_of, {}, pieces);
  const auto order = std::get<1>(piece_of.sort(c10::optional<bool>(/*stable=*/true), /*dim=*/0));
  const auto back = order.argsort().to(images.device());
  const auto mixed = images.index_select(0, order.to(images.device()));
  std::vector<torch::Tensor> logits, features;
  for (const auto& piece :
       mixed.split_with_sizes({sizes.data_ptr<int64_t>(), static_cast<std::size_t>(pieces)})) {
    if (piece.size(0) == 0) continue;
    const auto said = network(piece);
    logits.push_back(said.logits);
    features.push_back(said.features);
  }
  return {torch::cat(logits).index_select(0, back), torch::cat(features).index_select(0, back), {}};
}

}  // namespace penumbra
