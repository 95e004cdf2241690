#include "penumbra/data/decode_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>

#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"
#include "penumbra/core/signals.h"
#include "penumbra/data/picture.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

// Enough pictures at a time that waiting for the last of them costs nothing.
constexpr std::size_t kChunkBytes = 8 << 20;
// One thread decodes this much before it is stored: many small writes cost far more than few.
constexpr std::size_t kGroupBytes = 1 << 18;

// No picture of a camera comes near; a file that does is something else.
constexpr std::size_t kMostBytes = 1 << 29;

struct Closing {
  int descriptor;
  ~Closing() { close(descriptor); }
};

// What may be gone the next time, unlike what is wrong with the bytes of a file.
class PassingError : public Error {
 public:
  using Error::Error;
};

[[noreturn]] void fail_errno(const std::string& what) {
  throw PassingError(what + ": " + std::strerror(errno));
}

// Read, not mapped: for files of a few kB mapping and unmapping costs more than the copy,
// and it stops the other threads for a moment.
const std::vector<uint8_t>& read_bytes(const fs::path& path) {
  thread_local std::vector<uint8_t> bytes;
  // What was a picture when the folder was listed may be a pipe by now, and must not be waited for.
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) fail_errno("cannot open the file");
  const Closing closing{descriptor};
  struct stat status {};
  if (fstat(descriptor, &status) != 0) fail_errno("cannot look at the file");
  if (!S_ISREG(status.st_mode)) throw PassingError("not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > kMostBytes)
    fail("a file of ", size, " bytes, more than the ", kMostBytes, " that are read");
  bytes.resize(size);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto got = read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno("cannot read the file");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);  // a file that shrank meanwhile is found to be cut short
  return bytes;
}

void decode_one(const fs::path& path, const PictureShape& shape, Fit fit, uint8_t* target) {
  const auto& bytes = read_bytes(path);
  DecodeRequest request;
  request.channels = static_cast<int>(shape.channels);
  if (shape.height == shape.width) request.short_side = static_cast<int>(shape.height);
  // Fresh memory for every picture would be filled with zeros for nothing.
  thread_local std::vector<uint8_t> memory;
  request.memory = &memory;
  auto picture = decode_picture(bytes.data(), bytes.size(), request);
  if (picture.height == shape.height && picture.width == shape.width)
    std::memcpy(target, picture.pixels.data(), shape.bytes());
  else if (shape.height == shape.width)
    resize(picture, static_cast<int>(shape.height), fit, target);
  else
    throw PassingError(fmt::format(
        "a picture of {} x {} pixels, expected {} x {} as all others; it changed while the folder "
        "was read",
        picture.width, picture.height, shape.width, shape.height));
  memory = std::move(picture.pixels);
}

// Tells the listener now and then, never from two threads at once and never a smaller number.
class Progress {
 public:
  Progress(const Reading& reading, std::size_t total) : reading_(reading), total_(total) {}

  void one_more() {
    if (done_.fetch_add(1) % 64 != 0) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) reading_.progress(static_cast<int64_t>(done_), static_cast<int64_t>(total_));
  }
  void finish() { reading_.progress(static_cast<int64_t>(total_), static_cast<int64_t>(total_)); }

 private:
  const Reading& reading_;
  std::size_t total_;
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
};

std::vector<const PictureFile*> all_files(const FolderLayout& layout) {
  std::vector<const PictureFile*> files;
  for (const auto& part : layout.parts)
    for (const auto& file : part) files.push_back(&file);
  return files;
}

// Why a picture could not be decoded; empty where all went well.
struct Failure {
  std::string message;
  bool passing = false;
};

template <class Decode>
Failure failure_of(Decode decode) {
  try {
    decode();
    return {};
  } catch (const PassingError& error) {
    return {error.what(), true};
  } catch (const Error& error) {
    return {error.what(), false};
  } catch (const std::bad_alloc&) {
    return {"there is not enough memory to decode it", true};
  }
}

void remove_broken(FolderLayout& layout, const std::vector<Failure>& failures) {
  std::size_t i = 0;
  for (auto& part : layout.parts)
    part.erase(std::remove_if(part.begin(), part.end(),
                              [&](const PictureFile&) { return !failures[i++].message.empty(); }),
               part.end());
}

}  // namespace

std::vector<Problem> decode_files(const fs::path& folder, const PictureShape& shape, Fit fit,
                                  FolderLayout& layout, Reading& reading,
                                  const StorePictures& store) {
  const auto files = all_files(layout);
  const auto group = std::max<std::size_t>(1, kGroupBytes / shape.bytes());
  const auto for_all_threads = 4 * static_cast<std::size_t>(std::max(1, reading.threads));
  const auto chunk = std::min(files.size(), std::max(for_all_threads, kChunkBytes / shape.bytes()));
  std::vector<uint8_t> pixels(chunk * shape.bytes());
  std::vector<Failure> failures(files.size());
  std::vector<Problem> skipped;
  Progress progress(reading, files.size());
  for (std::size_t begin = 0, slot = 0; begin < files.size(); begin += chunk) {
    const auto n = std::min(chunk, files.size() - begin);
    const auto picture = [&](std::size_t i) { return pixels.data() + i * shape.bytes(); };
    parallel_for((n + group - 1) / group, reading.threads, [&](std::size_t g) {
      const auto first = g * group, last = std::min(n, first + group);
      for (auto i = first; i < last; ++i) {
        if (interrupted()) fail("interrupted while reading ", folder.string());
        failures[begin + i] = failure_of(
            [&] { decode_one(folder / files[begin + i]->name, shape, fit, picture(i)); });
        progress.one_more();
      }
      store(slot + first, picture(first), last - first);
    });
    // A broken picture leaves a gap: those after it in this chunk move up and are stored again.
    std::size_t kept = 0, gap = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (const auto& [message, passing] = failures[begin + i]; !message.empty()) {
        gap = std::min(gap, kept);
        skipped.push_back({(folder / files[begin + i]->name).string(), "", message, passing});
        reading.skipped(skipped.back());
        continue;
      }
      if (kept != i) std::memcpy(picture(kept), picture(i), shape.bytes());
      ++kept;
    }
    if (gap < kept) store(slot + gap, picture(gap), kept - gap);
    slot += kept;
  }
  progress.finish();
  remove_broken(layout, failures);
  return skipped;
}

PictureShape common_shape(const fs::path& folder, const FolderLayout& layout, int64_t largest,
                          int threads, bool* passing) {
  const auto files = all_files(layout);
  std::mutex mutex;
  PictureShape shape;
  std::atomic<bool> differ{false};  // or too large
  std::atomic<bool> some_passing{false};
  parallel_for(files.size(), threads, [&](std::size_t i) {
    if (differ || interrupted()) return;
    Picture picture;
    const auto failure = failure_of([&] {
      const auto& bytes = read_bytes(folder / files[i]->name);
      picture = decode_picture(bytes.data(), bytes.size(), {0, 0, /*header_only=*/true, nullptr});
    });
    if (failure.passing) some_passing = true;
    if (!failure.message.empty()) return;  // will be reported when it is decoded
    const std::lock_guard lock(mutex);
    if (shape.height == 0) shape = {picture.height, picture.width, 0};
    if (picture.height != shape.height || picture.width != shape.width ||
        std::max(picture.height, picture.width) > largest)
      differ = true;
  });
  if (passing != nullptr && some_passing) *passing = true;
  return differ ? PictureShape{} : shape;
}

}  // namespace penumbra
