#include "penumbra/train/run_state.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "penumbra/core/error.h"
#include "penumbra/model/image_inference.h"

namespace penumbra {
namespace {

Pool pool_of(const Training& training) {
  const auto& source = training.source;
  const auto labels =
      source.images.labels.index_select(0, torch::tensor(source.labelled, torch::kLong));
  return {source.labelled, source.unlabelled, labels, training.student->classes()};
}

}  // namespace

RunState::RunState(const Training& training)
    : training_(training),
      student_(*training.student),
      ema_(student_, training.options.ema),
      optimiser_(student_, training.options.optimiser),
      schedule_(training.options.schedule) {
  for (auto* classifier : {&student_, &ema_.teacher()}) {
    classifier->set_precision(training.precision);
    classifier->set_kernels(training.kernels);
  }
  training.method->meet(pool_of(training));
  schedule_.phases = training.method->phases();
  surveys_ = training.method->surveys();
}

std::map<std::string, double> RunState::step(const Batch& batch) {
  return step(batch, schedule_.progress(batch.step));
}

std::map<std::string, double> RunState::step(const Batch& made, double progress) {
  auto batch = to_device(made, student_.device());
  batch.progress = progress;
  for (; phase_ < schedule_.phases.size() && batch.progress >= schedule_.phases[phase_]; ++phase_)
    student_.assign(ema_.teacher());
  survey_if_due(batch.progress);
  student_.train();
  optimiser_.zero_grad();
  auto step = training_.method->step(counted(student_), counted(ema_.teacher()), batch);
  check_finite(step, batch.step);
  step.loss.backward();
  const double lr = schedule_.at(batch.step);
  {
    // Muon's products of matrices: steps need no more digits than the gradients that they are of.
    const AutocastScope products(training_.precision, student_.device());
    step.report["gradient"] = optimiser_.step(lr);
  }
  step.report["lr"] = lr;
  step.report["loss"] = step.loss.item<double>();
  if (!std::isfinite(step.report["gradient"])) not_finite("the gradient", batch.step);
  ema_.update();
  if (batch.probe.defined()) {
    const torch::NoGradGuard no_gradient;
    const auto logits = forward_of(ema_.teacher())(batch.probe).logits;
    training_.source.policies.strong->update(batch, logits.softmax(1).cpu());
  }
  add_pseudo_label_accuracy(step, batch);
  return std::move(step.report);
}

Checkpoint RunState::save(int64_t step) const {
  Checkpoint checkpoint;
  checkpoint.step = step;
  append_prefixed(checkpoint.tensors, student_.state(), "student");
  append_prefixed(checkpoint.tensors, ema_.teacher().state(), "teacher");
  append_prefixed(checkpoint.tensors, optimiser_.save(), "optimiser");
  append_prefixed(checkpoint.tensors, training_.method->save(), "method");
  checkpoint.facts["policy"] = training_.source.policies.strong->save();
  checkpoint.facts["phase"] = phase_;
  checkpoint.facts["surveyed"] = surveyed_;
  checkpoint.facts["steps"] = schedule_.steps;
  checkpoint.facts["origin"] = schedule_.origin;
  checkpoint.facts["behind"] = schedule_.behind;
  return checkpoint;
}

void RunState::load(const Checkpoint& checkpoint) {
  student_.set_state(unprefixed(checkpoint.tensors, "student"));
  ema_.teacher().set_state(unprefixed(checkpoint.tensors, "teacher"));
  ema_.set_updates(checkpoint.step);
  optimiser_.load(unprefixed(checkpoint.tensors, "optimiser"));
  training_.method->load(unprefixed(checkpoint.tensors, "method"));
  training_.source.policies.strong->load(checkpoint.facts.at("policy"));
  phase_ = checkpoint.facts.at("phase").get<std::size_t>();
  surveyed_ = checkpoint.facts.at("surveyed").get<std::size_t>();
  const auto steps = std::exchange(schedule_.steps, checkpoint.facts.at("steps").get<int64_t>());
  schedule_.origin = checkpoint.facts.at("origin").get<int64_t>();
  schedule_.behind = checkpoint.facts.at("behind").get<double>();
  if (steps != schedule_.steps) schedule_.count_anew(checkpoint.step, steps);
}

int64_t RunState::take_views() { return std::exchange(views_, 0); }

Forward RunState::counted(Classifier& classifier) {
  const auto forward = forward_of(classifier);
  return Forward(
      [this, forward](const torch::Tensor& images) {
        views_ += images.size(0);
        return forward(images);
      },
      [forward](const std::string& name) { return forward.head(name); });
}

int survey_looks(const Training& training) {
  return training.method->surveys_mirror_images() && training.source.policies.weak->mirrors() ? 2
                                                                                              : 1;
}

void RunState::survey_if_due(double progress) {
  const auto before = surveyed_;
  while (surveyed_ < surveys_.size() && progress >= surveys_[surveyed_]) ++surveyed_;
  if (surveyed_ == before) return;
  const auto start = std::chrono::steady_clock::now();
  training_.method->see(survey());
  survey_cost_.surveys += static_cast<int64_t>(surveyed_ - before);
  survey_cost_.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Survey RunState::survey() {
  const auto& source = training_.source;
  auto& teacher = ema_.teacher();
  const bool mirrors = teacher.mirrors();
  teacher.set_mirrors(survey_looks(training_) > 1);
  const auto look = [&](const std::vector<int64_t>& positions) {
    return infer(teacher, source.images, positions, source.normalisation);
  };
  Survey survey{look(source.labelled), look(source.unlabelled)};
  teacher.set_mirrors(mirrors);
  return survey;
}

void RunState::not_finite(const std::string& what, int64_t step) const {
  fail(what, " is not a finite number at step ", step,
       ": try a smaller learning rate (--set train.lr=", training_.options.schedule.lr / 3,
       "), clipping (--set train.clip=5) or --precision fp32; the last checkpoint is kept");
}

void RunState::check_finite(const Step& step, int64_t number) const {
  for (const auto& [name, value] : step.report)
    if (!std::isfinite(value)) not_finite("'" + name + "'", number);
  if (!std::isfinite(step.loss.item<double>())) not_finite("the loss", number);
}

void RunState::check_teacher(int64_t step) const {
  for (const auto& [name, tensor] : ema_.teacher().state())
    if (tensor.is_floating_point() && !tensor.isfinite().all().item<bool>())
      not_finite("'" + name + "' of the averaged network", step);
}

// Reported where hidden labels exist, never used.
void RunState::add_pseudo_label_accuracy(Step& step, const Batch& batch) const {
  if (!step.pseudo_labels.defined()) return;
  const auto truth = training_.source.images.labels.index_select(0, batch.index);
  const auto guess = step.pseudo_labels.cpu();
  const auto counted = (guess != kUnlabelled) & (truth != kUnlabelled);
  const auto count = counted.sum().item<int64_t>();
  if (count == 0) return;
  const auto right = ((guess == truth) & counted).sum().item<int64_t>();
  step.report["pseudo_label_accuracy"] = static_cast<double>(right) / static_cast<double>(count);
}

}  // namespace penumbra
