// CIFAR-10: 60000 colour photographs of 32 x 32 pixels in ten classes, the binary version.
// Krizhevsky 2009, https://www.cs.toronto.edu/~kriz/cifar.html

#include "penumbra/data/dataset.h"
#include "penumbra/data/records.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

class Cifar10 final : public Dataset {
 public:
  explicit Cifar10(Options& options) {
    options.read("path", path_,
                 "folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin");
  }

  std::vector<std::string> classes(Reading& reading) const override {
    return reading.names(path_ / "batches.meta.txt", 10);
  }
  Images train(Reading& reading) const override {
    std::vector<fs::path> files;
    for (int i = 1; i <= 5; ++i)
      files.push_back(path_ / ("data_batch_" + std::to_string(i) + ".bin"));
    return read_records(files, {}, reading);
  }
  Images test(Reading& reading) const override {
    return read_records({path_ / "test_batch.bin"}, {}, reading);
  }
  bool recognises(const fs::path& folder) const override {
    return fs::exists(folder / "data_batch_1.bin") || fs::exists(folder / "batches.meta.txt");
  }
  Origin origin() const override {
    Origin origin;
    origin.folder = "cifar-10-batches-bin";
    origin.address = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz";
    origin.terms = "cite Krizhevsky 2009, Learning Multiple Layers of Features from Tiny Images";
    return origin;
  }

 private:
  fs::path path_;
};

}  // namespace

extern const DatasetPlugin dataset_cifar10 =
    plugin<Dataset, Cifar10>("photographs, 10 classes, 50000 + 10000 of 32 x 32 RGB");

}  // namespace penumbra
