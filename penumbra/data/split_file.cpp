#include "penumbra/data/split_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "penumbra/core/csv.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

const std::vector<std::string> kHeader{"index", "part", "file"};

struct NamedPart {
  std::string_view name;
  std::vector<int64_t> Split::*positions;
};
constexpr NamedPart kNamedParts[] = {{"labelled", &Split::labelled},
                                     {"unlabelled", &Split::unlabelled},
                                     {"validation", &Split::validation},
                                     {"test", &Split::test}};

void check(const Split& split, const Images& train, const fs::path& path) {
  const auto n = static_cast<std::size_t>(train.size());
  std::vector<const NamedPart*> owner(n, nullptr);
  for (const auto& part : kNamedParts) {
    auto positions = split.*part.positions;
    std::sort(positions.begin(), positions.end());
    if (std::adjacent_find(positions.begin(), positions.end()) != positions.end())
      fail(path.string(), ": image ", *std::adjacent_find(positions.begin(), positions.end()),
           " is twice in part '", part.name, "'");
    const bool labels_needed = part.name != "unlabelled";
    for (const auto i : positions) {
      if (labels_needed && train.labels.data_ptr<int64_t>()[i] == kUnlabelled)
        fail(path.string(), ": image ", i, " is in part '", part.name, "' but has no label");
      auto& seen = owner[static_cast<std::size_t>(i)];
      const bool both_training =
          seen != nullptr && part.name == "unlabelled" && seen->name == "labelled";
      if (seen != nullptr && !both_training)
        fail(path.string(), ": image ", i, " is in parts '", seen->name, "' and '", part.name,
             "', which must not overlap");
      seen = &part;
    }
  }
  if (split.labelled.empty()) fail(path.string(), ": no image is in part 'labelled'");
}

using ByName = std::unordered_map<std::string_view, int64_t>;

// By its name where it has one, since folders change; else by its number.
template <class Wrong>
int64_t position_of(const std::vector<std::string>& fields, const ByName& by_name,
                    const Images& train, const Wrong& wrong) {
  if (!by_name.empty() && !fields[2].empty()) {
    const auto found = by_name.find(fields[2]);
    if (found == by_name.end()) wrong("the folder has no picture", fields[2]);
    return found->second;
  }
  if (!fields[2].empty())
    wrong("these pictures have numbers and no names, and the split is of a folder with", fields[2]);
  const auto& text = fields[0];
  int64_t index = -1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), index);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || index < 0 ||
      index >= train.size())
    wrong("expected an index from 0 to " + std::to_string(train.size() - 1) + " and found", text);
  return index;
}

}  // namespace

std::string split_text(const Split& split, const Images& train) {
  std::string text = "index,part,file\n";
  for (const auto& part : kNamedParts)
    for (const auto i : split.*part.positions) {
      text.append(std::to_string(i)).append(",").append(part.name).append(",");
      if (!train.files.empty()) text.append(csv_field(train.files[static_cast<std::size_t>(i)]));
      text += '\n';
    }
  return text;
}

void write_split(const fs::path& path, const Split& split, const Images& train) {
  write_file(path, split_text(split, train));
}

Split read_split(const fs::path& path, const Images& train) {
  ByName by_name;
  for (std::size_t i = 0; i < train.files.size(); ++i)
    by_name.emplace(train.files[i], static_cast<int64_t>(i));

  const MappedFile file(path);
  CsvRows rows(file.text());
  Split split;
  for (bool header = true; const auto row = rows.next(); header = false) {
    const auto& fields = row->fields;
    const auto wrong = [&](std::string_view what, std::string_view value) {
      fail(path.string(), " line ", row->line, ": ", what, " '", value, "'");
    };
    if (header) {
      if (fields != kHeader)
        wrong("expected the header 'index,part,file' and found",
              fmt::format("{}", fmt::join(fields, ",")));
      continue;
    }
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != kHeader.size() || !row->closed)
      wrong("expected three fields, index,part,file, and found",
            fmt::format("{}", fmt::join(fields, ",")));
    const auto part = std::find_if(std::begin(kNamedParts), std::end(kNamedParts),
                                   [&](const NamedPart& p) { return p.name == fields[1]; });
    if (part == std::end(kNamedParts))
      wrong("expected the part labelled, unlabelled, validation or test and found", fields[1]);
    (split.*part->positions).push_back(position_of(fields, by_name, train, wrong));
  }
  check(split, train, path);
  for (const auto& part : kNamedParts)
    std::sort((split.*part.positions).begin(), (split.*part.positions).end());
  return split;
}

}  // namespace penumbra
