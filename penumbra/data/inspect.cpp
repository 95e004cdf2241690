#include "penumbra/data/inspect.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

namespace penumbra {
namespace {

std::vector<int64_t> count_per_class(const Images& images, std::size_t classes) {
  std::vector<int64_t> counts(classes, 0);
  const auto* label = images.labels.data_ptr<int64_t>();
  for (int64_t i = 0; i < images.size(); ++i)
    if (label[i] >= 0 && label[i] < static_cast<int64_t>(classes))
      ++counts[static_cast<std::size_t>(label[i])];
  return counts;
}

std::string_view bytes_of(const Images& images, int64_t i) {
  const auto each = static_cast<std::size_t>(images.height() * images.width() * images.channels());
  return {reinterpret_cast<const char*>(images.pixels.data_ptr<uint8_t>()) +
              static_cast<std::size_t>(i) * each,
          each};
}

std::string name_of(const Images& images, int64_t i, std::string_view part) {
  return images.files.empty() ? fmt::format("{} image {}", part, i)
                              : std::string(images.files[static_cast<std::size_t>(i)]);
}

// The same pixels in two parts make a test result too good.
// `test` is called `part` in what is said.
void find_shared_pictures(const Images& train, const Images& test, const char* part, bool own,
                          Inspection& found) {
  if (train.size() == 0 || test.size() == 0 || !(train.pixels[0].sizes() == test.pixels[0].sizes()))
    return;
  std::unordered_map<std::string_view, int64_t> seen;
  for (int64_t i = 0; i < train.size(); ++i) seen.emplace(bytes_of(train, i), i);
  int64_t shared = 0;
  for (int64_t i = 0; i < test.size(); ++i) {
    const auto same = seen.find(bytes_of(test, i));
    if (same == seen.end()) continue;
    ++shared;
    if (own)
      found.problems.push_back({name_of(test, i, part), "",
                                "the same picture is in the training set as " +
                                    name_of(train, same->second, "train") + "; remove one"});
  }
  // A benchmark cannot be mended by its user: everyone reports on it as it was released.
  if (shared > 0 && !own)
    found.notes.push_back(fmt::format("{} {} images are also in the training set", shared, part));
}

}  // namespace

Inspection inspect(const OpenedDataset& opened, Reading reading) {
  reading.inspect = true;
  const bool own = opened.dataset->origin().folder.empty();
  Inspection found;
  found.dataset = opened.name;
  found.classes = opened.dataset->classes(reading);
  const auto train = opened.dataset->train(reading);
  const auto validation = opened.dataset->validation(reading);
  const auto test = opened.dataset->test(reading);
  found.problems = std::move(reading.problems);
  found.notes = std::move(reading.notes);

  found.train = train.size();
  found.validation = validation.size();
  found.test = test.size();
  found.unlabelled = (train.labels == kUnlabelled).sum().item<int64_t>();
  found.height = train.height();
  found.width = train.width();
  found.channels = train.channels();
  found.train_per_class = count_per_class(train, found.classes.size());
  found.test_per_class = count_per_class(test, found.classes.size());
  found.statistics = channel_statistics(train.pixels, reading.threads);

  for (std::size_t c = 0; c < found.classes.size() && train.size() > 0; ++c)
    if (found.train_per_class[c] < 2)
      found.problems.push_back({fmt::format("class '{}'", found.classes[c]), "",
                                fmt::format("has {} labelled training images, expected two or more",
                                            found.train_per_class[c])});
  find_shared_pictures(train, test, "test", own, found);
  find_shared_pictures(train, validation, "validation", own, found);
  return found;
}

}  // namespace penumbra
