#include "penumbra/train/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/toml.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr std::size_t kMostRuns = 10000;   // each is a training
constexpr std::size_t kMostSettings = 50;  // that differ between them

std::string place(const fs::path& file, const toml::node& node) {
  return toml_place(node, file.string());
}

// The settings of a section in the order of the file.
std::vector<TomlEntry> entries(const toml::table& section, const fs::path& file) {
  auto found = toml_entries(section);
  for (const auto& [name, node] : found)
    if (name.find('.') == std::string::npos)
      fail(place(file, *node), ": setting '", name,
           "' has no section: expected a name like run.seed or method.threshold");
  return found;
}

const toml::table& section_of(const toml::table& all, const char* name, const fs::path& file) {
  static const toml::table none;
  const auto* node = all.get(name);
  if (node == nullptr) return none;
  if (!node->is_table())
    fail(place(file, *node), ": '", name, "' is no section: expected [", name, "]");
  return *node->as_table();
}

// "fixmatch" speaks for itself; "100" does not, and becomes "labels100".
std::string part_of_name(const Setting& setting) {
  const bool word =
      !setting.value.empty() && std::isalpha(static_cast<unsigned char>(setting.value[0])) != 0;
  auto part =
      word ? setting.value : setting.name.substr(setting.name.rfind('.') + 1) + setting.value;
  for (auto& letter : part)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '.' && letter != '_')
      letter = '_';
  return part;
}

// Every setting of the grid is in the name, also one with a single value: the folders of finished
// runs keep their names when the grid grows.
std::string name_of(const std::vector<Setting>& settings) {
  std::string name;
  for (const auto& setting : settings)
    name.append(name.empty() ? "" : "-").append(part_of_name(setting));
  return name;
}

// The values of each grid setting; every combination, the last setting changes fastest.
std::vector<std::vector<Setting>> combinations(const std::vector<TomlEntry>& grid,
                                               const fs::path& file) {
  if (grid.size() > kMostSettings)
    fail(file.string(), ": [grid] has ", grid.size(), " settings: expected at most ", kMostSettings,
         "; what is the same for every run stands in [set]");
  std::vector<std::vector<Setting>> all{{}};
  for (const auto& entry : grid) {
    const auto* values = entry.node->as_array();
    if (values == nullptr || values->empty())
      fail(place(file, *entry.node), ": '", entry.name,
           "' of [grid] has no values: expected a list such as [0, 1, 2]; "
           "what is the same for every run stands in [set]");
    if (all.size() * values->size() > kMostRuns)
      fail(place(file, *entry.node), ": with '", entry.name, "' [grid] has ",
           all.size() * values->size(), " runs or more: expected at most ", kMostRuns,
           "; make several sweeps of it");
    std::vector<std::vector<Setting>> longer;
    for (const auto& settings : all)
      for (const auto& value : *values) {
        longer.push_back(settings);
        longer.back().push_back({entry.name, toml_text(value, file.string())});
      }
    all = std::move(longer);
  }
  return all;
}

// [arms.NAME]: settings that go together, such as those of one row of a table.
struct Arm {
  std::string name;
  const toml::table* section;
};
std::vector<Arm> arms_of(const toml::table& section, const fs::path& file) {
  std::vector<Arm> arms;
  for (const auto& [key, node] : section) {
    if (!node.is_table())
      fail(place(file, node), ": '", key.str(), "' is no arm: expected [arms.", key.str(), "]");
    arms.push_back({std::string(key.str()), node.as_table()});
  }
  std::sort(arms.begin(), arms.end(), [](const Arm& a, const Arm& b) {
    return a.section->source().begin.line < b.section->source().begin.line;
  });
  return arms;
}

// Every combination of the grid with every arm, the arms changing fastest.
std::vector<std::vector<Setting>> with_arms(const std::vector<std::vector<Setting>>& grid,
                                            const std::vector<Arm>& arms) {
  if (arms.empty()) return grid;
  std::vector<std::vector<Setting>> all;
  for (const auto& settings : grid)
    for (const auto& arm : arms) {
      all.push_back({{"arm", arm.name}});
      all.back().insert(all.back().end(), settings.begin(), settings.end());
    }
  return all;
}

