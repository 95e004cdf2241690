#pragma once
#include <string>
#include <string_view>

namespace penumbra::app {

// Text for stderr. Where nobody listens any more, since the terminal was closed, the disk of the
// log is full or the reader of the pipe has gone, work goes on in silence.
void tell(std::string_view text);

// A line that is drawn over itself on a terminal, as much of it as fits there: a longer one would
// leave its beginnings behind.
void redraw(std::string line);

// A path as a shell takes it back, for commands to copy.
std::string quoted(const std::string& path);

// The text without bytes that would steer a terminal, as names of files and folders may have:
// question marks stand for them.
std::string printable(std::string text);

}  // namespace penumbra::app
