#include "penumbra/data/packed.h"

#include <algorithm>
#include <cstring>

#include "penumbra/core/error.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr char kMagic[8] = {'p', 'e', 'n', 'p', 'a', 'c', 'k', '\n'};
constexpr uint64_t kVersion = 1;

struct Header {
  char magic[8];
  uint64_t version, key;
  uint64_t height, width, channels;
  uint64_t count[kParts];       // pictures
  uint64_t name_bytes[kParts];  // of text
  uint64_t skipped, skipped_bytes;
};
static_assert(sizeof(Header) <= PackedWriter::kPixelsAt);

// Where the tables lie, given that no sum below can overflow.
struct Places {
  uint64_t pictures = 0, labels, ends, skipped, text, size;

  explicit Places(const Header& header) {
    uint64_t name_bytes = 0;
    for (int part = 0; part < kParts; ++part) {
      pictures += header.count[part];
      name_bytes += header.name_bytes[part];
    }
    // Slots of skipped pictures may have been written before it was known.
    const auto slots = pictures + header.skipped;
    const auto pixels = slots * header.height * header.width * header.channels;
    labels = (PackedWriter::kPixelsAt + pixels + 7) / 8 * 8;
    ends = labels + 8 * pictures;
    skipped = ends + 8 * pictures;
    text = skipped + 16 * header.skipped;
    size = text + name_bytes + header.skipped_bytes;
  }
};

// Every number is bounded by the size of the real file before it is used for anything.
bool is_sound(const Header& header, uint64_t key, uint64_t file_size) {
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.version != kVersion ||
      header.key != key)
    return false;
  constexpr uint64_t kMostSide = 1 << 16;
  if (header.height < 1 || header.height > kMostSide || header.width < 1 ||
      header.width > kMostSide || header.channels < 1 || header.channels > 4)
    return false;
  const auto picture = header.height * header.width * header.channels;
  for (int part = 0; part < kParts; ++part)
    if (header.count[part] > file_size / picture || header.name_bytes[part] > file_size)
      return false;
  if (header.skipped > file_size / picture || header.skipped_bytes > file_size) return false;
  return Places(header).size == file_size;
}

// Ends of texts never decrease, and the last one is where the text ends.
bool are_ends(const uint64_t* ends, uint64_t n, uint64_t bytes) {
  return n == 0 ? bytes == 0 : std::is_sorted(ends, ends + n) && ends[n - 1] == bytes;
}

template <class T>
void append(std::string& bytes, const std::vector<T>& items) {
  bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
}

Images map_images(const std::shared_ptr<MappedFile>& file, const Header& header,
                  const uint8_t* pixels, const int64_t* labels, Names names) {
  const auto n = static_cast<int64_t>(names.size());
  if (n == 0) return {};
  Images images;
  images.pixels = torch::from_blob(
      const_cast<uint8_t*>(pixels),
      {n, static_cast<int64_t>(header.height), static_cast<int64_t>(header.width),
       static_cast<int64_t>(header.channels)},
      [file](void*) {}, torch::kByte);
  // A copy, since splits hide labels.
  images.labels = torch::from_blob(const_cast<int64_t*>(labels), {n}, torch::kLong).clone();
  images.files = std::move(names);
  return images;
}

}  // namespace

void PackedWriter::commit(uint64_t key, const FolderLayout& layout,
                          const std::vector<Problem>& skipped) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.key = key;
  header.height = static_cast<uint64_t>(shape_.height);
  header.width = static_cast<uint64_t>(shape_.width);
  header.channels = static_cast<uint64_t>(shape_.channels);
  std::vector<int64_t> labels;
  std::vector<uint64_t> ends, skipped_ends;
  std::string text, skipped_text;
  for (int part = 0; part < kParts; ++part) {
    const auto begin = text.size();
    for (const auto& file : layout.parts[static_cast<std::size_t>(part)]) {
      text += file.name;
      ends.push_back(text.size() - begin);
      labels.push_back(file.label);
    }
    header.count[part] = layout.parts[static_cast<std::size_t>(part)].size();
    header.name_bytes[part] = text.size() - begin;
  }
  for (const auto& problem : skipped) {
    skipped_ends.push_back((skipped_text += problem.file).size());
    skipped_ends.push_back((skipped_text += problem.what).size());
  }
  header.skipped = skipped.size();
  header.skipped_bytes = skipped_text.size();

  std::string tables;
  append(tables, labels);
  append(tables, ends);
  append(tables, skipped_ends);
  tables += text + skipped_text;
  file_.write_at(Places(header).labels, tables.data(), tables.size());
  file_.write_at(0, &header, sizeof header);
  file_.commit();
}

std::optional<PackedPictures> open_packed(const fs::path& path, uint64_t key) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  const auto file = std::make_shared<MappedFile>(path);
  Header header;
  if (file->size() < PackedWriter::kPixelsAt) return {};
  std::memcpy(&header, file->data(), sizeof header);
  if (!is_sound(header, key, file->size())) return {};

  const Places places(header);
  const auto* pixels = file->data() + PackedWriter::kPixelsAt;
  const auto* labels = reinterpret_cast<const int64_t*>(file->data() + places.labels);
  const auto* ends = reinterpret_cast<const uint64_t*>(file->data() + places.ends);
  const auto* text = reinterpret_cast<const char*>(file->data() + places.text);
  PackedPictures packed;
  for (int part = 0; part < kParts; ++part) {
    const auto n = header.count[part];
    if (!are_ends(ends, n, header.name_bytes[part])) return {};
    packed.parts[static_cast<std::size_t>(part)] =
        map_images(file, header, pixels, labels, Names(file, ends, n, text));
    pixels += n * header.height * header.width * header.channels;
    labels += n;
    ends += n;
    text += header.name_bytes[part];
  }
  if (!are_ends(ends, 2 * header.skipped, header.skipped_bytes)) return {};
  const Names skipped(file, ends, 2 * header.skipped, text);
  for (std::size_t i = 0; i < skipped.size(); i += 2)
    packed.skipped.push_back({std::string(skipped[i]), "", std::string(skipped[i + 1])});
  return packed;
}

}  // namespace penumbra