void read_folders(const toml::table& section, const fs::path& file, Sweep& sweep) {
  sweep.out = fs::path("runs") / file.stem();
  sweep.results = file.stem().string() + ".jsonl";
  for (const auto& [key, node] : section) {
    const auto* text = node.as_string();
    if (key.str() != "out" && key.str() != "results")
      fail(place(file, node), ": [sweep] does not know '", key.str(), "'; it knows: out results");
    if (text == nullptr || text->get().empty())
      fail(place(file, node), ": '", key.str(), "' is not a path: expected text in quotes");
    (key.str() == "out" ? sweep.out : sweep.results) = text->get();
  }
  sweep.results = file.parent_path() / sweep.results;  // an absolute one stays as it is
}

void read_published(const toml::table& section, const fs::path& file, Sweep& sweep) {
  for (const auto& [key, node] : section) {
    const std::string row(key.str());
    const auto number = node.value<double>();
    if (!number)
      fail(place(file, node), ": '", row, "' is not a number: expected an accuracy in %");
    if (std::none_of(sweep.runs.begin(), sweep.runs.end(),
                     [&](const SweepRun& run) { return row_of(sweep, run) == row; }))
      fail(place(file, node), ": no row of the table is called '", row, "': expected one such as '",
           row_of(sweep, sweep.runs.front()), "'");
    sweep.published[row] = *number;
  }
}

}  // namespace

Sweep read_sweep(const fs::path& file) {
  const auto all = parse_toml(MappedFile(file).text(), file.string());
  for (const auto& [key, node] : all)
    if (key.str() != "sweep" && key.str() != "grid" && key.str() != "set" && key.str() != "arms" &&
        key.str() != "published")
      fail(place(file, node), ": a sweep has no section [", key.str(),
           "]; there are: sweep grid arms set published");
  Sweep sweep;
  read_folders(section_of(all, "sweep", file), file, sweep);
  const auto grid = entries(section_of(all, "grid", file), file);
  if (grid.empty())
    fail(file.string(), " has an empty [grid]: expected settings with lists of values, such as ",
         "\"run.seed\" = [0, 1, 2]");
  const auto arms = arms_of(section_of(all, "arms", file), file);
  auto all_settings = with_arms(combinations(grid, file), arms);
  std::set<std::string> names, known;
  if (!arms.empty()) sweep.grid.emplace_back("arm");
  for (const auto& entry : grid) {
    known.insert(entry.name);
    sweep.grid.push_back(entry.name);
  }
  std::vector<Setting> fixed;
  for (const auto& entry : entries(section_of(all, "set", file), file)) {
    if (!known.insert(entry.name).second)
      fail(place(file, *entry.node), ": '", entry.name,
           "' is in [grid] and in [set]: expected one");
    fixed.push_back({entry.name, toml_text(*entry.node, file.string())});
  }
  std::map<std::string, std::vector<Setting>> of_arm;
  for (const auto& arm : arms)
    for (const auto& entry : entries(*arm.section, file)) {
      if (known.count(entry.name) != 0)
        fail(place(file, *entry.node), ": '", entry.name, "' is in [arms.", arm.name,
             "] and in [grid] or [set]: expected one");
      of_arm[arm.name].push_back({entry.name, toml_text(*entry.node, file.string())});
    }
  for (auto& settings : all_settings) {
    SweepRun run{name_of(settings), std::move(settings)};
    if (!names.insert(run.name).second)
      fail(file.string(), ": two runs of the grid would be called '", run.name,
           "': expected each value once, and values that differ in letters or digits");
    const auto& more = of_arm[value_of(run, "arm")];
    run.settings.insert(run.settings.end(), more.begin(), more.end());
    run.settings.insert(run.settings.end(), fixed.begin(), fixed.end());
    if (value_of(run, "run.data").empty())
      fail(file.string(), " does not say on which data run '", run.name,
           "' is: expected \"run.data\" in [grid], [set] or every arm");
    sweep.runs.push_back(std::move(run));
  }
  read_published(section_of(all, "published", file), file, sweep);
  return sweep;
}

std::string row_of(const Sweep& sweep, const SweepRun& run) {
  std::string row;
  for (const auto& name : sweep.grid)
    if (name != "run.seed") row.append(row.empty() ? "" : " ").append(value_of(run, name));
  return row;
}

std::string value_of(const SweepRun& run, std::string_view setting) {
  for (const auto& [name, value] : run.settings)
    if (name == setting) return value;
  return "";
}

}  // namespace penumbra
