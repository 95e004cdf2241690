#include "penumbra/data/idx.h"

#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "penumbra/core/file.h"
#include "penumbra/data/label_check.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

// A plain or gzipped file read from front to back (zlib passes plain files through).
class ByteStream {
 public:
  explicit ByteStream(const fs::path& path) : file_(gzopen(path.c_str(), "rb")) {
    if (file_ != nullptr) gzbuffer(file_, 1 << 18);
  }
  ~ByteStream() {
    if (file_ != nullptr) gzclose(file_);
  }
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // Reads `size` bytes; fewer at the end of the file or where the gzip data is damaged.
  uint64_t read(void* target, uint64_t size) {
    uint64_t done = 0;
    while (done < size && file_ != nullptr) {
      const auto piece = static_cast<unsigned>(std::min<uint64_t>(size - done, 1u << 30));
      const int got = gzread(file_, static_cast<char*>(target) + done, piece);
      if (got <= 0) break;
      done += static_cast<uint64_t>(got);
    }
    return done;
  }

  bool compressed() { return file_ != nullptr && gzdirect(file_) == 0; }

  // What zlib says is wrong so far. The checksum at the end of a gzip file is compared only
  // when a read meets that end.
  bool damaged() {
    int code = Z_OK;
    if (file_ != nullptr) gzerror(file_, &code);
    return file_ == nullptr || (code != Z_OK && code != Z_STREAM_END);
  }

 private:
  gzFile file_;
};

// An idx array of unsigned bytes: magic 0 0 8 DIMENSIONS, big-endian sizes, then the values.
// Nothing after telling `reading` what is wrong.
std::optional<torch::Tensor> read_array(const fs::path& path, unsigned dimensions,
                                        Reading& reading) {
  const auto mapped = reading.open(path);  // says why when it cannot be opened
  if (!mapped) return {};
  const auto broken = [&](uint64_t byte, const std::string& what) {
    reading.broken({path.string(), fmt::format("byte {}", byte), what + "; get the file again"});
    return std::nullopt;
  };

  ByteStream stream(path);
  std::array<uint8_t, 16> header{};
  const auto header_size = 4 + 4 * uint64_t{dimensions};
  const auto header_read = stream.read(header.data(), header_size);
  if (header_read < header_size)
    return broken(header_read, stream.damaged() ? "the gzip data is damaged or cut short"
                                                : "the file ends within its header");
  if (header[0] != 0 || header[1] != 0 || header[2] != 8 || header[3] != dimensions)
    return broken(0,
                  fmt::format("magic number {:02x}{:02x}{:02x}{:02x}, expected 0000080{}: not "
                              "an idx file of bytes in {} dimensions",
                              header[0], header[1], header[2], header[3], dimensions, dimensions));

  // Deflate cannot shrink by more than 1032: a header that claims more lies, which is found out
  // before any memory is asked for.
  const uint64_t most = mapped->size() * (stream.compressed() ? 1032 : 1);
  std::vector<int64_t> sizes;
  uint64_t total = 1;
  for (unsigned d = 0; d < dimensions; ++d) {
    uint32_t size = 0;
    for (unsigned b = 0; b < 4; ++b) size = size << 8 | header[4 + 4 * d + b];
    sizes.push_back(size);
    // Beside a zero the other sizes could be anything, also more than memory can be counted for.
    if (size == 0)
      return broken(4 + 4 * d, fmt::format("the header claims {} values: the file is empty",
                                           fmt::join(sizes, " x ")));
    if (total > most / size)
      return broken(4 + 4 * d, fmt::format("the header claims {} bytes or more, but the file can "
                                           "hold no more than {}",
                                           fmt::join(sizes, " x "), most));
    total *= size;
  }

  auto array = torch::empty(sizes, torch::kByte);
  const auto read = stream.read(array.data_ptr<uint8_t>(), total);
  char beyond = 0;
  const bool more = stream.read(&beyond, 1) > 0;
  if (stream.damaged()) return broken(header_size + read, "the gzip data is damaged or cut short");
  if (read < total)
    return broken(header_size + read, fmt::format("cut short: expected {} values", total));
  if (more)
    return broken(header_size + total,
                  fmt::format("trailing bytes after the {} values of the header", total));
  return array;
}

fs::path plain_or_gz(const fs::path& path) {
  auto zipped = path;
  zipped += ".gz";
  return is_there(path) || !is_there(zipped) ? path : zipped;
}

}  // namespace

Images read_idx_pair(const fs::path& folder, const std::string& prefix, int64_t classes,
                     Reading& reading) {
  const auto labels_path = plain_or_gz(folder / (prefix + "-labels-idx1-ubyte"));
  const auto pixels = read_array(plain_or_gz(folder / (prefix + "-images-idx3-ubyte")), 3, reading);
  const auto labels = read_array(labels_path, 1, reading);
  if (!pixels || !labels) return {};
  if (pixels->size(0) != labels->size(0)) {
    reading.broken({labels_path.string(), "",
                    fmt::format("{} labels for {} pictures", labels->size(0), pixels->size(0))});
    return {};
  }
  Images images;
  images.pixels = pixels->unsqueeze(3);
  images.labels = labels->to(torch::kLong);
  check_labels(images.labels, 0, classes - 1, labels_path, reading);
  return images;
}

bool has_idx_files(const fs::path& folder) {
  return is_there(plain_or_gz(folder / "train-images-idx3-ubyte"));
}

bool is_fashion(const fs::path& folder) {
  std::error_code ignored;
  auto path = fs::weakly_canonical(folder, ignored);
  if (path.filename() == "raw") path = path.parent_path();  // torchvision keeps its files there
  auto name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return name.find("fashion") != std::string::npos;
}

}  // namespace penumbra
