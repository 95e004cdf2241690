// Preloaded into the command, makes one call of the operating system fail, or all from there on:
//   FAULT=write:7:ENOSPC    the seventh write to a file below FAULT_UNDER fails
//   FAULT=rename:3+:EIO     the third rename and every later one
//   FAULT=thread:2+:EAGAIN  the process gets one thread and no more
//   FAULT=clock:50+:-3600   from its fiftieth reading on the wall clock is an hour behind
// FAULT_MARK is made when that happens, so that a harness knows when there are no calls left.

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

struct Plan {
  std::string call, under;
  long at = 0;
  bool lasting = false;
  long what = 0;  // an error number, or seconds
  const char* mark = nullptr;
};

long error_number(const std::string& name) {
  if (name == "ENOSPC") return ENOSPC;
  if (name == "EROFS") return EROFS;
  if (name == "EACCES") return EACCES;
  if (name == "EAGAIN") return EAGAIN;
  return name == "EIO" ? EIO : std::atol(name.c_str());
}

const Plan& plan() {
  static const Plan made = [] {
    Plan plan;
    const char* text = std::getenv("FAULT");
    if (text == nullptr) return plan;
    const std::string all(text);
    const auto first = all.find(':'), second = all.find(':', first + 1);
    plan.call = all.substr(0, first);
    plan.at = std::atol(all.c_str() + first + 1);
    plan.lasting = all[second - 1] == '+';
    plan.what = error_number(all.substr(second + 1));
    const char* under = std::getenv("FAULT_UNDER");
    plan.under = under == nullptr ? "/" : under;
    plan.mark = std::getenv("FAULT_MARK");
    return plan;
  }();
  return made;
}

bool is_due(const char* call) {
  static std::atomic<long> calls{0};
  if (plan().call != call) return false;
  const auto number = ++calls;
  if (number < plan().at || (number > plan().at && !plan().lasting)) return false;
  if (plan().mark != nullptr)
    close(static_cast<int>(syscall(SYS_open, plan().mark, O_WRONLY | O_CREAT, 0644)));
  return true;
}

bool fails(const char* call) {
  if (!is_due(call)) return false;
  errno = static_cast<int>(plan().what);
  return true;
}

bool is_below(const char* path) {
  char full[PATH_MAX];
  const std::string folder = realpath(".", full) != nullptr && path[0] != '/' ? full : "";
  return (folder.empty() ? path : folder + "/" + path).rfind(plan().under, 0) == 0;
}

bool is_below(int descriptor) {
  char path[PATH_MAX];
  const auto link = "/proc/self/fd/" + std::to_string(descriptor);
  const auto size = readlink(link.c_str(), path, sizeof path - 1);
  if (size <= 0) return false;
  path[size] = 0;
  return path[0] == '/' && is_below(path);
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool creates(int flags) { return (flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0; }

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  static auto* const call = real<decltype(write)>("write");
  if (is_below(descriptor) && fails("write")) return -1;
  return call(descriptor, bytes, size);
}

ssize_t writev(int descriptor, const iovec* pieces, int count) {
  static auto* const call = real<decltype(writev)>("writev");
  if (is_below(descriptor) && fails("write")) return -1;
  return call(descriptor, pieces, count);
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  static auto* const call = real<decltype(pwrite)>("pwrite");
  if (is_below(descriptor) && fails("write")) return -1;
  return call(descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
  static auto* const call = real<decltype(fsync)>("fsync");
  if (is_below(descriptor) && fails("fsync")) return -1;
  return call(descriptor);
}

int rename(const char* from, const char* to) {
  static auto* const call = real<decltype(rename)>("rename");
  if (is_below(to) && fails("rename")) return -1;
  return call(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const call = real<decltype(mkdir)>("mkdir");
  if (is_below(path) && fails("mkdir")) return -1;
  return call(path, mode);
}

int open(const char* path, int flags, ...) {
  static auto* const call = real<int(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned);
  va_end(rest);
  if (creates(flags) && is_below(path) && fails("open")) return -1;
  return call(path, flags, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  static auto* const call = real<decltype(fopen64)>("fopen64");
  if (mode[0] != 'r' && is_below(path) && fails("open")) return nullptr;
  return call(path, mode);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  static auto* const call = real<decltype(pthread_create)>("pthread_create");
  return fails("thread") ? errno : call(thread, attributes, start, argument);
}

int clock_gettime(clockid_t clock, timespec* time) {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME && is_due("clock")) time->tv_sec += plan().what;
  return result;
}
}
