#pragma once

namespace penumbra {

// While it lives, the first Ctrl-C (or SIGTERM) only asks to finish: long work
// looks at interrupted() between steps, saves and leaves. The second one ends the
// process at once. One at a time; the command owns it, the library only asks.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

bool interrupted();

}  // namespace penumbra
