#pragma once
#include <string>

namespace penumbra::app {

// What goes to stderr. Where nobody listens any more, since the terminal was closed, the disk of
// the log is full or the reader of the pipe has gone, work goes on in silence.

// A line, printable.
void tell(const std::string& line);

// A line of progress: on a terminal it is drawn over the one before, as much of it as fits, since a
// longer one would leave its beginnings behind.
void draw_progress(std::string line, bool terminal);

// Makes room for other lines where progress was drawn on a terminal.
void clear_progress();

// A path as a shell takes it back, for commands to copy.
std::string quoted(const std::string& path);

// The text without bytes that would steer a terminal, as names of files and folders may have:
// question marks stand for them.
std::string printable(std::string text);

}  // namespace penumbra::app
