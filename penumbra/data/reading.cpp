#include "penumbra/data/reading.h"

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

}  // namespace penumbra
