#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "penumbra/core/file.h"
#include "penumbra/data/folder_layout.h"
#include "penumbra/data/images.h"
#include "penumbra/data/reading.h"

namespace penumbra {

struct PictureShape {
  int64_t height = 0, width = 0, channels = 0;
  std::size_t bytes() const { return static_cast<std::size_t>(height * width * channels); }
};

// A folder's pictures, decoded and resized.
struct PackedPictures {
  std::array<Images, kParts> parts;
  std::vector<Problem> skipped;  // pictures that could not be decoded
};

// The file that keeps decoded pictures:
//   header   at 0     magic, version, key, shape, counts; one page of 4096 bytes
//   pixels   at 4096  uint8 [N + S, H, W, C], the parts one after the other, then S unused slots
//   labels            int64 [N], starts at a multiple of 8
//   ends              uint64 [N], of each name, counted anew in every part
//   skipped           uint64 [S, 2], the ends of file and message in the text below
//   text              the names, then file and message of the skipped
// All in the machine's own byte order: it is a cache, not for exchange.
class PackedWriter {
 public:
  PackedWriter(const std::filesystem::path& path, const PictureShape& shape)
      : file_(path), shape_(shape) {}

  // Pictures slot .. slot+count-1, from any thread; a slot may be written again.
  void store(std::size_t slot, const uint8_t* pixels, std::size_t count) {
    file_.write_at(kPixelsAt + slot * shape_.bytes(), pixels, count * shape_.bytes());
  }
  // Writes the tables for the pictures of `layout`, which lie in slots 0 .. N-1.
  void commit(uint64_t key, const FolderLayout& layout, const std::vector<Problem>& skipped);

  static constexpr std::size_t kPixelsAt = 4096;

 private:
  AtomicFile file_;
  PictureShape shape_;
};

// The pictures of a packed file, memory-mapped: nothing is read before it is looked at, and
// the pixels must not be written to. Nothing where there is no such file, its key is another
// one, or anything in it contradicts its size; then it is to be written anew.
std::optional<PackedPictures> open_packed(const std::filesystem::path& path, uint64_t key);

}  // namespace penumbra
