#include "penumbra/model/ema.h"

#include <algorithm>

namespace penumbra {

EmaOptions::EmaOptions(Options& options) {
  options.read("ema_decay", decay, {0, 1}, "share of the teacher that each step keeps");
  options.read("ema_warm_up", warm_up, "decay at most (1 + t) / (10 + t) at step t");
  options.read_choice("ema_buffers", buffers, {"copy", "average"},
                      "what the teacher does with batch norm's running statistics");
}

Ema::Ema(const Classifier& student, EmaOptions options)
    : options_(std::move(options)), teacher_(student.copy()) {
  teacher_->eval();
  for (auto& weight : teacher_->parameters()) weight.set_requires_grad(false);
  const auto pair = [](const auto& teachers, const auto& students, auto choose) {
    for (std::size_t i = 0; i < teachers.size(); ++i)
      choose(teachers[i].tensor).push_back({teachers[i].tensor, students[i].tensor});
  };
  pair(
      teacher_->weights(), student.weights(), [&](const auto&) -> auto& { return averaged_; });
  pair(
      teacher_->statistics(), student.statistics(), [&](const auto& tensor) -> auto& {
        // A count of batches has no average.
        return options_.buffers == "average" && tensor.is_floating_point() ? averaged_ : copied_;
      });
}

double Ema::decay() const {
  const auto t = static_cast<double>(updates_);
  return options_.warm_up ? std::min(options_.decay, (1 + t) / (10 + t)) : options_.decay;
}

void Ema::update() {
  const torch::NoGradGuard no_grad;
  const double step = 1 - decay();
  // One pass over the memory; _foreach_mul_ and _foreach_add_ would make two.
  for (auto& [teacher, student] : averaged_) teacher.lerp_(student, step);
  for (auto& [teacher, student] : copied_) teacher.copy_(student);
  ++updates_;
}

}  // namespace penumbra
