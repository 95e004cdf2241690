#include "app/tell.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

namespace penumbra::app {

namespace {

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void tell(const std::string& line) { put(printable(line) + "\n"); }

void draw_progress(std::string line, bool terminal) {
  if (!terminal) return tell(line);
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && line.size() >= size.ws_col)
    line.resize(size.ws_col - 1U);
  put("\r" + line + "\033[K");
}

void clear_progress() { put("\r\033[K"); }

std::string quoted(const std::string& path) {
  const auto plain = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter >= 0x80 ||
           std::strchr("/._-+,:@%=", letter) != nullptr;
  };
  if (!path.empty() && std::all_of(path.begin(), path.end(), plain)) return path;
  std::string text = "'";
  for (const char letter : path)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char byte) {
        return (byte < ' ' && byte != '\n' && byte != '\t') || byte == 127;
      },
      '?');
  return text;
}

}  // namespace penumbra::app
