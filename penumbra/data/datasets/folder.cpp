// Folder: a person's own pictures, in any of the layouts of folder_layout.h. They are decoded
// once, with all threads, into a packed file of the cache folder, and mapped from then on.

#include <algorithm>
#include <mutex>
#include <optional>

#include "penumbra/core/error.h"
#include "penumbra/data/dataset.h"
#include "penumbra/data/decode_files.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

// Pictures that all have one size keep it up to this many pixels: a folder of photographs
// from one camera must not become a cache of its hundreds of gigabytes by default.
constexpr int64_t kLargestOwnSize = 256;
constexpr int64_t kUsualSize = 64;

// FNV-1a, 64 bits: enough to notice a change, which is all that the cache asks of it.
class Fingerprint {
 public:
  void add(std::string_view text) {
    add(static_cast<int64_t>(text.size()));
    for (const char letter : text) mix(static_cast<uint8_t>(letter));
  }
  void add(int64_t number) {
    for (int i = 0; i < 8; ++i) mix(static_cast<uint8_t>(static_cast<uint64_t>(number) >> 8 * i));
  }
  uint64_t value() const { return value_; }

 private:
  void mix(uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  uint64_t value_ = 0xcbf29ce484222325;
};

class Folder final : public Dataset {
 public:
  explicit Folder(Options& options) {
    options.read("path", path_, "folder of pictures");
    options.read("size", size_, {0, 4096},
                 "height and width in pixels; 0: the pictures' own where all have the same, up to "
                 "256, else 64");
    options.read_choice("fit", fit_, {"crop", "stretch"},
                        "a picture that is not square is cropped to its middle, or stretched");
    options.read_choice("channels", channels_, {"3", "1"}, "3: colour; 1: grey");
    options.read("labels_file", labels_file_, "table of labels that lies outside the folder");
    options.read_choice("labels", labels_, {"layout", "none"},
                        "as the folder's layout says, or none: every picture in it at any depth");
  }

  std::vector<std::string> classes(Reading& reading) const override {
    const std::lock_guard lock(mutex_);
    return layout(reading).classes;
  }
  Images train(Reading& reading) const override { return part(kTrain, reading); }
  Images validation(Reading& reading) const override { return part(kValidation, reading); }
  Images test(Reading& reading) const override { return part(kTest, reading); }

 private:
  Images part(Part part, Reading& reading) const {
    const std::lock_guard lock(mutex_);
    if (!pictures_) {
      pictures_ = open(reading);
      for (auto& files : layout_->parts) files = {};  // their names are in the packed file
    }
    return pictures_->parts[part];
  }

  FolderLayout& layout(Reading& reading) const {
    if (path_.empty()) fail("dataset 'folder' was given no path; expected a folder of pictures");
    if (!layout_)
      layout_ = labels_ == "none" ? scan_without_labels(path_, reading)
                                  : scan_folder(path_, labels_file_, reading);
    return *layout_;
  }

  PackedPictures open(Reading& reading) const {
    auto found = layout(reading);
    const auto key = fingerprint(found);
    const auto cache = cache_file(reading);
    if (!cache.empty()) {
      // Others may be writing there now, but nobody for a whole day.
      remove_unfinished(cache.parent_path(), std::chrono::hours(24));
      if (auto packed = open_packed(cache, key); packed && knows_labels(found, *packed)) {
        for (const auto& problem : packed->skipped) reading.skipped(problem);
        return std::move(*packed);
      }
    }
    bool passing = false;
    const auto target = shape(found, reading, passing);
    if (auto writer = make_writer(cache, target, reading)) {
      const auto skipped =
          decode(found, target, reading,
                 [&](auto slot, const auto* pixels, auto n) { writer->store(slot, pixels, n); });
      for (const auto& problem : skipped) passing = passing || problem.passing;
      // What could not be read this time must not be missing for ever: under a key that nobody
      // looks for the file serves this process, and the next one writes it anew.
      const auto kept_under = passing ? ~key : key;
      writer->commit(kept_under, found, skipped);
      if (auto packed = open_packed(cache, kept_under)) return std::move(*packed);
      fail("cannot read back ", cache.string(), ", which was just written; check the disk");
    }
    return decode_in_memory(std::move(found), target, reading);
  }

  // Whether every label of a packed file is that of a class; else it is damaged.
  static bool knows_labels(const FolderLayout& found, const PackedPictures& packed) {
    const auto classes = static_cast<int64_t>(found.classes.size());
    return std::all_of(packed.parts.begin(), packed.parts.end(), [&](const Images& images) {
      return images.size() == 0 || (images.labels.min().item<int64_t>() >= kUnlabelled &&
                                    images.labels.max().item<int64_t>() < classes);
    });
  }

