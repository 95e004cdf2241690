#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "penumbra/core/file.h"
#include "penumbra/model/named_tensor.h"
#include "penumbra/model/safetensors_header.h"

namespace penumbra {

using Metadata = std::map<std::string, std::string>;

// Weights in the safetensors format (https://github.com/huggingface/safetensors): eight bytes
// of header size, little-endian; a JSON header; the tensors' bytes, row by row. Appears whole
// or not at all. Types: float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8
// and bool. Layouts such as channels_last are written in the usual order.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const Metadata& metadata = {});

// A safetensors file, mapped. Everything the header claims is checked when it is opened: a
// broken, cut off or hostile file throws Error, which names the file and the tensor, and no
// memory is taken beyond what the file itself has.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);

  const Metadata& metadata() const { return header_.metadata; }
  const std::vector<TensorEntry>& entries() const { return header_.entries; }
  bool contains(const std::string& name) const { return places_.count(name) != 0; }
  // A copy of the values; throws Error if there is none of that name.
  torch::Tensor tensor(const std::string& name) const;

 private:
  void check_entries(uint64_t data_size);

  MappedFile file_;
  std::string name_;
  SafetensorsHeader header_;
  const uint8_t* data_ = nullptr;
  std::map<std::string, std::size_t> places_;  // in entries
};

}  // namespace penumbra
