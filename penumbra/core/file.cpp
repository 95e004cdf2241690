#include "penumbra/core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "penumbra/core/error.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr const char* kTemporary = ".tmp-";  // then the process, and a number

[[noreturn]] void fail_errno(std::string_view what, const fs::path& path) {
  const int code = errno;
  const std::string_view remedy = code == ENOSPC   ? "; free some space or choose another folder"
                                  : code == EACCES ? "; check the permissions"
                                                   : "";
  fail("cannot ", what, ' ', path.string(), ": ", std::strerror(code), remedy);
}

// The rename itself must reach the disk too, or a power cut may undo it.
void sync_folder(const fs::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // not every file system lets a folder be opened
  fsync(descriptor);
  close(descriptor);
}

// "NAME.tmp-77-3", as AtomicFile names what is not finished.
bool is_temporary(const std::string& name) {
  const auto at = name.rfind(kTemporary);
  if (at == std::string::npos) return false;
  int read = 0;
  unsigned process = 0, number = 0;
  const char* rest = name.c_str() + at + std::strlen(kTemporary);
  return std::sscanf(rest, "%u-%u%n", &process, &number, &read) == 2 && rest[read] == 0;
}

// A link stays one: what it leads to is written, also where that is not there yet.
fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel has it
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    const auto next = fs::read_symlink(path, error);
    if (error || links == kMostLinks)
      fail("cannot write ", path.string(), ": its links lead nowhere");
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

// Calls put(bytes, size) until everything is written; EINTR is not an error.
template <class Put>
void write_all(const void* bytes, std::size_t size, const fs::path& path, Put put) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = put(from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("write", path);
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  std::error_code ignored;
  // A device must not become a file.
  target_ = behind_links(target_);
  if (fs::exists(target_, ignored) && !fs::is_regular_file(target_, ignored))
    fail("cannot write ", target_.string(), ": it is no regular file");
  static std::atomic<unsigned> count{0};
  // Machines that share a folder have processes of the same number: what is there is somebody's.
  do {
    temporary_ = target_;
    temporary_ += kTemporary + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail_errno("write", target_);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(const void* bytes, std::size_t size) {
  write_all(bytes, size, target_,
            [this](const char* from, std::size_t n) { return ::write(descriptor_, from, n); });
}

void AtomicFile::write_at(std::size_t offset, const void* bytes, std::size_t size) {
  write_all(bytes, size, target_, [&](const char* from, std::size_t n) {
    const auto done = static_cast<std::size_t>(from - static_cast<const char*>(bytes));
    return pwrite(descriptor_, from, n, static_cast<off_t>(offset + done));
  });
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) fail_errno("write", target_);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0) fail_errno("write", target_);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_errno("write", target_);
  temporary_.clear();
  sync_folder(target_);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) || error;
}

std::string lasting_path(const fs::path& path) {
  return fs::absolute(path).lexically_normal().string();
}

std::string own_name(const fs::path& path) {
  const fs::path place = lasting_path(path);
  return (place.has_filename() ? place : place.parent_path()).filename().string();
}

void remove_unfinished(const fs::path& folder, std::chrono::hours older_than) {
  // What cannot be looked at or removed stays: tidying is no reason to stop.
  std::error_code error;
  const auto latest = fs::file_time_type::clock::now() - older_than;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const auto written = fs::last_write_time(entry->path(), gone);
    // Of any age means also what was written before the clock was set back.
    const bool old = older_than.count() == 0 || written <= latest;
    if (!gone && old && entry->is_regular_file(gone) &&
        is_temporary(entry->path().filename().string()))
      found.push_back(entry->path());
  }
  for (const auto& path : found) fs::remove(path, error);
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void sync_file(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_errno("open", path);
  const bool synced = fsync(descriptor) == 0;
  const int code = errno;
  close(descriptor);
  errno = code;
  if (!synced) fail_errno("write", path);
}

void refuse_links(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (std::error_code ignored; entry->is_symlink(ignored))
      fail(entry->path().string(),
           " is a link, and what it leads to would be replaced: put the file itself there");
}

MappedFile::MappedFile(const fs::path& path) {
  // A pipe must not wait for somebody who writes: it is refused below.
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) fail_errno("open", path);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    fail("cannot open ", path.string(), ": not a regular file");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* address = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (address == MAP_FAILED) fail_errno("map", path);
    data_ = static_cast<const uint8_t*>(address);
  } else {
    close(descriptor);
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

std::string read_file(const fs::path& path) { return std::string(MappedFile(path).text()); }

}  // namespace penumbra