  // Everything that the packed file depends on.
  uint64_t fingerprint(const FolderLayout& found) const {
    Fingerprint print;
    print.add(size_);
    print.add(fit_);
    print.add(channels_);
    for (const auto& name : found.classes) print.add(name);
    for (const auto& part : found.parts) {
      print.add(static_cast<int64_t>(part.size()));
      for (const auto& file : part) {
        print.add(file.name);
        print.add(file.label);
        print.add(static_cast<int64_t>(file.size));
        print.add(file.modified);
      }
    }
    return print.value();
  }

  // One file per folder and options, so that a changed folder replaces its own.
  fs::path cache_file(const Reading& reading) const {
    if (reading.cache.empty()) return {};
    Fingerprint print;
    print.add(fs::canonical(path_).string());
    print.add(labels_file_.empty() ? "" : fs::canonical(labels_file_).string());
    print.add(labels_);
    print.add(size_);
    print.add(fit_);
    print.add(channels_);
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(print.value()));
    return reading.cache / ("folder-" + std::string(digits) + ".packed");
  }

  // Null where pictures cannot be kept.
  std::unique_ptr<PackedWriter> make_writer(const fs::path& cache, const PictureShape& target,
                                            Reading& reading) const {
    if (cache.empty()) return nullptr;
    std::error_code ignored;  // opening the file says what is wrong
    fs::create_directories(cache.parent_path(), ignored);
    try {
      return std::make_unique<PackedWriter>(cache, target);
    } catch (const Error& error) {
      reading.note(std::string("the decoded pictures are kept in memory and not for the next "
                               "time: ") +
                   error.what());
      return nullptr;
    }
  }

  // `passing` becomes true where the answer may be another one the next time.
  PictureShape shape(const FolderLayout& found, const Reading& reading, bool& passing) const {
    PictureShape wanted{size_, size_, std::stoi(channels_)};
    if (size_ > 0) return wanted;
    const auto common = common_shape(path_, found, kLargestOwnSize, reading.threads, &passing);
    const bool own = common.height > 0;
    wanted.height = own ? common.height : kUsualSize;
    wanted.width = own ? common.width : kUsualSize;
    return wanted;
  }

  std::vector<Problem> decode(FolderLayout& found, const PictureShape& target, Reading& reading,
                              const StorePictures& store) const {
    const auto fit = fit_ == "crop" ? Fit::kCrop : Fit::kStretch;
    auto skipped = decode_files(path_, target, fit, found, reading, store);
    if (found.parts[kTrain].empty())
      fail("none of the training pictures in ", path_,
           " can be read; the first: ", to_string(skipped.front()));
    return skipped;
  }

  PackedPictures decode_in_memory(FolderLayout found, const PictureShape& target,
                                  Reading& reading) const {
    std::size_t n = 0;
    for (const auto& part : found.parts) n += part.size();
    auto pixels =
        empty_pixels(static_cast<int64_t>(n), target.height, target.width, target.channels);
    auto* to = pixels.data_ptr<uint8_t>();
    PackedPictures packed;
    packed.skipped = decode(found, target, reading, [&](auto slot, const auto* from, auto count) {
      std::copy_n(from, count * target.bytes(), to + slot * target.bytes());
    });
    int64_t begin = 0;
    for (std::size_t part = 0; part < found.parts.size(); ++part) {
      const auto& files = found.parts[part];
      if (files.empty()) continue;
      const auto end = begin + static_cast<int64_t>(files.size());
      std::vector<std::string> names;
      std::vector<int64_t> labels;
      for (const auto& file : files) {
        names.push_back(file.name);
        labels.push_back(file.label);
      }
      packed.parts[part] = {pixels.slice(0, begin, end), torch::tensor(labels, torch::kLong),
                            Names(names)};
      begin = end;
    }
    return packed;
  }

  std::string path_, fit_ = "crop", channels_ = "3", labels_file_, labels_ = "layout";
  int64_t size_ = 0;
  // Read at the first call, then shared by all.
  mutable std::mutex mutex_;
  mutable std::optional<FolderLayout> layout_;
  mutable std::optional<PackedPictures> pictures_;
};

}  // namespace

extern const DatasetPlugin dataset_folder =
    plugin<Dataset, Folder>("your own pictures: JPEG, PNG or WebP, in folders or with labels.csv");

}  // namespace penumbra
