#include "penumbra/data/reading.h"

#include <fmt/format.h>

#include "penumbra/core/error.h"

namespace penumbra {

std::string to_string(const Problem& problem) {
  return problem.file + (problem.where.empty() ? "" : ", " + problem.where) + ": " + problem.what;
}

void Reading::broken(Problem problem) {
  if (!inspect) fail(to_string(problem));
  problems.push_back(std::move(problem));
}

void Reading::skipped(Problem problem) {
  if (strict && !inspect) fail(to_string(problem));
  problems.push_back(std::move(problem));
}

std::unique_ptr<MappedFile> Reading::open(const std::filesystem::path& path) {
  if (!is_there(path)) {
    broken({path.string(), "", "no such file" + (remedy.empty() ? "" : "; " + remedy)});
    return nullptr;
  }
  try {
    return std::make_unique<MappedFile>(path);
  } catch (const Error& error) {
    broken({path.string(), "", error.what()});
    return nullptr;
  }
}

std::vector<std::string> Reading::names(const std::filesystem::path& path, int64_t expected) {
  std::vector<std::string> names;
  const auto file = open(path);
  if (!file) return names;
  std::istringstream text{std::string(file->text())};
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
  if (static_cast<int64_t>(names.size()) != expected)
    broken({path.string(), "",
            fmt::format("{} class names, expected {}, one a line", names.size(), expected)});
  return names;
}

}  // namespace penumbra
