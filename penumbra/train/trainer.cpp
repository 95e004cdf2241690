#include "penumbra/train/trainer.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "penumbra/core/error.h"
#include "penumbra/data/split.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/train/checkpoint.h"
#include "penumbra/train/watch.h"

namespace penumbra {
namespace {

constexpr int64_t kRehearsedPool = 512;  // unlabelled images with which a step is measured

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Pool pool_of(const Training& training) {
  const auto& source = training.source;
  const auto labels =
      source.images.labels.index_select(0, torch::tensor(source.labelled, torch::kLong));
  return {source.labelled, source.unlabelled, labels, training.student->classes()};
}

// The state of a run between two steps, and what one step does to it.
class Run {
 public:
  explicit Run(const Training& training)
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
  }

  std::map<std::string, double> step(const Batch& batch) {
    return step(batch, schedule_.progress(batch.step), /*surveys=*/true);
  }
  // As if so much of the run lay behind.
  std::map<std::string, double> step(const Batch& made, double progress, bool surveys) {
    auto batch = to_device(made, student_.device());
    batch.progress = progress;
    for (; phase_ < schedule_.phases.size() && batch.progress >= schedule_.phases[phase_]; ++phase_)
      student_.assign(ema_.teacher());
    if (surveys && training_.method->wants_survey(batch.progress)) training_.method->see(survey());
    student_.train();
    optimiser_.zero_grad();
    auto step = training_.method->step(counted(student_), counted(ema_.teacher()), batch);
    check_finite(step, batch.step);
    step.loss.backward();
    const double lr = schedule_.at(batch.step);
    step.report["gradient"] = optimiser_.step(lr);
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

  Checkpoint save(int64_t step) const {
    Checkpoint checkpoint;
    checkpoint.step = step;
    append_prefixed(checkpoint.tensors, student_.state(), "student");
    append_prefixed(checkpoint.tensors, ema_.teacher().state(), "teacher");
    append_prefixed(checkpoint.tensors, optimiser_.save(), "optimiser");
    append_prefixed(checkpoint.tensors, training_.method->save(), "method");
    checkpoint.facts["policy"] = training_.source.policies.strong->save();
    checkpoint.facts["phase"] = phase_;
    return checkpoint;
  }

  void load(const Checkpoint& checkpoint) {
    student_.set_state(unprefixed(checkpoint.tensors, "student"));
    ema_.teacher().set_state(unprefixed(checkpoint.tensors, "teacher"));
    ema_.set_updates(checkpoint.step);
    optimiser_.load(unprefixed(checkpoint.tensors, "optimiser"));
    training_.method->load(unprefixed(checkpoint.tensors, "method"));
    training_.source.policies.strong->load(checkpoint.facts.at("policy"));
    phase_ = checkpoint.facts.value("phase", std::size_t{0});
  }

  Classifier& teacher() { return ema_.teacher(); }
  // Views that a network saw since the last time this was asked: not all of a batch are needed.
  int64_t take_views() { return std::exchange(views_, 0); }

 private:
  Forward counted(Classifier& classifier) {
    const auto forward = forward_of(classifier);
    return Forward(
        [this, forward](const torch::Tensor& images) {
          views_ += images.size(0);
          return forward(images);
        },
        [forward](const std::string& name) { return forward.head(name); });
  }

  Survey survey() {
    const auto& source = training_.source;
    const auto look = [&](const std::vector<int64_t>& positions) {
      return infer(ema_.teacher(), source.images, positions, source.normalisation);
    };
    return {look(source.labelled), look(source.unlabelled)};
  }

  [[noreturn]] void not_finite(const std::string& what, int64_t step) const {
    fail(what, " is not a finite number at step ", step,
         ": try a smaller learning rate (--set train.lr=", training_.options.schedule.lr / 3,
         "), clipping (--set train.clip=5) or --precision fp32; the last checkpoint is kept");
  }

  void check_finite(const Step& step, int64_t number) const {
    for (const auto& [name, value] : step.report)
      if (!std::isfinite(value)) not_finite("'" + name + "'", number);
    if (!std::isfinite(step.loss.item<double>())) not_finite("the loss", number);
  }

  // Reported where hidden labels exist, never used.
  void add_pseudo_label_accuracy(Step& step, const Batch& batch) const {
    if (!step.pseudo_labels.defined()) return;
    const auto truth = training_.source.images.labels.index_select(0, batch.index);
    const auto guess = step.pseudo_labels.cpu();
    const auto counted = (guess != kUnlabelled) & (truth != kUnlabelled);
    const auto count = counted.sum().item<int64_t>();
    if (count == 0) return;
    const auto right = ((guess == truth) & counted).sum().item<int64_t>();
    step.report["pseudo_label_accuracy"] = static_cast<double>(right) / static_cast<double>(count);
  }

  const Training& training_;
  Classifier& student_;
  mutable Ema ema_;
  Optimiser optimiser_;
  Schedule schedule_;
  std::size_t phase_ = 0;  // phases begun
  int64_t views_ = 0;
};

LoaderOptions loader_options(const Training& training, int64_t first_step) {
  LoaderOptions options;
  options.batch_size = training.options.batch;
  options.seed = training.seed;
  options.first_step = first_step;
  return options;
}

// Averages of what the steps reported since the last time it was taken.
class Averages {
 public:
  void add(const std::map<std::string, double>& numbers) {
    for (const auto& [name, value] : numbers) {
      sums_[name].first += value;
      sums_[name].second += 1;
    }
  }
  std::map<std::string, double> take() {
    std::map<std::string, double> means;
    for (const auto& [name, sum] : sums_) means[name] = sum.first / sum.second;
    sums_.clear();
    return means;
  }

