#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "penumbra/data/picture_files.h"
#include "penumbra/data/reading.h"

namespace penumbra {

enum Part { kTrain, kValidation, kTest };
inline constexpr int kParts = 3;

// What a folder of pictures holds, before any of them is opened.
struct FolderLayout {
  std::vector<std::string> classes;                      // by name; a label is an index into it
  std::array<std::vector<PictureFile>, kParts> parts{};  // each by file name
  std::size_t foreign = 0;                               // pictures of kinds that are not read
  std::size_t dead_links = 0;                            // that lead nowhere
};

// Tells which of these a folder is:
//   FOLDER/<class>/*                                  all of it to train with
//   FOLDER/{labelled,unlabelled,validation,test}/...  classes below all but unlabelled/
//   FOLDER/{train,val,test}/<class>/*                 val (valid, validation) is the test set where
//                                                     there is no test
//   FOLDER/* with labels.csv                          or with a labels file that lies elsewhere
// `labels_file` is empty where none was given.
FolderLayout scan_folder(const std::filesystem::path& folder,
                         const std::filesystem::path& labels_file, Reading& reading);

// Every picture in a folder at any depth, to train with, without a label.
FolderLayout scan_without_labels(const std::filesystem::path& folder, Reading& reading);

}  // namespace penumbra
