#include "penumbra/method/strong_views.h"

namespace penumbra {

Output StrongViews::forward(const Forward& student, const Batch& batch, int64_t strong,
                            const torch::Tensor& trust) const {
  const auto labelled = batch.images.size(0), rows = labelled + strong * batch.index.size(0);
  // Labelled and strong views lie side by side in the batch's memory.
  const auto views = batch.all.narrow(0, 0, rows);
  if (!skip_untrusted || batch.rehearsal) return student(views);
  const auto trusted = trust.cpu().to(torch::kBool);
  const auto computed =
      torch::cat({torch::ones({labelled}, torch::kBool), trusted.repeat({strong})})
          .nonzero()
          .flatten()
          .to(views.device());
  auto said = student(views.index_select(0, computed));
  const auto widen = [&](const torch::Tensor& part) {
    return torch::zeros({rows, part.size(1)}, part.options()).index_copy(0, computed, part);
  };
  Output all{widen(said.logits), widen(said.features), {}};
  for (const auto& [name, part] : said.heads) all.heads[name] = widen(part);
  return all;
}

}  // namespace penumbra