 private:
  std::map<std::string, std::pair<double, double>> sums_;
};

}  // namespace

TrainOptions::TrainOptions(Options& options) : TrainOptions() {
  options.read("steps", steps, {1, 1e9}, "of the optimiser in all");
  options.read("batch", batch, {1, 65536}, "labelled images per step (B)");
  options.read("lr", schedule.lr, {0, 100}, "highest learning rate");
  options.read("cosine", schedule.cosine, {0, 0.5},
               "share f of the cosine's half turn: lr cos(f pi t / T)");
  options.read("warm_up", schedule.warm_up, {0, 1e9}, "steps of linear rise to the learning rate");
  optimiser = OptimiserOptions(options);
  ema = EmaOptions(options);
  options.read("evaluations", evaluations, {1, 1e6}, "on validation images, evenly over the run");
  options.read("report_every", report_every, {0, 1e9}, "steps; 0: fifty reports in all");
  options.read("checkpoint_seconds", checkpoint_seconds, {0, 1e9}, "between two checkpoints");
  set_steps(steps);
}

void TrainOptions::set_steps(int64_t count) {
  steps = count;
  schedule.steps = count;
}

int64_t TrainOptions::evaluate_every() const {
  return std::max<int64_t>(1, (steps + evaluations - 1) / evaluations);
}

TrainResult train(const Training& training, const TrainEvents& events) {
  const auto& options = training.options;
  Run run(training);
  TrainResult result;
  double earlier_seconds = 0;
  if (!training.state.empty())
    if (const auto checkpoint =
            read_checkpoint(training.state, training.fingerprint, events.note)) {
      run.load(*checkpoint);
      result.steps = checkpoint->step;
      result.best_accuracy = checkpoint->facts.at("best_accuracy").get<double>();
      result.best_step = checkpoint->facts.at("best_step").get<int64_t>();
      earlier_seconds = checkpoint->facts.at("seconds").get<double>();
    }

  events.begin(result.steps);

  const auto start = Clock::now();
  auto last_checkpoint = start, last_report = start;
  const auto save = [&] {
    last_checkpoint = Clock::now();
    if (training.state.empty()) return;
    auto checkpoint = run.save(result.steps);
    checkpoint.facts["fingerprint"] = training.fingerprint;
    checkpoint.facts["best_accuracy"] = result.best_accuracy;
    checkpoint.facts["best_step"] = result.best_step;
    checkpoint.facts["seconds"] = earlier_seconds + seconds_since(start);
    write_checkpoint(training.state, checkpoint);
  };
  const auto evaluate = [&](std::map<std::string, double>& numbers) {
    if (!events.validate) return;
    const double accuracy = events.validate(run.teacher());
    numbers["validation/accuracy"] = accuracy;
    // Later models win ties: they have seen more.
    if (accuracy >= result.best_accuracy) {
      result.best_accuracy = accuracy;
      result.best_step = result.steps;
      events.best(run.teacher(), result.steps);
    }
  };

  Loader loader(training.source, loader_options(training, result.steps));
  Averages averages;
  Watch watch;
  const auto report_every =
      options.report_every > 0 ? options.report_every : std::max<int64_t>(1, options.steps / 50);
  while (result.steps < options.steps && !events.stop()) {
    averages.add(run.step(loader.next()));
    ++result.steps;
    const bool last = result.steps == options.steps;
    const bool evaluated = last || result.steps % options.evaluate_every() == 0;
    if (evaluated || result.steps % report_every == 0) {
      const double rate = static_cast<double>(run.take_views()) / seconds_since(last_report);
      TrainReport report{result.steps, options.steps, 0, rate, averages.take()};
      if (evaluated) evaluate(report.numbers);
      report.seconds = earlier_seconds + seconds_since(start);
      events.report(report);
      if (const auto advice = watch.see(report)) events.note(*advice);
      last_report = Clock::now();
    }
    if (last || seconds_since(last_checkpoint) >= options.checkpoint_seconds) save();
  }
  result.finished = result.steps == options.steps;
  if (!result.finished) save();
  result.teacher = run.teacher().copy();
  result.seconds = earlier_seconds + seconds_since(start);
  return result;
}

double measure_step(const Training& training, double seconds, int further, double progress) {
  auto rehearsal = training;
  // A method that surveys its pool would take as long as many steps.
  rehearsal.source.unlabelled = evenly(training.source.unlabelled, kRehearsedPool);
  rehearsal.student = training.student->copy();
  Run run(rehearsal);
  // What the method has after meeting the pool: before it, some have nothing to save.
  const auto method_state = training.method->save();
  const auto policy_state = training.source.policies.strong->save();
  Loader loader(rehearsal.source, loader_options(rehearsal, 0));
  // The first step makes what the others find made, a survey too; it counts only if there are no
  // more.
  auto start = Clock::now();
  run.step(loader.next(), progress, /*surveys=*/true);
  double each = seconds_since(start);
  double spent = each;
  start = Clock::now();
  for (int steps = 1; steps <= further || spent < seconds; ++steps) {
    run.step(loader.next(), progress, /*surveys=*/false);
    spent = seconds_since(start);
    each = spent / steps;
  }
  training.method->load(method_state);
  training.source.policies.strong->load(policy_state);
  return each;
}

}  // namespace penumbra
