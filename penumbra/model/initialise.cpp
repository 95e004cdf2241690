#include "penumbra/model/initialise.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "penumbra/core/error.h"
#include "penumbra/core/json.h"
#include "penumbra/model/safetensors.h"

namespace penumbra {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool depends_on_classes(const std::string& name) {
  return name.rfind("fc.", 0) == 0 || name.rfind("heads.", 0) == 0;
}

std::string shape_text(torch::IntArrayRef shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

// Does the file say that it was trained for other classes than ours?
bool has_other_classes(const SafetensorsFile& file, const std::vector<std::string>& classes) {
  const auto listed = file.metadata().find("classes");
  if (listed == file.metadata().end()) return false;
  try {
    return parse_json(listed->second) != Json(classes);
  } catch (const Error&) {
    return true;
  }
}

bool is_finite(const torch::Tensor& values) {
  return !values.is_floating_point() || values.isfinite().all().item<bool>();
}

const TensorEntry* find_entry(const SafetensorsFile& file, const std::string& name) {
  for (const auto& entry : file.entries())
    if (entry.name == name) return &entry;
  return nullptr;
}

// Why this tensor cannot be taken from the file; empty when it can.
std::string obstacle(const NamedTensor& item, const TensorEntry* entry, bool other_classes) {
  if (entry == nullptr) return "not in the file";
  if (other_classes && depends_on_classes(item.name)) return "the file has other classes";
  if (item.tensor.sizes() != torch::IntArrayRef(entry->shape))
    return fmt::format("{} in the file, {} here", shape_text(entry->shape),
                       shape_text(item.tensor.sizes()));
  return "";
}

}  // namespace

std::vector<InitialiseRow> initialise(Classifier& classifier, const std::filesystem::path& path,
                                      const std::vector<std::string>& classes) {
  const torch::NoGradGuard no_grad;
  const SafetensorsFile file(path);
  const bool other_classes = has_other_classes(file, classes);
  std::vector<InitialiseRow> rows;
  std::set<std::string> ours, taken;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> changes;  // ours, the file's
  for (const auto& item : classifier.state()) {
    ours.insert(item.name);
    auto reason = obstacle(item, find_entry(file, item.name), other_classes);
    // A count fits everywhere; it means something only beside the statistics it counts.
    if (const std::string count = "num_batches_tracked"; ends_with(item.name, count)) {
      const auto prefix = item.name.substr(0, item.name.size() - count.size());
      if (reason.empty() && taken.count(prefix + "running_mean") == 0)
        reason = "its statistics were skipped";
    }
    if (reason.empty()) {
      const auto values = file.tensor(item.name);
      // 1e300 of a file in double precision is infinite in single.
      auto converted = values.to(item.tensor.scalar_type());
      if (!is_finite(values) || !is_finite(converted))
        fail(path.string(), ": '", item.name, "' has values that are not finite as ",
             item.tensor.scalar_type(), ": expected numbers");
      changes.emplace_back(item.tensor, std::move(converted));
      taken.insert(item.name);
    }
    rows.push_back({item.name, reason.empty(), reason});
  }
  for (const auto& entry : file.entries())
    if (ours.count(entry.name) == 0) rows.push_back({entry.name, false, "not in this model"});
  // Scales and shifts of batch norm fit many networks by chance.
  const bool any_layer = std::any_of(changes.begin(), changes.end(),
                                     [](const auto& change) { return change.first.dim() > 1; });
  if (!any_layer)
    fail("nothing in ", path.string(), " fits this model: none of its ", file.entries().size(),
         " tensors has the name and the shape of one of our layers; expected the weights of the "
         "same backbone");
  for (auto& [to, from] : changes) to.copy_(from);
  return rows;
}

}  // namespace penumbra
