// Fashion-MNIST: 70000 pictures of clothes of 28 x 28 grey pixels, in MNIST's format.
// Xiao et al. 2017, https://github.com/zalandoresearch/fashion-mnist

#include "penumbra/data/dataset.h"
#include "penumbra/data/idx.h"
#include "penumbra/data/install.h"

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
    origin.files = {{"train-labels-idx1-ubyte",
                     "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
                    {"train-images-idx3-ubyte",
                     "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
                    {"t10k-labels-idx1-ubyte",
                     "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"},
                    {"t10k-images-idx3-ubyte",
                     "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"}};
    origin.downloads = {{Download::Kind::kDebian, "dataset-fashion-mnist",
                         take_folder("usr/share/datasets/fashion-mnist")}};
    return origin;
  }

 private:
  fs::path path_;
};

}  // namespace

extern const DatasetPlugin dataset_fashion_mnist =
    plugin<Dataset, FashionMnist>("clothes, 10 classes, 60000 + 10000 of 28 x 28 grey");

}  // namespace penumbra
