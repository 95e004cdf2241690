#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penumbra/core/options.h"
#include "penumbra/model/classifier.h"

namespace penumbra {

struct EmaOptions {
  double decay = 0.999;
  bool warm_up = true;           // decay is at most (1 + t) / (10 + t) at update t
  std::string buffers = "copy";  // batch norm's running values: copy or average

  EmaOptions() = default;
  explicit EmaOptions(Options& options);
};

// The teacher: a second classifier that follows the student's moving average.
//   teacher <- decay * teacher + (1 - decay) * student
// It starts as the student is, in evaluation mode, and never has gradients.
class Ema {
 public:
  Ema(const Classifier& student, EmaOptions options);

  void update();  // after each step of the optimiser; the student must still live
  Classifier& teacher() { return *teacher_; }
  double decay() const;  // that the next update uses

  int64_t updates() const { return updates_; }
  void set_updates(int64_t updates) { updates_ = updates; }  // when a run goes on

 private:
  struct Pairs {
    std::vector<torch::Tensor> teacher, student;
  };
  EmaOptions options_;
  std::shared_ptr<Classifier> teacher_;
  Pairs averaged_, copied_;
  int64_t updates_ = 0;
};

}  // namespace penumbra
