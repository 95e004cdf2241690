#pragma once
#include <filesystem>
#include <vector>

#include "penumbra/data/images.h"
#include "penumbra/data/reading.h"

namespace penumbra {

// Fixed-size binary records as the CIFAR releases have them: label bytes, then the picture's
// colour planes one after the other (all red, all green, all blue), row by row.
struct RecordLayout {
  int64_t label_bytes = 1;
  int64_t label_at = 0;  // which of them is the label
  int64_t classes = 10;
  int64_t height = 32, width = 32, channels = 3;

  int64_t pixels() const { return height * width; }
  int64_t size() const { return label_bytes + pixels() * channels; }
};

// All records of these files in order. Missing files, cut records and labels out of range go to
// `reading`; while inspecting, the records that are whole are still returned.
Images read_records(const std::vector<std::filesystem::path>& files, const RecordLayout& layout,
                    Reading& reading);

}  // namespace penumbra
