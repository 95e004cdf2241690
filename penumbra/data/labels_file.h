#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "penumbra/data/reading.h"

namespace penumbra {

struct FileLabel {
  std::string label;  // empty where the picture is left unlabelled
  int64_t line = 0;   // where it stands, for messages
};

// A labels.csv: a header that names the columns `file` and `label`, then a line per picture,
//   file,label
//   cats/1.jpg,cat
//   "a, b.jpg",dog
// UTF-8 with or without a byte order mark, any line ends, quotes as in RFC 4180 (doubled
// inside), other columns ignored. What is wrong goes to `reading` with its line. The format is
// small, and no reader would put lines and delimiters into our messages, hence our own.
std::map<std::string, FileLabel> read_labels_file(const std::filesystem::path& path,
                                                  Reading& reading);

}  // namespace penumbra
