// Fashion-MNIST: 70000 pictures of clothes of 28 x 28 grey pixels, in MNIST's format.
// Xiao et al. 2017, https://github.com/zalandoresearch/fashion-mnist

#include "penumbra/data/dataset.h"
#include "penumbra/data/idx.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

class FashionMnist final : public Dataset {
 public:
  explicit FashionMnist(Options& options) {
    options.read("path", path_, "folder with the four idx files, plain or .gz");
  }

  std::vector<std::string> classes(Reading&) const override {
    return {"t-shirt/top", "trouser", "pullover", "dress", "coat",
            "sandal",      "shirt",   "sneaker",  "bag",   "ankle boot"};
  }
  Images train(Reading& reading) const override {
    return read_idx_pair(path_, "train", 10, reading);
  }
  Images test(Reading& reading) const override { return read_idx_pair(path_, "t10k", 10, reading); }
  bool recognises(const fs::path& folder) const override {
    return has_idx_files(folder) && is_fashion(folder);
  }
  Origin origin() const override {
    Origin origin;
    origin.folder = "fashion-mnist";
    origin.system_folder = "/usr/share/datasets/fashion-mnist";
    origin.address = "https://github.com/zalandoresearch/fashion-mnist";
    origin.terms = "MIT licence";
    return origin;
  }

 private:
  fs::path path_;
};

}  // namespace

extern const DatasetPlugin dataset_fashion_mnist =
    plugin<Dataset, FashionMnist>("clothes, 10 classes, 60000 + 10000 of 28 x 28 grey");

}  // namespace penumbra
