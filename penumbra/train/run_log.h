#pragma once
#include <filesystem>
#include <fstream>
#include <memory>

#include "penumbra/train/tensorboard.h"
#include "penumbra/train/trainer.h"

namespace penumbra {

// What a run reports as it goes: a JSON object a line in metrics.jsonl, and TensorBoard's events.
class RunLog {
 public:
  // Reports after `step` are dropped: the run goes on from there and will make them again.
  explicit RunLog(std::filesystem::path folder, int64_t step = 0);

  void write(const TrainReport& report);
  // What was written survives a power cut: a run that goes on after a checkpoint does not make the
  // reports before it again.
  void sync() const;

 private:
  std::filesystem::path folder_;
  std::ofstream file_;
  std::unique_ptr<EventWriter> events_;
};

}  // namespace penumbra
