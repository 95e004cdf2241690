#pragma once
#include <string>

#include "penumbra/train/trainer.h"

namespace penumbra::app {

// How a training goes, on stderr: one line that is redrawn on a terminal; in a log a line now and
// then, twenty in all and the last.
class TrainLine {
 public:
  TrainLine();
  void draw(const TrainReport& report, double seconds_left);
  void say(const std::string& text);  // a line of its own

 private:
  bool terminal_, drawn_ = false;
  int64_t next_ = 0;        // step of the next line in a log
  double validation_ = -1;  // accuracy when it was last known
};

}  // namespace penumbra::app
