#include "penumbra/report/tsne.h"

#include <ATen/Parallel.h>
#include <faiss/IndexFlat.h>

#include <cmath>
#include <vector>

#include "penumbra/core/wide_loops.h"

namespace penumbra {
namespace {

// Which rows attract which, and how much: p_ij of the symmetric form, row after row.
struct Attraction {
  std::vector<std::size_t> begin;  // [N + 1]
  std::vector<int64_t> other;
  std::vector<float> weight;
};

// exp(-b d_j) over its sum, with the b whose entropy is log(perplexity).
std::vector<double> neighbour_shares(const float* squares, int64_t k, double perplexity) {
  const double wanted = std::log(perplexity);
  double b = 1, low = 0, high = std::numeric_limits<double>::infinity();
  std::vector<double> shares(static_cast<std::size_t>(k));
  for (int i = 0; i < 64; ++i) {
    double sum = 0, weighted = 0;
    for (int64_t j = 0; j < k; ++j) {
      const double apart = squares[j] - squares[0];
      const double share = std::exp(-b * apart);
      shares[static_cast<std::size_t>(j)] = share;
      sum += share;
      weighted += share * apart;
    }
    const double entropy = std::log(sum) + b * weighted / sum;
    for (auto& share : shares) share /= sum;
    if (std::abs(entropy - wanted) < 1e-5) break;
    (entropy > wanted ? low : high) = b;
    b = std::isinf(high) ? 2 * b : (low + high) / 2;
  }
  return shares;
}

Attraction attraction_of(const torch::Tensor& features, double perplexity) {
  const auto n = features.size(0);
  const auto k = std::min<int64_t>(n - 1, static_cast<int64_t>(3 * perplexity));
  const auto* rows = features.data_ptr<float>();
  faiss::IndexFlatL2 index(features.size(1));
  index.add(n, rows);
  const auto found = static_cast<std::size_t>(n * (k + 1));
  std::vector<float> squares(found);
  std::vector<faiss::Index::idx_t> nearest(found);
  index.search(n, rows, k + 1, squares.data(), nearest.data());

  std::vector<std::vector<std::pair<int64_t, float>>> edges(static_cast<std::size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    // A row's nearest is itself, unless there are equal ones: leave out one of them.
    std::vector<float> of_row;
    std::vector<int64_t> others;
    bool self = false;
    for (int64_t j = 0; j <= k; ++j) {
      const auto at = static_cast<std::size_t>(i * (k + 1) + j);
      if (!self && (nearest[at] == i || j == k)) {
        self = true;
        continue;
      }
      of_row.push_back(squares[at]);
      others.push_back(nearest[at]);
    }
    const auto shares = neighbour_shares(of_row.data(), static_cast<int64_t>(of_row.size()),
                                         std::min(perplexity, static_cast<double>(k)));
    for (std::size_t j = 0; j < others.size(); ++j) {
      const auto weight = static_cast<float>(shares[j] / (2.0 * static_cast<double>(n)));
      edges[static_cast<std::size_t>(i)].emplace_back(others[j], weight);
      edges[static_cast<std::size_t>(others[j])].emplace_back(i, weight);
    }
  }
  Attraction made;
  made.begin.push_back(0);
  for (const auto& row : edges) {
    for (const auto& [other, weight] : row) {
      made.other.push_back(other);
      made.weight.push_back(weight);
    }
    made.begin.push_back(made.other.size());
  }
  return made;
}

struct Pull {
  float sum, x, y;  // of q, of q^2 dx, of q^2 dy
};

// What all points together do to the one at (x, y): q = 1 / (1 + d^2).
PENUMBRA_WIDEST Pull repulsion(const float* xs, const float* ys, int64_t n, float x, float y) {
  float sum = 0, along_x = 0, along_y = 0;
#pragma omp simd reduction(+ : sum, along_x, along_y)
  for (int64_t j = 0; j < n; ++j) {
    const float dx = x - xs[j], dy = y - ys[j];
    const float q = 1 / (1 + dx * dx + dy * dy);
    sum += q;
    along_x += q * q * dx;
    along_y += q * q * dy;
  }
  return {sum - 1, along_x, along_y};  // without itself
}

// The two directions in which the rows vary most, small: [2, N].
torch::Tensor main_directions(const torch::Tensor& features) {
  const auto centred = (features - features.mean(0, true)).to(torch::kDouble);
  const auto [values, vectors] = torch::linalg_eigh(centred.t().matmul(centred));
  const auto d = vectors.size(1);
  auto start = centred.matmul(vectors.slice(1, std::max<int64_t>(0, d - 2)).flip(1)).t();
  if (start.size(0) < 2) start = torch::cat({start, torch::zeros_like(start)});
  // An eigenvector's sign is an accident of the algorithm.
  const auto largest = start.gather(1, start.abs().argmax(1, true));
  start = start * torch::where(largest < 0, -torch::ones_like(largest), torch::ones_like(largest));
  return (start / start.select(0, 0).std().clamp_min(1e-12) * 1e-4).to(torch::kFloat).contiguous();
}

}  // namespace

torch::Tensor tsne(const torch::Tensor& given, const TsneOptions& options,
                   const std::function<void(int64_t, int64_t)>& progress) {
  const torch::NoGradGuard no_gradient;
  const auto features = given.to(torch::kFloat).contiguous();
  const auto n = features.size(0);
  if (n < 3) return torch::arange(2 * n, torch::kFloat).reshape({n, 2});
  const auto attraction = attraction_of(features, options.perplexity);
  const auto place = main_directions(features);  // [2, N]
  auto* xs = place.data_ptr<float>();
  auto* ys = xs + n;
  const auto count = static_cast<std::size_t>(n);
  std::vector<float> step_x(count), step_y(count), gain_x(count, 1), gain_y(count, 1);
  std::vector<Pull> push(count);
  constexpr float kExaggeration = 12;
  const float rate = std::max(50.0F, static_cast<float>(n) / kExaggeration / 4);

  for (int64_t iteration = 0; iteration < options.iterations; ++iteration) {
    const bool early = iteration < options.iterations / 2;
    const float exaggeration = early ? kExaggeration : 1, momentum = early ? 0.5F : 0.8F;
    at::parallel_for(0, n, 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        push[static_cast<std::size_t>(i)] = repulsion(xs, ys, n, xs[i], ys[i]);
    });
    double sum = 0;
    for (const auto& one : push) sum += one.sum;
    const auto scale = static_cast<float>(1 / std::max(sum, 1e-12));
    std::vector<float> pull_x(count), pull_y(count);
    at::parallel_for(0, n, 256, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        for (auto e = attraction.begin[i]; e < attraction.begin[i + 1]; ++e) {
          const auto j = attraction.other[e];
          const float dx = xs[i] - xs[j], dy = ys[i] - ys[j];
          const float q = attraction.weight[e] / (1 + dx * dx + dy * dy);
          pull_x[i] += q * dx;
          pull_y[i] += q * dy;
        }
    });
    const auto move = [&](float gradient, float& step, float& gain, float& coordinate) {
      gain = std::max(0.01F, (gradient > 0) != (step > 0) ? gain + 0.2F : gain * 0.8F);
      step = momentum * step - rate * gain * gradient;
      coordinate += step;
    };
    for (std::size_t i = 0; i < count; ++i) {
      move(4 * (exaggeration * pull_x[i] - push[i].x * scale), step_x[i], gain_x[i], xs[i]);
      move(4 * (exaggeration * pull_y[i] - push[i].y * scale), step_y[i], gain_y[i], ys[i]);
    }
    if (progress) progress(iteration + 1, options.iterations);
  }
  return (place - place.mean(1, true)).t().contiguous();
}

}  // namespace penumbra
