#include "penumbra/train/trainer.h"

#include <algorithm>
#include <chrono>

#include "penumbra/data/split.h"
#include "penumbra/train/checkpoint.h"
#include "penumbra/train/run_state.h"

namespace penumbra {
namespace {

constexpr int64_t kRehearsed = 512;  // images of each kind with which a step is measured

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
  options.read("phase_lr", schedule.phase_lr, {0, 1000},
               "highest learning rate after a method began anew, as a multiple of lr");
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
  RunState run(training);
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
    checkpoint.facts["progress"] = run.progress(result.steps);
    events.keep();
    write_checkpoint(training.state, checkpoint);
  };
  bool best_is_new = false;
  const auto evaluate = [&](std::map<std::string, double>& numbers) {
    if (!events.validate) return;
    const double accuracy = events.validate(run.teacher());
    numbers["validation/accuracy"] = accuracy;
    // Later models win ties: they have seen more.
    if (accuracy >= result.best_accuracy) {
      result.best_accuracy = accuracy;
      result.best_step = result.steps;
      events.best(run.teacher(), result.steps);
      best_is_new = true;
    }
  };

  Loader loader(training.source, loader_options(training, result.steps));
  Averages averages;
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
      if (evaluated) {
        run.check_teacher(result.steps);
        evaluate(report.numbers);
      }
      report.seconds = earlier_seconds + seconds_since(start);
      events.report(report);
      last_report = Clock::now();
    }
    // A run of minutes that is killed looks at other steps when it goes on: its checkpoint must
    // know of the model that is kept.
    if (last || best_is_new || seconds_since(last_checkpoint) >= options.checkpoint_seconds) save();
    best_is_new = false;
  }
  result.finished = result.steps == options.steps;
  if (!result.finished) save();
  result.progress = run.progress(result.steps);
  result.teacher = run.teacher().copy();
  result.seconds = earlier_seconds + seconds_since(start);
  result.survey_cost = run.survey_cost();
  return result;
}

double measure_step(const Training& training, double seconds, int further, double progress) {
  auto rehearsal = training;
  // A survey of all images would take as long as many steps.
  rehearsal.source.labelled = evenly(training.source.labelled, kRehearsed);
  rehearsal.source.unlabelled = evenly(training.source.unlabelled, kRehearsed);
  rehearsal.student = training.student->copy();
  RunState run(rehearsal);
  // What the method has after meeting the pool: before it, some have nothing to save.
  const auto method_state = training.method->save();
  const auto policy_state = training.source.policies.strong->save();
  Loader loader(rehearsal.source, loader_options(rehearsal, 0));
  // A network that knows nothing trusts no label, and would skip what it computes later on.
  const auto rehearse = [&] {
    auto batch = loader.next();
    batch.rehearsal = true;
    run.step(batch, progress);
  };
  const auto timed = [&] {
    const auto start = Clock::now();
    const double surveyed = run.survey_cost().seconds;
    rehearse();
    return seconds_since(start) - (run.survey_cost().seconds - surveyed);
  };
  // The first step makes what the others find made; it counts only if there are no more.
  const double first = timed();
  std::vector<double> others;
  double spent = further > 0 ? 0 : first;
  while (static_cast<int>(others.size()) < further || spent < seconds) {
    others.push_back(timed());
    spent += others.back();
  }
  training.method->load(method_state);
  training.source.policies.strong->load(policy_state);
  if (others.empty()) return first;
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::nth_element(others.begin(), middle, others.end());
  return *middle;
}

}  // namespace penumbra
