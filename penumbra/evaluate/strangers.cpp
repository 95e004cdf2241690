#include "penumbra/evaluate/strangers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "penumbra/core/error.h"
#include "penumbra/core/parallel.h"
#include "penumbra/data/picture_files.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/model/picture_input.h"

namespace penumbra {
namespace {

constexpr int64_t kMostStrangers = 10000;

Images some_of(const Images& images, int64_t most) {
  if (images.size() <= most) return images;
  const auto chosen = torch::tensor(evenly(all_positions(images), most), torch::kLong);
  Images part;
  part.pixels = images.pixels.index_select(0, chosen);
  part.labels = images.labels.index_select(0, chosen);
  return part;
}

// Every picture below a folder, whatever its layout: nobody asks for a stranger's class. Those that
// cannot be read are left out, and said to be.
Images read_pictures(const std::filesystem::path& folder, const ModelInfo& model,
                     Reading& reading) {
  auto files = list_pictures(folder, "");
  const auto count = std::min<std::size_t>(files.size(), kMostStrangers);
  Images images;
  images.pixels = empty_pixels(static_cast<int64_t>(count), model.input.height, model.input.width,
                               model.input.channels);
  const auto readable = torch::ones({static_cast<int64_t>(count)}, torch::kBool);
  parallel_for(count, reading.threads, [&](std::size_t i) {
    const auto row = static_cast<int64_t>(i);
    try {
      read_picture(folder / files[i * files.size() / count].name, model,
                   images.pixels[row].data_ptr<uint8_t>());
    } catch (const Error&) {
      readable.data_ptr<bool>()[i] = false;
    }
  });
  const auto lost = count - static_cast<std::size_t>(readable.sum().item<int64_t>());
  if (lost == count)
    fail("'", folder.string(), "' has no picture to show as a stranger: ", files.size(), " found, ",
         lost, " of them unreadable; expected JPEG, PNG or WebP files at any depth");
  if (lost > 0)
    reading.notes.push_back(fmt::format("{} of {} pictures in {} cannot be read and are left out",
                                        lost, count, folder.string()));
  images.pixels = images.pixels.index({readable});
  images.labels = torch::full({images.size()}, kUnlabelled, torch::kLong);
  return images;
}

// Whether a folder is another, or lies in it, by whatever names.
bool is_below(const std::filesystem::path& inner, const std::filesystem::path& outer) {
  std::error_code unseen;
  if (!std::filesystem::is_directory(inner, unseen) ||
      !std::filesystem::is_directory(outer, unseen))
    return false;
  const auto from = std::filesystem::canonical(outer), to = std::filesystem::canonical(inner);
  return std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first == from.end();
}

std::string path_among(const std::vector<OptionInfo>& options) {
  for (const auto& option : options)
    if (option.key == "path") return option.value;
  return {};
}

// Where the pictures of a section lie, as far as they are in files.
std::string path_of(const Experiment& experiment, const std::string& section) {
  for (const auto& [name, options] : experiment.effective)
    if (name == section) return path_among(options);
  return {};
}

// The strangers' folder, one in it, or one around it.
void refuse_own_files(const std::string& name, const std::string& path,
                      const Experiment& experiment) {
  const auto& run = experiment.run;
  const auto shared = [&](const std::string& own) {
    return !own.empty() && (name == own || is_below(path, own) || is_below(own, path));
  };
  if (shared(run.data) || shared(path_of(experiment, "data")))
    fail("'", name, "' is what the model was trained on, or holds it (", run.data,
         "): expected other pictures");
  if (shared(run.pool) || shared(path_of(experiment, "pool")))
    fail("'", name, "' is the pool that the model was trained on, or holds it (", run.pool,
         "): expected other pictures");
}

// The bytes of each picture, which live as long as `pixels` [N, H, W, C].
std::vector<std::string_view> bytes_of_each(const torch::Tensor& pixels) {
  std::vector<std::string_view> pictures;
  const auto count = pixels.size(0);
  const auto each = count == 0 ? 0 : static_cast<std::size_t>(pixels.numel() / count);
  const auto* bytes = reinterpret_cast<const char*>(pixels.data_ptr<uint8_t>());
  for (int64_t i = 0; i < count; ++i)
    pictures.emplace_back(bytes + static_cast<std::size_t>(i) * each, each);
  return pictures;
}

// A copy of the test pictures has another path. Pictures are compared one by one: of a copy only
// some may be shown, and in another order.
void refuse_test_pictures(const Strangers& strangers, const Experiment& experiment) {
  const auto& train = experiment.training.source.images.pixels;
  const auto test =
      (experiment.test.size() > 0
           ? experiment.test.pixels
           : train.index_select(0, torch::tensor(experiment.split.test, torch::kLong)))
          .contiguous();
  const auto shown = strangers.images.pixels.contiguous();
  const auto known = bytes_of_each(test), asked = bytes_of_each(shown);
  const std::unordered_set<std::string_view> own(known.begin(), known.end());
  if (std::all_of(asked.begin(), asked.end(),
                  [&](std::string_view picture) { return own.count(picture) != 0; }))
    fail("'", strangers.name, "' is a copy: each of its ", asked.size(),
         " pictures is a test picture of ", experiment.run.data, "; expected other pictures");
}

}  // namespace

std::vector<std::string> stranger_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (auto name : given) {
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    for (const auto& other : names)
      if (name == other || (is_below(name, other) && is_below(other, name)))
        fail("--ood '", name, "' is given twice (", other,
             "): expected each set of strangers once");
    names.push_back(name);
  }
  return names;
}

Strangers open_strangers(const std::string& name_or_path, const std::filesystem::path& root,
                         Reading& reading, const Experiment& experiment) {
  refuse_own_files(name_or_path, name_or_path, experiment);
  const auto opened = open_dataset(name_or_path, root);
  const auto path = path_among(opened.options);
  refuse_own_files(name_or_path, path, experiment);
  Strangers found{name_or_path, {}};
  if (opened.name == "folder" && !path.empty()) {
    found.images = read_pictures(path, experiment.model, reading);
  } else {
    found.images = opened.dataset->test(reading);
    if (found.images.size() == 0) found.images = opened.dataset->train(reading);
    if (found.images.size() == 0)
      fail("'", name_or_path, "' has no pictures: expected some to show as strangers");
    found.images =
        reshaped(some_of(found.images, kMostStrangers), experiment.model, reading.threads);
  }
  refuse_test_pictures(found, experiment);
  return found;
}

}  // namespace penumbra
