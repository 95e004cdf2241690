#include "app/bench_result.h"

#include <fmt/format.h>

#include <vector>

#include "app/table.h"

namespace penumbra::app {

Json to_json(const BenchArguments& arguments, const BenchResult& result) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json json{{"processor", result.processor},
            {"threads", result.threads},
            {"precision", to_string(result.precision)},
            {"kernels", to_string(result.kernels)},
            {"backbone", arguments.backbone},
            {"batch", arguments.batch},
            {"size", arguments.size},
            {"train_images_per_second", result.train},
            {"libtorch_images_per_second", or_null(result.libtorch)},
            {"bound_images_per_second", or_null(result.bound)},
            {"bound_fraction", result.bound ? Json(result.train / *result.bound) : Json(nullptr)},
            {"predict_precision", to_string(result.predict_precision)},
            {"predict_images_per_second", result.predict},
            {"judge_images_per_second", result.judge},
            {"quick_cores", result.cores}};
  if (result.method_step) {
    json["method"] = arguments.method;
    json["method_step_seconds"] = *result.method_step;
  }
  json["signature"] = result.signature;
  return json;
}

std::string to_text(const BenchArguments& arguments, const BenchResult& result) {
  auto text =
      fmt::format("{}, {} threads, {}, {} kernels; {}, batch {}, {} x {}\n\n", result.processor,
                  result.threads, to_string(result.precision), to_string(result.kernels),
                  arguments.backbone, arguments.batch, arguments.size, arguments.size);
  std::vector<std::vector<std::string>> rows{
      {"training step", fmt::format("{:.1f} images/s", result.train)}};
  if (result.libtorch)
    rows.push_back(
        {"libtorch's kernels", fmt::format("{:.1f} images/s, {:.2f} times as long",
                                           *result.libtorch, result.train / *result.libtorch)});
  if (result.bound) {
    rows.push_back({"its bound", fmt::format("{:.1f} images/s: the same layers as bare oneDNN "
                                             "primitives",
                                             *result.bound)});
    rows.push_back({"fraction", fmt::format("{:.0f} %", 100 * result.train / *result.bound)});
  }
  rows.push_back({"prediction", fmt::format("{:.1f} images/s, in {}", result.predict,
                                            to_string(result.predict_precision))});
  rows.push_back({"with verdicts", fmt::format("{:.1f} images/s, {:.2f} times as long",
                                               result.judge, result.predict / result.judge)});
  if (result.method_step)
    rows.push_back(
        {arguments.method + " step", fmt::format("{:.2f} s, data included", *result.method_step)});
  rows.push_back(
      {"for quick", fmt::format("{:.1f} cores of the machine that it was made on", result.cores)});
  rows.push_back({"signature", result.signature + "  (of a fixed tiny training)"});
  return text + format_table(rows);
}

}  // namespace penumbra::app
