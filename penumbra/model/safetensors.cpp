#include "penumbra/model/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "penumbra/core/error.h"
#include "penumbra/core/json.h"

namespace penumbra {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are written as they lie");

// The format's own limit, against headers that claim the whole memory.
constexpr uint64_t kMostHeaderBytes = 100'000'000;

struct Type {
  std::string_view name;
  torch::ScalarType type;
};

constexpr std::array<Type, 10> kTypes{{{"F64", torch::kDouble},
                                       {"F32", torch::kFloat},
                                       {"F16", torch::kHalf},
                                       {"BF16", torch::kBFloat16},
                                       {"I64", torch::kLong},
                                       {"I32", torch::kInt},
                                       {"I16", torch::kShort},
                                       {"I8", torch::kChar},
                                       {"U8", torch::kByte},
                                       {"BOOL", torch::kBool}}};

const Type* find_type(std::string_view name) {
  for (const auto& type : kTypes)
    if (type.name == name) return &type;
  return nullptr;
}

const Type& type_of(const NamedTensor& item) {
  for (const auto& type : kTypes)
    if (type.type == item.tensor.scalar_type()) return type;
  fail("tensor '", item.name, "' has the type ", item.tensor.scalar_type(),
       ", which safetensors files do not have");
}

// Bytes of a tensor, or false when that number, or a stride, would not fit.
bool byte_size(const TensorEntry& entry, const Type& type, uint64_t& bytes) {
  uint64_t extent = torch::elementSize(type.type);  // with empty dimensions counted as one
  bool empty = false;
  for (const auto dimension : entry.shape) {
    empty = empty || dimension == 0;
    const auto factor = static_cast<uint64_t>(std::max<int64_t>(dimension, 1));
    if (__builtin_mul_overflow(extent, factor, &extent)) return false;
  }
  bytes = empty ? 0 : extent;
  return extent <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const Metadata& metadata) {
  // Wide types first, so that every tensor begins at a multiple of its type's size.
  std::vector<const NamedTensor*> order;
  for (const auto& item : tensors) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->tensor.element_size() > b->tensor.element_size();
  });
  // A plain Json would look for each name among all others.
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const auto* item : order) {
    TORCH_CHECK(!item->name.empty() && item->name != "__metadata__" && !header.contains(item->name),
                "tensor name '", item->name, "' is empty, reserved or used twice");
    const auto end = offset + item->tensor.nbytes();
    header[item->name] = {{"dtype", type_of(*item).name},
                          {"shape", item->tensor.sizes().vec()},
                          {"data_offsets", {offset, end}}};
    offset = end;
  }
  // Metadata may hold names of files, which need not be UTF-8.
  auto text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMostHeaderBytes)
    fail("cannot write ", path.string(), ": its header would have ", text.size(),
         " bytes, more than the format's ", kMostHeaderBytes);

  AtomicFile file(path);
  const uint64_t size = text.size();
  file.write(&size, sizeof(size));
  file.write(text);
  for (const auto* item : order) {
    const auto values = item->tensor.detach().cpu().contiguous();
    file.write(values.data_ptr(), values.nbytes());
  }
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : file_(path), name_(path.string()) {
  uint64_t size = 0;
  if (file_.size() < sizeof(size))
    fail(name_, " has ", file_.size(), " bytes: too short for a safetensors file");
  std::memcpy(&size, file_.data(), sizeof(size));
  const uint64_t rest = file_.size() - sizeof(size);
  if (size > kMostHeaderBytes)
    fail(name_, ": the header would have ", size, " bytes, at most ", kMostHeaderBytes,
         " are allowed; this is not a safetensors file");
  if (size > rest)
    fail(name_, ": the header should have ", size, " bytes but only ", rest,
         " follow; the file is cut off or not a safetensors file");
  header_ = parse_safetensors_header(file_.text().substr(sizeof(size), size), name_);
  data_ = file_.data() + sizeof(size) + size;
  check_entries(rest - size);
}

void SafetensorsFile::check_entries(uint64_t data_size) {
  auto& entries = header_.entries;
  for (const auto& entry : entries) {
    const auto* type = find_type(entry.type);
    if (type == nullptr)
      fail(name_, ": '", entry.name, "' has the type '", entry.type,
           "', which penumbra cannot read; it reads F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL");
    if (entry.begin > entry.end || entry.end > data_size)
      fail(name_, ": '", entry.name, "' should be at bytes ", entry.begin, " to ", entry.end,
           " of ", data_size, "; the file is cut off or damaged");
    uint64_t bytes = 0;
    if (!byte_size(entry, *type, bytes) || bytes != entry.end - entry.begin)
      fail(name_, ": '", entry.name, "' of type ", entry.type, " and shape ",
           fmt::format("[{}]", fmt::join(entry.shape, ", ")), " does not fit its ",
           entry.end - entry.begin, " bytes");
  }
  // Tensors must lie one after the other: no byte belongs to two of them or to none.
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t reached = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    if (entry.begin != reached)
      fail(name_, ": '", entry.name, "' begins at byte ", entry.begin, ", expected ", reached,
           entry.begin < reached ? "; it overlaps another tensor" : "; there is a gap before it");
    reached = entry.end;
    places_.emplace(entry.name, i);
  }
  if (reached != data_size)
    fail(name_, ": ", data_size - reached, " bytes after the last tensor belong to none");
}

torch::Tensor SafetensorsFile::tensor(const std::string& name) const {
  const auto place = places_.find(name);
  if (place == places_.end()) fail(name_, " has no tensor '", name, "'");
  const auto& entry = header_.entries[place->second];
  const auto type = find_type(entry.type)->type;
  const auto bytes = entry.end - entry.begin;
  auto values = torch::empty(entry.shape, type == torch::kBool ? torch::kByte : type);
  if (bytes > 0) std::memcpy(values.data_ptr(), data_ + entry.begin, bytes);
  // A bool of any other value than 0 and 1 is undefined in C++.
  return type == torch::kBool ? values.ne(0) : values;
}

}  // namespace penumbra
