#pragma once
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/report/seen_views.h"
#include "penumbra/report/sprite_sheet.h"
#include "penumbra/uncertainty/judge.h"

namespace penumbra {

// What the page shows of a judgement; what only a judge can know is null without one.
Json verdict_json(const Judgement& said, bool judged);

// Test images, and what is said of them.
struct Shown {
  const Images& images;
  const std::vector<int64_t>& positions;
  const torch::Tensor& labels;  // [N]
  const std::vector<Judgement>& said;
  const std::vector<std::string>& classes;
};

// Most confident mistakes, most ambiguous and, where the model has uncertainties, most unfamiliar.
Json test_galleries(const Shown& shown, bool judged, SpriteSheet& sheet);

// Unlabelled images whose hidden label is another than the one that the model gives their weak
// view, the surest first.
Json pseudo_label_gallery(const SeenViews& seen, const std::vector<std::string>& classes,
                          const Judge* judge, SpriteSheet& sheet);

}  // namespace penumbra
