#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace penumbra {

// A file that appears whole or not at all: written under a temporary name beside
// its target, synced, then renamed over it. Without commit() nothing is left behind. A link is
// followed; Error where the target is there and no regular file.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, std::size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  void write_at(std::size_t offset, const void* bytes, std::size_t size);  // any thread
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  int descriptor_ = -1;
};

// Is there anything of this name? What cannot be looked at, behind links in a circle or in a closed
// folder, counts as there: opening it says what is wrong.
bool is_there(const std::filesystem::path& path);

// The same place from any folder. Messages name files as they were given; what is written down is
// read from other folders, too.
std::string lasting_path(const std::filesystem::path& path);

// The last name of that, also of "photos/", "." and "..".
std::string own_name(const std::filesystem::path& path);

// Removes what AtomicFiles of processes that were killed have left in a folder, not below it. Of
// any age only in a folder that nobody else is writing to: core/folder_lock.h.
void remove_unfinished(const std::filesystem::path& folder,
                       std::chrono::hours older_than = std::chrono::hours(0));

void write_file(const std::filesystem::path& path, std::string_view bytes);

// What was appended to a file so far reaches the disk.
void sync_file(const std::filesystem::path& path);

// Error where an entry of the folder is a link: writing to it would replace what it leads to, which
// in a folder from somebody else may be anything.
void refuse_links(const std::filesystem::path& folder);

// The bytes of a regular file, mapped read-only: memory is used only for what is touched.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// All bytes of a small file.
std::string read_file(const std::filesystem::path& path);

}  // namespace penumbra
