#include "penumbra/data/records.h"

#include <fmt/format.h>

#include <memory>

#include "penumbra/core/file.h"
#include "penumbra/core/parallel.h"
#include "penumbra/core/wide_loops.h"
#include "penumbra/data/label_check.h"

namespace penumbra {
namespace {

constexpr int64_t kRecordsAtOnce = 256;  // records that one thread converts before it asks again

struct RecordFile {
  std::filesystem::path path;
  std::unique_ptr<MappedFile> file;
  int64_t records = 0;
  int64_t first = 0;  // index of its first record among all
};

// The files that can be opened, with the number of whole records in each.
std::vector<RecordFile> open_all(const std::vector<std::filesystem::path>& files,
                                 const RecordLayout& layout, Reading& reading) {
  std::vector<RecordFile> sources;
  int64_t first = 0;
  for (const auto& path : files) {
    RecordFile source{path, reading.open(path), 0, first};
    if (!source.file) continue;
    const auto bytes = static_cast<int64_t>(source.file->size());
    source.records = bytes / layout.size();
    if (bytes % layout.size() != 0 || bytes == 0)
      reading.broken({path.string(), fmt::format("record {}", source.records),
                      fmt::format("{} bytes are left of a record of {}: the file is cut short or "
                                  "something was appended; get it again",
                                  bytes % layout.size(), layout.size())});
    first += source.records;
    sources.push_back(std::move(source));
  }
  return sources;
}

// out[p, c] = planes[c, p]. Colour is the usual case and has a loop that compilers can turn
// into shuffles; on x86 also for AVX2, chosen when the program starts.
PENUMBRA_WIDE void interleave(const uint8_t* planes, uint8_t* out, int64_t pixels,
                              int64_t channels) {
  if (channels == 3) {
    const uint8_t *red = planes, *green = planes + pixels, *blue = planes + 2 * pixels;
    for (int64_t p = 0; p < pixels; ++p) {
      out[3 * p] = red[p];
      out[3 * p + 1] = green[p];
      out[3 * p + 2] = blue[p];
    }
  } else {
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < channels; ++c) out[p * channels + c] = planes[c * pixels + p];
  }
}

}  // namespace

Images read_records(const std::vector<std::filesystem::path>& files, const RecordLayout& layout,
                    Reading& reading) {
  const auto sources = open_all(files, layout, reading);
  int64_t total = 0;
  for (const auto& source : sources) total += source.records;

  Images images;
  images.pixels = empty_pixels(total, layout.height, layout.width, layout.channels);
  images.labels = torch::empty({total}, torch::kLong);
  auto* pixels = images.pixels.data_ptr<uint8_t>();
  auto* labels = images.labels.data_ptr<int64_t>();
  for (const auto& source : sources) {
    const auto pieces = (source.records + kRecordsAtOnce - 1) / kRecordsAtOnce;
    parallel_for(static_cast<std::size_t>(pieces), reading.threads, [&](std::size_t piece) {
      const auto begin = static_cast<int64_t>(piece) * kRecordsAtOnce;
      const auto end = std::min(source.records, begin + kRecordsAtOnce);
      for (int64_t i = begin; i < end; ++i) {
        const auto* record = source.file->data() + i * layout.size();
        labels[source.first + i] = record[layout.label_at];
        interleave(record + layout.label_bytes,
                   pixels + (source.first + i) * layout.pixels() * layout.channels, layout.pixels(),
                   layout.channels);
      }
    });
    check_labels(images.labels.slice(0, source.first, source.first + source.records), 0,
                 layout.classes - 1, source.path, reading);
  }
  return images;
}

}  // namespace penumbra
