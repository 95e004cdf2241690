// CIFAR-100: as CIFAR-10 with a hundred classes in twenty groups, the binary version.
// Krizhevsky 2009, https://www.cs.toronto.edu/~kriz/cifar.html

#include "penumbra/data/dataset.h"
#include "penumbra/data/install.h"
#include "penumbra/data/records.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

class Cifar100 final : public Dataset {
 public:
  explicit Cifar100(Options& options) {
    options.read("path", path_, "folder with train.bin, test.bin and the label names");
    options.read_choice("labels", labels_, {"fine", "coarse"},
                        "100 fine classes or their 20 groups");
  }

  std::vector<std::string> classes(Reading& reading) const override {
    return reading.names(path_ / (labels_ + "_label_names.txt"), layout().classes);
  }
  Images train(Reading& reading) const override {
    return read_records({path_ / "train.bin"}, layout(), reading);
  }
  Images test(Reading& reading) const override {
    return read_records({path_ / "test.bin"}, layout(), reading);
  }
  bool recognises(const fs::path& folder) const override {
    return is_there(folder / "fine_label_names.txt");
  }
  Origin origin() const override {
    Origin origin;
    origin.folder = "cifar-100-binary";
    origin.address = "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz";
    origin.terms = "cite Krizhevsky 2009, Learning Multiple Layers of Features from Tiny Images";
    origin.files = {
        {"train.bin", "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29"},
        {"test.bin", "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a"},
        {"fine_label_names.txt", ""},
        {"coarse_label_names.txt", ""}};
    origin.downloads = {{Download::Kind::kUrl, origin.address, take_folder(origin.folder)}};
    return origin;
  }

 private:
  // A record starts with the coarse label, then the fine one.
  RecordLayout layout() const {
    const bool fine = labels_ == "fine";
    RecordLayout layout;
    layout.label_bytes = 2;
    layout.label_at = fine ? 1 : 0;
    layout.classes = fine ? 100 : 20;
    return layout;
  }

  fs::path path_;
  std::string labels_ = "fine";
};

}  // namespace

extern const DatasetPlugin dataset_cifar100 =
    plugin<Dataset, Cifar100>("photographs, 100 classes, 50000 + 10000 of 32 x 32 RGB");

}  // namespace penumbra
