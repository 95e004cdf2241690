// SVHN: house numbers from street photographs, cropped to single digits of 32 x 32 RGB pixels.
// Netzer et al. 2011, http://ufldl.stanford.edu/housenumbers/

#include "penumbra/data/dataset.h"
#include "penumbra/data/install.h"
#include "penumbra/data/matlab.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

class Svhn final : public Dataset {
 public:
  explicit Svhn(Options& options) {
    options.read("path", path_, "folder with train_32x32.mat and test_32x32.mat");
  }

  std::vector<std::string> classes(Reading&) const override {
    return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  }
  Images train(Reading& reading) const override { return read(path_ / "train_32x32.mat", reading); }
  Images test(Reading& reading) const override { return read(path_ / "test_32x32.mat", reading); }
  bool recognises(const fs::path& folder) const override {
    return is_there(folder / "train_32x32.mat");
  }
  Origin origin() const override {
    Origin origin;
    origin.folder = "svhn";
    origin.address = "http://ufldl.stanford.edu/housenumbers/";
    origin.terms = "for non-commercial use only";
    origin.files = {{"train_32x32.mat", ""}, {"test_32x32.mat", ""}};
    origin.downloads = {{Download::Kind::kUrl,
                         origin.address + "train_32x32.mat " + origin.address + "test_32x32.mat",
                         take_folder(".")}};
    return origin;
  }
  bool mirrors() const override { return false; }

 private:
  // Labels are 1 to 10, and 10 is the digit 0.
  static Images read(const fs::path& file, Reading& reading) {
    auto images = read_matlab_images(file, /*first_label=*/1, /*last_label=*/10, reading);
    images.labels.masked_fill_(images.labels == 10, 0);
    return images;
  }

  fs::path path_;
};

}  // namespace

extern const DatasetPlugin dataset_svhn =
    plugin<Dataset, Svhn>("house number digits, 10 classes, 73257 + 26032 of 32 x 32 RGB");

}  // namespace penumbra
