#include "penumbra/data/folder_layout.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/utf8.h"
#include "penumbra/data/labels_file.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

using FolderNames = std::vector<std::string>;

constexpr std::string_view kLayouts =
    "expected a folder per class, or labelled/ and unlabelled/, or train/ and test/, or a "
    "labels.csv";

bool is_spelt(const std::string& name, std::string_view spelling) {
  return std::equal(name.begin(), name.end(), spelling.begin(), spelling.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

// The folder that has the first of these spellings, in upper or lower case; empty where none has.
std::string one_of(const FolderNames& folders, std::initializer_list<const char*> spellings) {
  for (const auto* spelling : spellings)
    for (const auto& name : folders)
      if (is_spelt(name, spelling)) return name;
  return {};
}

void append(std::vector<PictureFile>& files, std::vector<PictureFile> more) {
  std::move(more.begin(), more.end(), std::back_inserter(files));
}

int64_t find_class(const FolderNames& classes, const std::string& name) {
  const auto place = std::lower_bound(classes.begin(), classes.end(), name);
  if (place == classes.end() || *place != name) return -1;
  return place - classes.begin();
}

// The pictures below folder/part. What of it cannot be opened is said, and the rest goes on, but
// not without all of it, which may be a class.
std::vector<PictureFile> pictures_below(const fs::path& folder, const std::string& part,
                                        FolderLayout& layout, Reading& reading) {
  LeftOut left_out;
  auto files = list_pictures(folder, part, &left_out);
  layout.foreign += left_out.foreign;
  layout.dead_links += left_out.dead_links;
  for (auto& problem : left_out.closed)
    if (problem.file == (folder / part).string())
      reading.broken(std::move(problem));
    else
      reading.skipped(std::move(problem));
  return files;
}

// Pictures that lie in the folder itself. What cannot be looked at is none.
std::size_t count_strays(const fs::path& folder) {
  std::size_t stray = 0;
  std::error_code error, odd;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const auto name = entry->path().filename().string();
        name[0] != '.' && has_picture_name(name) && entry->is_regular_file(odd))
      ++stray;
  return stray;
}

void note_strays(const fs::path& folder, Reading& reading) {
  const auto stray = count_strays(folder);
  if (stray == 0) return;
  reading.note(stray == 1 ? "1 picture directly in " + folder.string() +
                                " belongs to no class and is left out"
                          : std::to_string(stray) + " pictures directly in " + folder.string() +
                                " belong to no class and are left out");
}

// The pictures of FOLDER/part/<class>/. Training pictures say which classes there are.
void add_classes(const fs::path& folder, const std::string& part, Part kind, FolderLayout& layout,
                 Reading& reading) {
  if (part.empty() && kind != kTrain) return;
  note_strays(part.empty() ? folder : folder / part, reading);
  for (const auto& name : list_folders(folder / part, &layout.dead_links)) {
    auto below = part;
    if (!below.empty()) below += '/';
    below += name;
    auto files = pictures_below(folder, below, layout, reading);
    if (files.empty()) {
      reading.note((folder / below).string() + " holds no pictures and is left out");
      continue;
    }
    if (kind == kTrain) {
      layout.classes.push_back(name);
      if (!is_utf8(name))
        reading.broken(
            {(folder / below).string(), "",
             "the name of this class is not UTF-8, which a model's file needs; rename the folder"});
    }
    const auto label = find_class(layout.classes, name);
    if (label < 0) {
      reading.broken({(folder / below).string(), "",
                      "a class that the training pictures do not have; rename or remove it"});
      continue;
    }
    for (auto& file : files) file.label = label;
    append(layout.parts[kind], std::move(files));
  }
}

void scan_class_folders(const fs::path& folder, FolderLayout& layout, Reading& reading) {
  add_classes(folder, "", kTrain, layout, reading);
  const auto stray = count_strays(folder);
  if (stray > 0 && layout.classes.empty())
    fail(folder.string(), " holds ", stray, " pictures and nothing says their classes; ", kLayouts);
}

void scan_parts(const fs::path& folder, const FolderNames& folders, FolderLayout& layout,
                Reading& reading) {
  const auto labelled = one_of(folders, {"labelled", "labeled"});
  const auto unlabelled = one_of(folders, {"unlabelled", "unlabeled"});
  const auto train = labelled.empty() ? one_of(folders, {"train"}) : labelled;
  if (train.empty())
    fail(folder.string(), " has ", unlabelled, "/ but no labelled/ beside it; ", kLayouts);
  auto validation = one_of(folders, {"validation", "valid", "val"});
  auto test = one_of(folders, {"test"});
  // As torchvision's users have it: what they call val is what results are reported on.
  if (labelled.empty() && test.empty()) std::swap(validation, test);
  for (const auto& name : folders) {
    if (name == train || name == unlabelled || name == validation || name == test) continue;
    if (!pictures_below(folder, name, layout, reading).empty())
      fail((folder / name).string(), " has no place beside ", train, "/; ", kLayouts,
           " (a class of such a name needs another one, or a labels.csv)");
    reading.note((folder / name).string() + " holds no pictures and is left out");
  }

  note_strays(folder, reading);
  add_classes(folder, train, kTrain, layout, reading);
  add_classes(folder, validation, kValidation, layout, reading);
  add_classes(folder, test, kTest, layout, reading);
  if (!unlabelled.empty())
    append(layout.parts[kTrain], pictures_below(folder, unlabelled, layout, reading));
}

void scan_labels(const fs::path& folder, const fs::path& labels_file, FolderLayout& layout,
                 Reading& reading) {
  const auto labels = read_labels_file(labels_file, reading);
  auto& files = layout.parts[kTrain];
  files = pictures_below(folder, "", layout, reading);
  std::set<std::string> classes;
  for (const auto& [name, entry] : labels)
    if (!entry.label.empty() && classes.insert(entry.label).second && !is_utf8(entry.label))
      reading.broken({labels_file.string(), "line " + std::to_string(entry.line),
                      "the class '" + entry.label +
                          "' is not UTF-8, which a model's file needs; save the table as UTF-8"});
  layout.classes.assign(classes.begin(), classes.end());

  std::set<std::string_view> present;
  for (auto& file : files) {
    present.insert(file.name);
    if (const auto found = labels.find(file.name); found != labels.end())
      file.label = find_class(layout.classes, found->second.label);
  }
  for (const auto& [name, entry] : labels)
    if (present.count(name) == 0)
      reading.broken({labels_file.string(), "line " + std::to_string(entry.line),
                      "no picture '" + name + "' in " + folder.string() +
                          "; files are named relative to that folder"});
}

// train/ beside other class names may well be a class: pictures of trains. Beside one of its
// counterparts, or alone, it is none, whatever else lies there.
bool is_split(const fs::path& folder, const FolderNames& folders) {
  if (!one_of(folders, {"labelled", "labeled", "unlabelled", "unlabeled"}).empty()) return true;
  const auto train = one_of(folders, {"train"});
  if (train.empty()) return false;
  if (!one_of(folders, {"validation", "valid", "val", "test"}).empty()) return true;
  LeftOut ignored;
  return std::all_of(folders.begin(), folders.end(), [&](const auto& name) {
    return name == train || list_pictures(folder, name, &ignored).empty();
  });
}

// What every layout needs, and what was left out of it.
void tidy(const fs::path& folder, FolderLayout& layout, Reading& reading) {
  for (auto& part : layout.parts)
    std::sort(part.begin(), part.end(),
              [](const auto& one, const auto& other) { return one.name < other.name; });
  if (layout.foreign > 0)
    reading.note(std::to_string(layout.foreign) + " pictures of other kinds in " + folder.string() +
                 " are left out: .jpg, .jpeg, .png and .webp are read");
  if (layout.dead_links > 0)
    reading.note(std::to_string(layout.dead_links) + " links in " + folder.string() +
                 " lead nowhere and are left out; is a disk missing?");
  if (layout.parts[kTrain].empty())
    fail("no pictures (.jpg, .jpeg, .png, .webp) to train with in ", folder.string(), "; ",
         kLayouts);
}

}  // namespace

FolderLayout scan_folder(const fs::path& folder, const fs::path& labels_file, Reading& reading) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    fail("no folder ", folder.string(), "; expected a folder of pictures");
  FolderLayout layout;
  const auto folders = list_folders(folder);
  const auto own_labels = folder / "labels.csv";
  if (!labels_file.empty())
    scan_labels(folder, labels_file, layout, reading);
  else if (is_there(own_labels))
    scan_labels(folder, own_labels, layout, reading);
  else if (is_split(folder, folders))
    scan_parts(folder, folders, layout, reading);
  else
    scan_class_folders(folder, layout, reading);

  tidy(folder, layout, reading);
  if (layout.classes.size() < 2)
    reading.broken({folder.string(), "",
                    layout.classes.empty()
                        ? "no picture has a label; " + std::string(kLayouts)
                        : "one class only, '" + layout.classes[0] + "'; expected two or more"});
  return layout;
}

FolderLayout scan_without_labels(const fs::path& folder, Reading& reading) {
  FolderLayout layout;
  layout.parts[kTrain] = pictures_below(folder, "", layout, reading);
  tidy(folder, layout, reading);
  return layout;
}

}  // namespace penumbra
