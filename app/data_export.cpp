// penumbra data export: some pictures of a dataset as PNG files, a folder per class, to look at or
// to predict.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "app/command.h"
#include "app/data_options.h"
#include "app/progress.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/random.h"
#include "penumbra/core/signals.h"
#include "penumbra/core/temporary_folder.h"
#include "penumbra/data/picture.h"
#include "penumbra/model/image_inference.h"

namespace fs = std::filesystem;

namespace penumbra::app {
namespace {

struct ExportOptions {
  DataOptions data;
  fs::path folder;
  int64_t pictures = 10;
  std::string part = "test";
};

// "t-shirt/top" is no folder in a folder; "." and ".." are folders that are there already.
std::string folder_name(std::string label) {
  std::replace(label.begin(), label.end(), '/', '_');
  if (label == "." || label == "..") std::replace(label.begin(), label.end(), '.', '_');
  return label;
}

void refuse_shared_folders(const std::vector<std::string>& classes) {
  std::map<std::string, std::string> folders;
  for (const auto& name : classes)
    if (const auto [other, is_new] = folders.emplace(folder_name(name), name); !is_new)
      fail("classes '", other->second, "' and '", name, "' would share the folder ", other->first,
           ": rename one of them");
}

int export_data(const ExportOptions& options) {
  if (is_there(options.folder) && !fs::is_empty(options.folder))
    fail(options.folder.string(), " is not empty: expected a folder that is new");
  const auto opened = options.data.open(options.data.config({"data"}));
  auto reading = options.data.reading(opened);
  Progress progress("reading", "pictures");
  reading.progress = [&](int64_t done, int64_t total) { progress.update(done, total); };
  const auto& dataset = *opened.dataset;
  const auto images = options.part == "test" ? dataset.test(reading) : dataset.train(reading);
  const auto classes = dataset.classes(reading);
  if (images.size() == 0)
    fail(options.data.data, " has no ", options.part, " pictures; --part names the other part");
  if (images.channels() != 1 && images.channels() != 3)
    fail("pictures of ", images.channels(), " channels cannot be written: expected 1 or 3");
  Picture picture;
  picture.height = static_cast<int>(images.height());
  picture.width = static_cast<int>(images.width());
  picture.channels = static_cast<int>(images.channels());
  // At random, the same every time: evenly, a set whose classes take turns would give one of them.
  auto chosen = all_positions(images);
  Random random({/*seed=*/0, Stream::kShuffle});
  shuffle(chosen, random);
  chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(options.pictures)));
  refuse_shared_folders(classes);
  // The folder appears whole or not at all.
  const InterruptScope interrupts;
  const auto target = (fs::weakly_canonical(fs::absolute(options.folder)) / "").parent_path();
  const TemporaryFolder unfinished(target.parent_path(), "export");
  const auto written = unfinished.path() / "pictures";
  // As penumbra reads them again: classes beside unlabelled/ are below labelled/.
  const bool some_unlabelled = images.labels.eq(kUnlabelled).any().item<bool>();
  const auto labelled = some_unlabelled ? written / "labelled" : written;
  for (const auto i : chosen) {
    if (interrupted()) fail("stopped: ", options.folder.string(), " was not written");
    const auto label = images.labels[i].item<int64_t>();
    const auto folder = label < 0
                            ? written / "unlabelled"
                            : labelled / folder_name(classes[static_cast<std::size_t>(label)]);
    fs::create_directories(folder);
    const auto pixels = images.pixels[i].contiguous();
    picture.pixels.assign(pixels.data_ptr<uint8_t>(), pixels.data_ptr<uint8_t>() + pixels.numel());
    encode_png(folder / fmt::format("{:06}.png", i), picture);
  }
  fs::rename(written, target);
  std::cout << fmt::format("{}: {} of {} {} pictures of {}\n", options.folder.string(),
                           chosen.size(), images.size(), options.part, options.data.data);
  return 0;
}

}  // namespace

void add_data_export(CLI::App& data, Action& action) {
  auto* command =
      data.add_subcommand("export", "Write pictures of a dataset as PNG files, a folder per class");
  auto options = std::make_shared<ExportOptions>();
  options->data.add_to(*command);
  command->add_option("FOLDER", options->folder, "where they go; it must be new")->required();
  command->add_option("--pictures", options->pictures, "how many, at random")
      ->check(CLI::Range(int64_t{1}, int64_t{100'000'000}))
      ->capture_default_str();
  command->add_option("--part", options->part, "test or train")
      ->check(CLI::IsMember({"test", "train"}))
      ->capture_default_str();
  command->footer("Example:  penumbra data export fashion_mnist clothes --pictures 20");
  command->callback([=, &action] { action = [=] { return export_data(*options); }; });
}

}  // namespace penumbra::app
