#include "penumbra/train/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/train/sweep_results.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

// The whole text in this form, which ends with %n.
std::optional<Shard> scan_shard(const std::string& text, const char* form) {
  Shard shard;
  int read = 0;
  if (std::sscanf(text.c_str(), form, &shard.number, &shard.of, &read) != 2 ||
      static_cast<std::size_t>(read) != text.size() || shard.number < 1 || shard.number > shard.of)
    return {};
  return shard;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  const auto shard = scan_shard(text, "%zu/%zu%n");
  if (!shard)
    fail("--shard '", text,
         "' is not a part of a sweep: expected i/n with i from 1 to n, such as 2/3");
  return *shard;
}

fs::path results_of(const Sweep& sweep, const Shard& shard) {
  if (shard.of == 1) return sweep.results;
  return sweep.results.parent_path() /
         fmt::format("{}.{}of{}.jsonl", sweep.results.stem().string(), shard.number, shard.of);
}

std::vector<Json> all_results(const Sweep& sweep) {
  auto rows = read_results(sweep.results);
  const auto folder =
      sweep.results.parent_path().empty() ? fs::path(".") : sweep.results.parent_path();
  if (!is_there(folder)) return rows;
  const auto stem = sweep.results.stem().string() + ".";
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.rfind(stem, 0) == 0 && scan_shard(name.substr(stem.size()), "%zuof%zu.jsonl%n"))
      parts.push_back(entry.path());
  }
  std::sort(parts.begin(), parts.end());
  for (const auto& part : parts)
    for (auto& row : read_results(part)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace penumbra
