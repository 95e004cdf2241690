#include "penumbra/data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "penumbra/core/error.h"
#include "penumbra/core/random.h"
#include "penumbra/data/images.h"

namespace penumbra {
namespace {

using Positions = std::vector<int64_t>;

constexpr const char* kAfterValidation =
    " to train with, once validation has taken its share (run.validation)";

// The labelled images of each class, in the seed's random order.
std::vector<Positions> shuffled_by_class(const torch::Tensor& labels, std::size_t classes,
                                         uint64_t seed) {
  std::vector<Positions> pools(classes);
  const auto* label = labels.data_ptr<int64_t>();
  for (int64_t i = 0; i < labels.size(0); ++i)
    if (label[i] != kUnlabelled) pools.at(static_cast<std::size_t>(label[i])).push_back(i);
  for (std::size_t c = 0; c < classes; ++c) {
    Random random({seed, Stream::kSplit, /*epoch=*/0, static_cast<uint32_t>(c), 0});
    shuffle(pools[c], random);
  }
  return pools;
}

// `total` shared out equally; what does not divide goes to classes drawn by the seed.
Positions equal_shares(int64_t total, std::size_t classes, uint64_t seed) {
  const auto n = static_cast<int64_t>(classes);
  Positions shares(classes, total / n);
  std::vector<std::size_t> order(classes);
  for (std::size_t c = 0; c < classes; ++c) order[c] = c;
  Random random({seed, Stream::kSplit, /*epoch=*/1, 0, 0});
  shuffle(order, random);
  for (int64_t i = 0; i < total % n; ++i) ++shares[order[static_cast<std::size_t>(i)]];
  return shares;
}

Positions stratified_fifth(const std::vector<Positions>& pools) {
  Positions shares;
  for (const auto& pool : pools)
    shares.push_back(std::llround(static_cast<double>(pool.size()) / 5));
  return shares;
}

// Moves the last shares[c] of each pool to the result, which is ascending.
Positions take(std::vector<Positions>& pools, const Positions& shares,
               const std::vector<std::string>& classes, const std::string& purpose) {
  std::string lacking;
  for (std::size_t c = 0; c < pools.size(); ++c)
    if (static_cast<int64_t>(pools[c].size()) < shares[c])
      lacking += fmt::format("{} '{}' has {} of {}", lacking.empty() ? "" : ",", classes[c],
                             pools[c].size(), shares[c]);
  if (!lacking.empty()) fail("classes with too few labelled images for ", purpose, ":", lacking);
  Positions taken;
  for (std::size_t c = 0; c < pools.size(); ++c) {
    const auto from = pools[c].end() - shares[c];
    taken.insert(taken.end(), from, pools[c].end());
    pools[c].erase(from, pools[c].end());
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

Positions take_all(std::vector<Positions>& pools) {
  Positions taken;
  for (auto& pool : pools) {
    taken.insert(taken.end(), pool.begin(), pool.end());
    pool.clear();
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

// Every position that none of the parts holds.
Positions remaining(int64_t n, std::initializer_list<const Positions*> parts) {
  std::vector<char> used(static_cast<std::size_t>(n), 0);
  for (const auto* part : parts)
    for (const auto i : *part) used[static_cast<std::size_t>(i)] = 1;
  Positions rest;
  for (int64_t i = 0; i < n; ++i)
    if (used[static_cast<std::size_t>(i)] == 0) rest.push_back(i);
  return rest;
}

void reject_empty(const std::vector<Positions>& pools, const std::vector<std::string>& classes,
                  const std::string& when) {
  std::string empty;
  for (std::size_t c = 0; c < pools.size(); ++c)
    if (pools[c].empty()) empty += fmt::format(" '{}'", classes[c]);
  if (!empty.empty()) fail("classes without a labelled image", when, ":", empty);
}

void check_request(const std::vector<Positions>& pools, const std::vector<std::string>& classes,
                   const SplitRequest& request) {
  if (classes.size() < 2)
    fail("there ", classes.size() == 1 ? "is one class" : "are no classes",
         ": expected two or more to tell apart");
  reject_empty(pools, classes, "");
  if (request.labels != 0 && request.labels < static_cast<int64_t>(classes.size()))
    fail("labels is ", request.labels, ": expected at least one for each of ", classes.size(),
         " classes");
}

}  // namespace

Split make_split(const torch::Tensor& labels, const std::vector<std::string>& classes,
                 const SplitRequest& request) {
  const auto n = labels.size(0);
  auto pools = shuffled_by_class(labels, classes.size(), request.seed);
  check_request(pools, classes, request);
  const auto equal = [&](int64_t total) {
    return equal_shares(total, classes.size(), request.seed);
  };

  Split split;
  if (request.own_pictures) {
    if (request.hold_out_test)
      split.test = take(pools, stratified_fifth(pools), classes, "a test set");
    // Labels that may be seen from here on; the others are hidden and become unlabelled.
    if (request.labels != 0) {
      const auto shares = equal(request.labels);
      auto seen = pools;
      take(pools, shares, classes, fmt::format("{} labels in all", request.labels));
      for (std::size_t c = 0; c < pools.size(); ++c)
        pools[c].assign(seen[c].end() - shares[c], seen[c].end());
    }
    auto fifth = stratified_fifth(pools);
    const bool enough = *std::min_element(fifth.begin(), fifth.end()) >= 2;
    if (request.validation > 0)
      split.validation = take(pools, equal(request.validation), classes, "validation");
    else if (request.validation < 0 && enough)
      split.validation = take(pools, fifth, classes, "validation");
    reject_empty(pools, classes, kAfterValidation);
    split.labelled = take_all(pools);
  } else {
    std::size_t known = 0;
    for (const auto& pool : pools) known += pool.size();
    const auto validation = request.validation >= 0
                                ? request.validation
                                : static_cast<int64_t>(std::min<std::size_t>(known / 10, 5000));
    split.validation =
        take(pools, equal(validation), classes, fmt::format("{} validation images", validation));
    reject_empty(pools, classes, kAfterValidation);
    split.labelled = request.labels == 0 ? take_all(pools)
                                         : take(pools, equal(request.labels), classes,
                                                fmt::format("{} labels in all", request.labels));
  }
  split.unlabelled = remaining(n, {&split.labelled, &split.validation, &split.test});
  if (request.labelled_too || split.unlabelled.empty())
    split.unlabelled = remaining(n, {&split.validation, &split.test});
  return split;
}

std::vector<int64_t> unlabelled_alone(const Split& split) {
  std::vector<int64_t> alone;
  std::set_difference(split.unlabelled.begin(), split.unlabelled.end(), split.labelled.begin(),
                      split.labelled.end(), std::back_inserter(alone));
  return alone;
}

std::vector<int64_t> evenly(const std::vector<int64_t>& positions, int64_t most) {
  const auto n = static_cast<int64_t>(positions.size()), kept = std::min(n, most);
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < kept; ++i)
    chosen.push_back(positions[static_cast<std::size_t>(i * n / kept)]);
  return chosen;
}

}  // namespace penumbra
