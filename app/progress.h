#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace penumbra::app {

// Tells on stderr how far long work is: one line that is redrawn on a terminal, a plain line
// every tenth of the way in a log. Work that ends within a second shows nothing.
class Progress {
 public:
  Progress(std::string what, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(int64_t done, int64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_, unit_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
  int64_t next_tenth_ = 1;
};

// "12 s", "3 min 20 s", "2 h 05 min"
std::string format_duration(double seconds);

}  // namespace penumbra::app
