#include "app/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "app/tell.h"

namespace penumbra::app {

Progress::Progress(std::string what, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (terminal_ && drawn_) clear_progress();
}

void Progress::update(int64_t done, int64_t total) {
  using Seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  const double elapsed = Seconds(now - start_).count();
  if (elapsed < 1 || done <= 0 || total <= 0) return;
  const bool due =
      terminal_ ? Seconds(now - last_).count() > 0.1 : done * 10 >= next_tenth_ * total;
  if (!due) return;
  last_ = now;
  next_tenth_ = done * 10 / total + 1;
  const double rate = static_cast<double>(done) / elapsed;
  const auto speed =
      rate < 1 ? format_duration(1 / rate) + " each" : fmt::format("{:.0f} {}/s", rate, unit_);
  const auto line =
      fmt::format("{} {} of {} ({} %), {}, {} left", what_, done, total, 100 * done / total, speed,
                  format_duration(static_cast<double>(total - done) / rate));
  draw_progress(line, terminal_);
  drawn_ = true;
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace penumbra::app
