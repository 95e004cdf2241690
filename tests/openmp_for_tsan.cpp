// The thread sanitizer does not see how OpenMP's threads wait for each other, and would take every
// loop for a race. Linked into the tests of the preset `tsan`, this tells it that the threads of a
// loop begin after what came before it and end before what comes after. What they do to each other
// in between stays visible.

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

namespace {

struct Loop {
  void (*body)(void*);
  void* data;
  // Two places, or a thread that ends early would seem to come before one that begins late.
  char begin, end;
};

void run(void* given) {
  auto* loop = static_cast<Loop*>(given);
  __tsan_acquire(&loop->begin);
  loop->body(loop->data);
  __tsan_release(&loop->end);
}

}  // namespace

extern "C" void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  using Call = void(void (*)(void*), void*, unsigned, unsigned);
  static auto* const call = reinterpret_cast<Call*>(dlsym(RTLD_NEXT, "GOMP_parallel"));
  Loop loop{body, data, 0, 0};
  __tsan_release(&loop.begin);
  call(run, &loop, threads, flags);
  __tsan_acquire(&loop.end);
}
