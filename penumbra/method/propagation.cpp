#include "penumbra/method/propagation.h"

#include <ATen/Parallel.h>
#include <faiss/IndexFlat.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <cmath>

#include "penumbra/core/parallel.h"

namespace penumbra {
namespace {

using Matrix = Eigen::SparseMatrix<float, Eigen::RowMajor, int>;
using Vector = Eigen::VectorXf;

// S, N x N
Matrix graph_of(const torch::Tensor& features, const PropagationOptions& options) {
  const auto phi =
      (features / features.norm(2, 1, true).clamp_min(1e-12)).to(torch::kFloat).contiguous();
  const auto n = phi.size(0);
  const auto k = std::min(options.neighbours + 1, n);  // each image finds itself, too
  faiss::IndexFlatIP index(phi.size(1));
  index.add(n, phi.data_ptr<float>());
  std::vector<float> similarity(static_cast<std::size_t>(n * k));
  std::vector<faiss::Index::idx_t> nearest(similarity.size());
  index.search(n, phi.data_ptr<float>(), k, similarity.data(), nearest.data());

  std::vector<Eigen::Triplet<float, int>> edges;
  edges.reserve(2 * similarity.size());
  for (std::size_t i = 0; i < similarity.size(); ++i) {
    const auto from = static_cast<int>(i / static_cast<std::size_t>(k));
    const auto to = static_cast<int>(nearest[i]);
    if (from == to || to < 0 || similarity[i] <= 0) continue;
    const auto weight = static_cast<float>(std::pow(similarity[i], options.power));
    edges.emplace_back(from, to, weight);
    edges.emplace_back(to, from, weight);
  }
  Matrix graph(static_cast<int>(n), static_cast<int>(n));
  graph.setFromTriplets(edges.begin(), edges.end());  // sums edges that are found from both ends
  const Vector degree = graph * Vector::Ones(graph.cols());
  const Vector scale = degree.unaryExpr([](float d) { return d > 0 ? 1 / std::sqrt(d) : 0.0F; });
  return scale.asDiagonal() * graph * scale.asDiagonal();
}

}  // namespace

Propagated propagate(const torch::Tensor& features, const torch::Tensor& labels, int64_t classes,
                     const PropagationOptions& options) {
  const auto n = features.size(0);
  Matrix system(static_cast<int>(n), static_cast<int>(n));
  system.setIdentity();
  system -= static_cast<float>(options.alpha) * graph_of(features, options);

  const auto spread = torch::zeros({classes, n});
  // y, [classes, L]: one over the number of images of a class at each of these.
  const auto known = torch::one_hot(labels, classes).to(torch::kFloat);
  const auto start_of = (known / known.sum(0).clamp_min(1)).t().contiguous();
  const auto solve = [&](std::size_t i) {
    const auto c = static_cast<int64_t>(i);
    Vector start = Vector::Zero(n);
    std::copy_n(start_of[c].data_ptr<float>(), labels.size(0), start.begin());
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper,
                             Eigen::DiagonalPreconditioner<float>>
        solver;
    solver.setMaxIterations(static_cast<int>(options.iterations));
    solver.setTolerance(1e-6F);
    solver.compute(system);
    const Vector solution = solver.solve(start);
    std::copy(solution.begin(), solution.end(), spread[c].data_ptr<float>());
  };
  parallel_for(static_cast<std::size_t>(classes), at::get_num_threads(), solve);

  const auto positive = spread.t().clamp_min(0);  // [N, classes]
  const auto sum = positive.sum(1, true);
  // An image that no label reaches may be anything.
  const auto probabilities = torch::where(
      sum > 0, positive / sum, torch::full_like(positive, 1.0 / static_cast<double>(classes)));
  const auto entropy = -torch::xlogy(probabilities, probabilities).sum(1);
  auto weights = 1 - entropy / std::log(static_cast<double>(std::max<int64_t>(2, classes)));
  weights = weights.clamp_min(0);
  weights = weights / weights.max().clamp_min(1e-12);
  return {probabilities.argmax(1), weights};
}

}  // namespace penumbra
