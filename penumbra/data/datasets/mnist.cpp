// MNIST: 70000 handwritten digits of 28 x 28 grey pixels.
// LeCun et al. 1998, http://yann.lecun.com/exdb/mnist/

#include "penumbra/data/dataset.h"
#include "penumbra/data/idx.h"

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
