// penumbra data: which data there is, where it comes from, what is wrong with it.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/data_options.h"
#include "app/progress.h"
#include "app/table.h"
#include "penumbra/core/json.h"
#include "penumbra/core/signals.h"
#include "penumbra/data/get.h"
#include "penumbra/data/inspect.h"

namespace penumbra::app {
namespace {

std::string where(const std::string& name, const std::filesystem::path& root) {
  if (name == "folder") return "any path of yours";
  const auto path = find_dataset(name, root);
  if (path.empty()) return "made on the spot";
  return std::filesystem::is_directory(path) ? path.string()
                                             : fmt::format("not here: penumbra data get {}", name);
}

int list_data(const std::string& root_option) {
  const auto root = data_root(root_option);
  std::vector<std::vector<std::string>> rows{{"name", "what it is", "where"}};
  for (const auto& part : list_datasets())
    rows.push_back({part.name, part.summary, where(part.name, root)});
  std::cout << format_table(rows) << "\nData root: " << root.string() << '\n';
  return 0;
}

Json to_json(const Inspection& found) {
  Json problems = Json::array();
  for (const auto& problem : found.problems)
    problems.push_back({{"file", problem.file}, {"where", problem.where}, {"what", problem.what}});
  return {{"dataset", found.dataset},
          {"train", found.train},
          {"unlabelled", found.unlabelled},
          {"validation", found.validation},
          {"test", found.test},
          {"classes", found.classes},
          {"train_per_class", found.train_per_class},
          {"test_per_class", found.test_per_class},
          {"height", found.height},
          {"width", found.width},
          {"channels", found.channels},
          {"mean", found.statistics.mean},
          {"std", found.statistics.std},
          {"problems", problems},
          {"notes", found.notes}};
}

std::string to_text(const Inspection& found) {
  const auto list = [](const std::vector<double>& values) {
    std::string text;
    for (const auto value : values) text += fmt::format("{}{:.8f}", text.empty() ? "" : " ", value);
    return text;
  };
  auto text = fmt::format(
      "{}: {} training images ({} of them unlabelled), {} validation, {} test; "
      "{} x {} pixels, {} channel{}\nmean  {}\nstd   {}\n\n",
      found.dataset, found.train, found.unlabelled, found.validation, found.test, found.height,
      found.width, found.channels, found.channels == 1 ? "" : "s", list(found.statistics.mean),
      list(found.statistics.std));
  std::vector<std::vector<std::string>> rows{{"class", "train", "test"}};
  for (std::size_t c = 0; c < found.classes.size(); ++c)
    rows.push_back({found.classes[c], std::to_string(found.train_per_class[c]),
                    std::to_string(found.test_per_class[c])});
  text += format_table(rows) + '\n';
  for (const auto& note : found.notes) text += "note: " + note + '\n';
  for (const auto& problem : found.problems) text += "problem: " + to_string(problem) + '\n';
  const auto count = found.problems.size();
  if (count == 0) return text + "no problems\n";
  return text + (count == 1 ? "1 problem\n" : fmt::format("{} problems\n", count));
}

int inspect_data(const DataOptions& options, const std::string& format) {
  const auto opened = options.open(options.config({"data"}));
  auto reading = options.reading(opened);
  Progress progress("reading", "pictures");
  reading.progress = [&](int64_t done, int64_t total) { progress.update(done, total); };
  const auto found = inspect(opened, std::move(reading));
  std::cout << (format == "json" ? json_text(to_json(found), 2) + '\n' : to_text(found));
  return found.problems.empty() ? 0 : 2;
}

void add_data_list(CLI::App& data, Action& action) {
  auto* command = data.add_subcommand("list", "Every dataset, and where its files are");
  auto root = std::make_shared<std::string>();
  command->add_option("--data-root", *root, "where datasets are kept");
  command->footer("Example:  penumbra data list");
  command->callback([=, &action] { action = [=] { return list_data(*root); }; });
}

int get_data(const std::string& name, const std::string& root) {
  const InterruptScope interrupts;  // so that Ctrl-C leaves nothing half-fetched behind
  Options none;
  const auto origin = make_dataset(name, none)->origin();
  const auto place = get_dataset(name, origin, data_root(root),
                                 [](const std::string& line) { std::cerr << line << '\n'; });
  std::cout << name << " is in " << place.string() << '\n';
  if (!origin.terms.empty()) std::cout << "terms: " << origin.terms << '\n';
  return 0;
}

void add_data_get(CLI::App& data, Action& action) {
  auto* command = data.add_subcommand("get", "Fetch a dataset's files, or say where to find them");
  auto name = std::make_shared<std::string>(), root = std::make_shared<std::string>();
  command->add_option("NAME", *name, "a dataset: penumbra data list shows them")->required();
  command->add_option("--data-root", *root, "where datasets are kept");
  command->footer(
      "Files are checked against their official sums before they are put in place.\n"
      "Example:  penumbra data get cifar10");
  command->callback([=, &action] { action = [=] { return get_data(*name, *root); }; });
}

void add_data_inspect(CLI::App& data, Action& action) {
  auto* command =
      data.add_subcommand("inspect", "What there is in a dataset, and all that is wrong with it");
  auto options = std::make_shared<DataOptions>();
  auto format = std::make_shared<std::string>("table");
  options->add_to(*command);
  command->add_option("--format", *format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  command->footer("Exit code 2 when there is a problem.\nExample:  penumbra data inspect photos/");
  command->callback([=, &action] { action = [=] { return inspect_data(*options, *format); }; });
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto* data = app.add_subcommand("data", "Which data there is, get it, look at it");
  data->require_subcommand(1);
  data->footer("Example:  penumbra data inspect fashion_mnist");
  add_data_list(*data, action);
  add_data_get(*data, action);
  add_data_inspect(*data, action);
  add_data_augment(*data, action);
  add_data_export(*data, action);
}

}  // namespace penumbra::app
