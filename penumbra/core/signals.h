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

// From now on a mapped file that is cut short while it is read (or whose disk fails) ends the
// process with a line on stderr and exit code 2, not as a crash: no reader can go on from there.
// Once, by the command.
void end_where_a_mapped_file_was_cut();

}  // namespace penumbra
