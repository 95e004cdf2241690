#include "penumbra/data/matlab_file.h"

#include <fmt/ranges.h>
#include <zlib.h>

#include <array>
#include <cstring>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

// "MAT-File Format", MathWorks: the header, then elements of a type, a size and that many bytes.
constexpr std::size_t kHeaderBytes = 128;
constexpr uint32_t kMatrix = 14, kCompressed = 15;
constexpr uint32_t kFirstNumberClass = 6, kLastNumberClass = 15, kComplex = 0x800;
constexpr std::size_t kMostBytesOfName = 1024;
constexpr uint64_t kDeflateAtMost = 1032;  // zlib cannot shrink by more than that

// How numbers of one element type lie in the file.
struct Stored {
  torch::ScalarType type;
  int64_t mask = 0;  // undoes the sign of types that torch has only signed
  uint64_t bytes() const { return torch::elementSize(type); }
};

Stored stored(uint32_t element_type) {
  static const std::map<uint32_t, Stored> known{
      {1, {torch::kChar}},          {2, {torch::kByte}},   {3, {torch::kShort}},
      {4, {torch::kShort, 0xffff}}, {5, {torch::kInt}},    {6, {torch::kInt, 0xffffffff}},
      {7, {torch::kFloat}},         {9, {torch::kDouble}}, {12, {torch::kLong}}};
  const auto found = known.find(element_type);
  if (found == known.end()) fail("holds numbers of the unknown type ", element_type);
  return found->second;
}

// The bytes of one element from front to back, inflated where they are compressed.
class Source {
 public:
  Source(std::string_view bytes, bool compressed) : bytes_(bytes), compressed_(compressed) {
    if (!compressed_) return;
    // zlib does not write to its input, its type only forgets to say so.
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib_.avail_in = static_cast<uInt>(bytes.size());
    if (inflateInit(&zlib_) != Z_OK) throw std::bad_alloc();
  }
  ~Source() {
    if (compressed_) inflateEnd(&zlib_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  void read(void* to, uint64_t size) {
    if (take(static_cast<char*>(to), size) < size) fail("is damaged or cut short");
  }

  uint32_t word() {
    uint32_t word = 0;
    read(&word, sizeof word);
    return word;
  }

  // More bytes than this cannot come.
  uint64_t most() const { return bytes_.size() * (compressed_ ? kDeflateAtMost : 1); }

  // zlib compares its checksum only where the data ends, which may be after some padding.
  void check_end() {
    std::array<char, 8> padding{};
    if (!compressed_) return;
    take(padding.data(), padding.size());
    if (!ended_) fail("is damaged: its checksum is wrong, or more follows than it says");
  }

 private:
  uint64_t take(char* to, uint64_t size) {
    if (!compressed_) {
      const auto taken = bytes_.copy(to, size);
      bytes_.remove_prefix(taken);
      return taken;
    }
    uint64_t done = 0;
    while (done < size && !ended_) {
      const auto piece = static_cast<uInt>(std::min<uint64_t>(size - done, 1u << 30));
      zlib_.next_out = reinterpret_cast<Bytef*>(to + done);
      zlib_.avail_out = piece;
      const int code = inflate(&zlib_, Z_NO_FLUSH);
      done += piece - zlib_.avail_out;
      ended_ = code == Z_STREAM_END;
      if (code != Z_OK && !ended_) break;
    }
    return done;
  }

  std::string_view bytes_;
  bool compressed_, ended_ = false;
  z_stream zlib_{};
};

struct Tag {
  uint32_t type, size;
  uint32_t padding;  // bytes that follow its data
};

// Four bytes or fewer may share the tag's eight: the size stands in the upper half of the type.
Tag read_tag(Source& source) {
  const auto first = source.word();
  if (const auto size = first >> 16; size != 0) {
    if (size > 4) fail("is damaged: ", size, " bytes in a place for four");
    return {first & 0xffff, size, 4 - size};
  }
  const auto size = source.word();
  return {first, size, (8 - size % 8) % 8};
}

// A short part of a variable: its flags, sizes or name.
std::string read_part(Source& source) {
  const auto tag = read_tag(source);
  if (tag.size > kMostBytesOfName) fail("is damaged: a header of ", tag.size, " bytes");
  std::string part(tag.size + tag.padding, '\0');
  source.read(part.data(), part.size());
  part.resize(tag.size);
  return part;
}

std::vector<int64_t> sizes_of(const std::string& part) {
  std::vector<int64_t> sizes;
  for (std::size_t at = 0; at + 4 <= part.size(); at += 4) {
    int32_t size = 0;
    std::memcpy(&size, part.data() + at, sizeof size);
    if (size < 1) fail("is empty or damaged: it has the size ", size);
    sizes.push_back(size);
  }
  return sizes;
}

torch::Tensor read_values(Source& source, const std::vector<int64_t>& sizes) {
  const auto tag = read_tag(source);
  const auto kind = stored(tag.type);
  uint64_t total = kind.bytes();
  for (const auto size : sizes) {
    if (total > source.most() / static_cast<uint64_t>(size))
      fail("claims ", fmt::format("{}", fmt::join(sizes, " x ")),
           " values, but the file can hold no more than ", source.most() / kind.bytes());
    total *= static_cast<uint64_t>(size);
  }
  if (tag.size != total)
    fail("has ", tag.size, " bytes of data, expected ", total, " for ",
         fmt::format("{}", fmt::join(sizes, " x ")), " values");
  auto values = torch::empty({static_cast<int64_t>(total / kind.bytes())}, kind.type);
  source.read(values.data_ptr(), total);
  source.check_end();
  return kind.mask == 0 ? values : values.to(torch::kLong).bitwise_and(kind.mask);
}

uint32_t word_at(std::string_view bytes, std::size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

}  // namespace

std::map<std::string, MatlabArray> read_matlab_arrays(std::string_view bytes,
                                                      const std::set<std::string>& names) {
  if (bytes.size() < kHeaderBytes || bytes.substr(124, 4) != std::string_view("\0\1IM", 4))
    fail("not a MATLAB v5 file (v4, v7.3 and big-endian ones are not read); get it again");
  std::map<std::string, MatlabArray> arrays;
  for (bytes.remove_prefix(kHeaderBytes); !bytes.empty();) {
    if (bytes.size() < 8 || word_at(bytes, 4) > bytes.size() - 8)
      fail("cut short within a variable; get the file again");
    const auto type = word_at(bytes, 0);
    const auto size = word_at(bytes, 4);
    Source source(bytes.substr(8, size), type == kCompressed);
    bytes.remove_prefix(8 + std::size_t{size});
    std::string name = "without a name";
    try {
      if (type == kCompressed ? read_tag(source).type != kMatrix : type != kMatrix) continue;
      const auto flags = read_part(source);
      if (flags.size() != 8) fail("is damaged: flags of ", flags.size(), " bytes");
      const auto size_part = read_part(source);
      name = read_part(source);
      if (names.count(name) == 0) continue;
      const auto kind = word_at(flags, 0) & 0xff;
      if (kind < kFirstNumberClass || kind > kLastNumberClass ||
          (word_at(flags, 0) & kComplex) != 0)
        fail("is no array of real numbers");
      const auto sizes = sizes_of(size_part);
      arrays.emplace(name, MatlabArray{sizes, read_values(source, sizes)});
    } catch (const Error& error) {
      fail("variable ", name, " ", error.what(), "; get the file again");
    }
  }
  return arrays;
}

}  // namespace penumbra
