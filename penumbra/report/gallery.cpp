#include "penumbra/report/gallery.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "penumbra/evaluate/scores.h"

namespace penumbra {
namespace {

constexpr std::size_t kPictures = 24;  // of a gallery

// Places of the highest values among those that `counts`.
std::vector<std::size_t> highest(std::size_t n, const std::function<bool(std::size_t)>& counts,
                                 const std::function<double(std::size_t)>& value) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < n; ++i)
    if (counts(i)) places.push_back(i);
  const auto kept = std::min(kPictures, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept),
                    places.end(), [&](std::size_t a, std::size_t b) {
                      return value(a) != value(b) ? value(a) > value(b) : a < b;
                    });
  places.resize(kept);
  return places;
}

Json item(int64_t picture, int64_t label, const Judgement& said, bool judged,
          const std::vector<std::string>& classes) {
  const auto name = [&](int64_t c) { return classes[static_cast<std::size_t>(c)]; };
  auto json = verdict_json(said, judged);
  json["picture"] = picture;
  json["label"] = label < 0 ? Json() : Json(name(label));
  json["predicted"] = name(said.label);
  return json;
}

}  // namespace

Json verdict_json(const Judgement& said, bool judged) {
  return {{"probability", said.probability},
          {"entropy", said.entropy},
          {"aleatoric", judged ? Json(said.aleatoric) : Json()},
          {"epistemic", judged ? Json(said.epistemic) : Json()},
          {"epistemic_percentile", judged ? Json(said.epistemic_percentile) : Json()},
          {"verdict", judged ? Json(to_string(said.verdict)) : Json()}};
}

Json test_galleries(const Shown& shown, bool judged, SpriteSheet& sheet) {
  const auto& said = shown.said;
  const auto label = [&](std::size_t i) {
    return shown.labels[static_cast<int64_t>(i)].item<int64_t>();
  };
  const auto gallery = [&](const char* name, const char* explanation,
                           const std::vector<std::size_t>& places) {
    Json items = Json::array();
    for (const auto i : places) {
      const auto picture = sheet.add(shown.images.pixels[shown.positions[i]]);
      items.push_back(item(picture, label(i), said[i], judged, shown.classes));
    }
    return Json{{"name", name}, {"explanation", explanation}, {"items", items}};
  };
  const auto all = [](std::size_t) { return true; };
  Json galleries = Json::array();
  galleries.push_back(
      gallery("most confident mistakes",
              "test pictures that the model is wrong about, the surest first; some are labelled "
              "wrongly",
              highest(
                  said.size(), [&](std::size_t i) { return said[i].label != label(i); },
                  [&](std::size_t i) { return said[i].probability; })));
  galleries.push_back(
      gallery("most ambiguous", "test pictures between whose classes the model cannot decide",
              highest(said.size(), all, [&](std::size_t i) { return said[i].entropy; })));
  if (judged)
    galleries.push_back(
        gallery("most unfamiliar", "test pictures that are least like anything in the training set",
                highest(said.size(), all, [&](std::size_t i) { return said[i].epistemic; })));
  return galleries;
}

Json pseudo_label_gallery(const SeenViews& seen, const std::vector<std::string>& classes,
                          const Judge* judge, SpriteSheet& sheet) {
  const auto& group = seen.weak;
  const auto said = say(group.said, judge).judgements;
  const auto hidden = [&](std::size_t i) {
    return group.labels[static_cast<int64_t>(i)].item<int64_t>();
  };
  Json items = Json::array();
  for (const auto i : highest(
           said.size(), [&](std::size_t k) { return hidden(k) >= 0 && said[k].label != hidden(k); },
           [&](std::size_t k) { return said[k].probability; }))
    items.push_back(item(sheet.add(group.pictures[static_cast<int64_t>(i)]), hidden(i), said[i],
                         judge != nullptr, classes));
  return {{"name", "pseudo-labels that are wrong"},
          {"explanation",
           "unlabelled pictures whose hidden label is another than the model's, the surest first; "
           "hidden labels are shown here and were not used"},
          {"items", items}};
}

}  // namespace penumbra
