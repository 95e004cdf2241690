#include "penumbra/data/split_file.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr std::string_view kHeader = "index,part,file";

struct NamedPart {
  std::string_view name;
  std::vector<int64_t> Split::*positions;
};
constexpr NamedPart kNamedParts[] = {{"labelled", &Split::labelled},
                                     {"unlabelled", &Split::unlabelled},
                                     {"validation", &Split::validation},
                                     {"test", &Split::test}};

// Takes the text up to `end` (or all of it) from the front.
std::string_view take_until(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto piece = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return piece;
}

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

}  // namespace

void write_split(const fs::path& path, const Split& split, const Images& train) {
  std::string text(kHeader);
  text += '\n';
  for (const auto& part : kNamedParts)
    for (const auto i : split.*part.positions) {
      text.append(std::to_string(i)).append(",").append(part.name).append(",");
      if (!train.files.empty()) text.append(train.files[static_cast<std::size_t>(i)]);
      text += '\n';
    }
  write_file(path, text);
}

Split read_split(const fs::path& path, const Images& train) {
  std::unordered_map<std::string_view, int64_t> by_name;
  for (std::size_t i = 0; i < train.files.size(); ++i)
    by_name.emplace(train.files[i], static_cast<int64_t>(i));

  const MappedFile file(path);
  auto text = file.text();
  Split split;
  for (int64_t number = 1; !text.empty(); ++number) {
    auto line = take_until(text, '\n');
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const auto wrong = [&](std::string_view what, std::string_view value) {
      fail(path.string(), " line ", number, ": ", what, " '", value, "'");
    };
    if (number == 1) {
      if (line != kHeader) wrong("expected the header 'index,part,file' and found", line);
      continue;
    }
    if (line.empty()) continue;
    const auto index_text = take_until(line, ',');
    const auto part_name = take_until(line, ',');
    const auto part = std::find_if(std::begin(kNamedParts), std::end(kNamedParts),
                                   [&](const NamedPart& p) { return p.name == part_name; });
    if (part == std::end(kNamedParts))
      wrong("expected the part labelled, unlabelled, validation or test and found", part_name);
    int64_t index = -1;
    if (by_name.empty()) {
      const auto parsed =
          std::from_chars(index_text.data(), index_text.data() + index_text.size(), index);
      if (parsed.ec != std::errc{} || parsed.ptr != index_text.data() + index_text.size() ||
          index < 0 || index >= train.size())
        wrong("expected an index from 0 to " + std::to_string(train.size() - 1) + " and found",
              index_text);
    } else {
      const auto found = by_name.find(line);
      if (found == by_name.end()) wrong("the folder has no picture", line);
      index = found->second;
    }
    (split.*part->positions).push_back(index);
  }
  check(split, train, path);
  for (const auto& part : kNamedParts)
    std::sort((split.*part.positions).begin(), (split.*part.positions).end());
  return split;
}

}  // namespace penumbra
