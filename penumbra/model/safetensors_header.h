#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// What a safetensors header says of one tensor.
struct TensorEntry {
  std::string name;
  std::string type;             // "F32"
  std::vector<int64_t> shape;   // empty for a single number
  uint64_t begin = 0, end = 0;  // bytes, from the end of the header
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorEntry> entries;  // as they stand in the header
};

// Reads the JSON text of a header: {"name": {"dtype": "F32", "shape": [2, 3],
// "data_offsets": [0, 24]}, ..., "__metadata__": {"key": "text"}}. Anything else throws Error
// beginning with `file`. Memory stays in proportion to the text.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file);

}  // namespace penumbra
