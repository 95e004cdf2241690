#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/core/file.h"

namespace penumbra {

// One thing that is wrong with somebody's data.
struct Problem {
  std::string file;
  std::string where;  // "record 17", "line 3", "byte 51200"; empty for the file as a whole
  std::string what;   // with a remedy where we know one
  // Not for what the file holds: no permission, too many open files, too little memory. The next
  // time it may be gone.
  bool passing = false;
};

std::string to_string(const Problem& problem);

// How a dataset is to be read: what happens to problems, who hears of progress, and where
// decoded pictures may be kept.
class Reading {
 public:
  bool inspect = false;  // collect every problem instead of stopping at the first
  bool strict = false;   // even a picture that could be skipped is an error
  int threads = 1;
  std::string remedy;  // said with a missing file: "'penumbra data get cifar10' fetches it"
  std::filesystem::path cache;  // folder for decoded pictures; empty for none
  std::function<void(int64_t done, int64_t total)> progress = [](int64_t, int64_t) {};

  // The data cannot be used as it is: throws Error, or is collected when inspecting.
  void broken(Problem problem);
  // One picture is left out; the rest can be used.
  void skipped(Problem problem);
  // The file, or null after telling why it cannot be opened and how to get it.
  std::unique_ptr<MappedFile> open(const std::filesystem::path& path);
  // The class names of a release, one a line; another number of them is a problem.
  std::vector<std::string> names(const std::filesystem::path& path, int64_t expected);
  // Worth saying, nothing is left out: a cache that cannot be written.
  void note(std::string text) { notes.push_back(std::move(text)); }

  std::vector<Problem> problems;  // in the order they were met
  std::vector<std::string> notes;
};

}  // namespace penumbra
