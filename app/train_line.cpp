#include "app/train_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/progress.h"
#include "app/tell.h"

namespace penumbra::app {

TrainLine::TrainLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

void TrainLine::draw(const TrainReport& report, double seconds_left) {
  const auto& numbers = report.numbers;
  auto line = fmt::format("step {}/{}", report.step, report.steps);
  for (const auto& [name, value] : numbers)
    if (name.rfind("loss/", 0) == 0) line += fmt::format("  {} {:.3f}", name.substr(5), value);
  if (const auto mask = numbers.find("mask"); mask != numbers.end())
    line += fmt::format("  mask {:.0f} %", 100 * mask->second);
  if (const auto found = numbers.find("validation/accuracy"); found != numbers.end())
    validation_ = found->second;
  if (validation_ >= 0) line += fmt::format("  validation {:.2f} %", 100 * validation_);
  if (!terminal_ && report.step < next_ && report.step < report.steps) return;
  next_ = report.step + report.steps / 20;
  line += fmt::format("  {:.0f} images/s  {} left", report.images_per_second,
                      format_duration(seconds_left));
  draw_progress(line, terminal_);
  drawn_ = terminal_;
}

void TrainLine::say(const std::string& text) {
  if (drawn_) clear_progress();
  tell(text);
  drawn_ = false;
}

}  // namespace penumbra::app
