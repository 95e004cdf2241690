#include "penumbra/data/inspect.h"

#include <fmt/format.h>

#include <string_view>

#include "penumbra/data/copies.h"

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

std::string name_of(const Images& images, int64_t i, std::string_view part) {
  return images.files.empty() ? fmt::format("{} image {}", part, i)
                              : std::string(images.files[static_cast<std::size_t>(i)]);
}

// The same pixels in two parts make a test result too good.
// `test` is called `part` in what is said.
void find_shared_pictures(const Images& train, const Images& test, const char* part, bool own,
                          Inspection& found) {
  const auto copies = find_copies(test, train);
  // A benchmark cannot be mended by its user: everyone reports on it as it was released.
  if (!copies.empty() && !own)
    found.notes.push_back(
        fmt::format("{} {} images are also in the training set", copies.size(), part));
  if (!own) return;
  for (const auto& copy : copies)
    found.problems.push_back({name_of(test, copy.picture, part), "",
                              "the same picture is in the training set as " +
                                  name_of(train, copy.original, "train") + "; remove one"});
}

// Of a person's own pictures some are held out, and their copies trained on. Of one in two classes
// at least one label is wrong, which nobody can train away, but large collections have some: no
// reason to stop.
void find_repeated_pictures(const Images& train, Inspection& found) {
  const auto* label = train.labels.data_ptr<int64_t>();
  std::vector<Copy> harmless;
  for (const auto& copy : find_copies(train)) {
    const auto here = label[copy.picture], there = label[copy.original];
    if (here == there || here == kUnlabelled || there == kUnlabelled)
      harmless.push_back(copy);
    else
      found.notes.push_back(fmt::format("{} is the same picture as {}, in another class",
                                        name_of(train, copy.picture, "train"),
                                        name_of(train, copy.original, "train")));
  }
  if (!harmless.empty())
    found.notes.push_back(fmt::format(
        "{} training pictures are there more than once, such as {} and {}: where one of them is "
        "held out, its copy is trained on",
        harmless.size(), name_of(train, harmless[0].original, "train"),
        name_of(train, harmless[0].picture, "train")));
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
  if (own) find_repeated_pictures(train, found);
  return found;
}

}  // namespace penumbra
