#include "penumbra/data/labels_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "penumbra/core/csv.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

struct Columns {
  std::size_t file, label, count;
};

// Without the two columns nothing can be read, so this is an error even when inspecting.
Columns find_columns(const fs::path& path, const std::optional<CsvRow>& header) {
  const auto where = path.string() + ", line 1: ";
  if (!header) fail(where, "the file is empty, expected the header 'file,label'");
  const auto& names = header->fields;
  const auto find = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const Columns columns{find("file"), find("label"), names.size()};
  if (columns.file < names.size() && columns.label < names.size()) return columns;
  constexpr std::pair<char, std::string_view> kOthers[] = {
      {';', "';'"}, {'\t', "a tab"}, {'|', "'|'"}};
  if (names.size() == 1)
    for (const auto& [letter, name] : kOthers)
      if (names[0].find(letter) != std::string::npos)
        fail(where, "the columns are separated by ", name,
             ", expected ','; save the table with commas, its header being 'file,label'");
  std::string found;
  for (const auto& name : names) found += (found.empty() ? "'" : ", '") + name + "'";
  fail(where, "no column '", columns.file == names.size() ? "file" : "label", "'; it has ", found,
       ", expected the header 'file,label'");
}

}  // namespace

std::map<std::string, FileLabel> read_labels_file(const fs::path& path, Reading& reading) {
  const auto text = read_file(path);
  CsvRows rows(text);
  const auto columns = find_columns(path, rows.next());
  std::map<std::string, FileLabel> labels;
  while (const auto row = rows.next()) {
    const auto& fields = row->fields;
    if (fields.size() == 1 && fields[0].empty()) continue;  // an empty line
    const auto broken = [&](std::string what) {
      reading.broken({path.string(), "line " + std::to_string(row->line), std::move(what)});
    };
    if (!row->closed) {
      broken("a quote is opened and never closed");
    } else if (fields.size() != columns.count) {
      broken(std::to_string(fields.size()) + " columns, the header has " +
             std::to_string(columns.count) + "; a text with a comma needs quotes around it");
    } else {
      const auto file = fs::path(fields[columns.file]).lexically_normal().generic_string();
      const auto [place, added] = labels.insert({file, {fields[columns.label], row->line}});
      if (!added)
        broken("'" + file + "' was labelled before, in line " + std::to_string(place->second.line) +
               "; keep one of the two");
    }
  }
  return labels;
}

}  // namespace penumbra
