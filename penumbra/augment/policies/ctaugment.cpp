// CTAugment: operations drawn at strengths that the model still takes, learnt from how close it
// stays to the labels of labelled pictures augmented at random.
// Berthelot et al. 2019 (ReMixMatch), https://arxiv.org/abs/1911.09785, section 3.2.1; the values
// of FixMatch's code, and its cutout at the end, which ReMixMatch's has not.

#include <algorithm>
#include <deque>
#include <mutex>

#include "penumbra/augment/control.h"
#include "penumbra/augment/policy.h"

namespace penumbra {
namespace {

// The rates after one step, and the bins' chances that follow from them.
struct Snapshot {
  int64_t step;
  Rates rates, chances;
};

// Rounding may lead a little beyond 0 and 1.
bool is_rate(float rate) { return rate >= -0.01f && rate <= 1.01f; }

bool fits(const Rates& rates) {
  const auto expected = initial_rates();
  return std::equal(rates.begin(), rates.end(), expected.begin(), expected.end(),
                    [](const auto& a, const auto& b) {
                      return a[0].size() == b[0].size() && a[1].size() == b[1].size() &&
                             std::all_of(a[0].begin(), a[0].end(), is_rate) &&
                             std::all_of(a[1].begin(), a[1].end(), is_rate);
                    });
}

class CtAugment final : public Policy {
 public:
  explicit CtAugment(Options& options) {
    options.read("depth", depth_, {1, 16}, "operations drawn for each picture");
    options.read("threshold", threshold_, {0, 1}, "bins with a lower relative rate are not drawn");
    options.read("decay", decay_, {0, 0.9999}, "of a bin's rate, each time it is tried");
    options.read("final_cutout", final_cutout_,
                 "paint a square of half the side at the end, as FixMatch does");
    options.read("delay", delay_, {1, 1000},
                 "age in steps of the rates in use, at least the loader's look-ahead");
    remember(/*step=*/-1, initial_rates());
  }

  void apply(Canvas& canvas, Random& random, int64_t step) const override {
    const auto snapshot = rates_for(step);
    for (int64_t i = 0; i < depth_; ++i) {
      const auto drawn = draw_step(random);
      auto level = drawn.level;
      const auto& chances = snapshot->chances[static_cast<std::size_t>(drawn.operation)];
      for (std::size_t k = 0; k < 2 && !chances[k].empty(); ++k) {
        const auto bin = std::upper_bound(chances[k].begin(), chances[k].end(), random.uniform());
        const auto place = std::min<std::ptrdiff_t>(
            bin - chances[k].begin(), static_cast<std::ptrdiff_t>(chances[k].size()) - 1);
        level[k] = (static_cast<float>(place) + level[k]) / static_cast<float>(chances[k].size());
      }
      run({drawn.operation, level}, canvas, random);
    }
    if (!final_cutout_) return;
    const float x = random.uniform(), y = random.uniform();
    penumbra::apply(canvas, controlled_action(Operation::kCutout, {1, 0}, canvas.shape(), x, y));
  }

  bool learns() const override { return true; }
  int64_t delay() const override { return delay_; }

  Trace probe(Canvas& canvas, Random& random) const override {
    Trace trace;
    for (int64_t i = 0; i < depth_; ++i) {
      trace.push_back(draw_step(random));
      run(trace.back(), canvas, random);
    }
    return trace;
  }

  // rate <- decay rate + (1 - decay) closeness,  closeness = 1 - 1/2 |p - label|_1
  void update(const Batch& batch, const torch::Tensor& probabilities) override {
    const auto p = probabilities.detach().to(torch::kCPU, torch::kFloat).contiguous();
    TORCH_CHECK(p.dim() == 2 && p.size(0) == static_cast<int64_t>(batch.traces.size()),
                "expected probabilities for the ", batch.traces.size(), " probes of the batch");
    const auto label = p.gather(1, batch.labels.to(torch::kCPU).unsqueeze(1)).squeeze(1);
    const auto closeness = 1 - 0.5 * (p.sum(1) - label + (1 - label));
    const float* close = closeness.data_ptr<float>();
    const std::lock_guard lock(mutex_);
    auto rates = history_.back()->rates;
    const auto decay = static_cast<float>(decay_);
    for (const auto& trace : batch.traces) {
      for (const auto& tried : trace)
        for (std::size_t k = 0; k < 2; ++k) {
          auto& rate = rates[static_cast<std::size_t>(tried.operation)][k];
          if (rate.empty()) continue;
          auto& bin = rate[static_cast<std::size_t>(tried.level[k] *
                                                    static_cast<float>(rate.size()) * 0.999f)];
          bin = bin * decay + *close * (1 - decay);
        }
      ++close;
    }
    remember(batch.step, std::move(rates));
  }

  Json save() const override {
    const std::lock_guard lock(mutex_);
    auto json = Json::array();
    for (const auto& snapshot : history_)
      json.push_back({{"step", snapshot->step}, {"rates", snapshot->rates}});
    return {{"history", std::move(json)}};
  }

  void load(const Json& json) override {
    std::vector<std::pair<int64_t, Rates>> saved;
    try {
      for (const auto& item : json.at("history")) {
        auto rates = item.at("rates").get<Rates>();
        if (!fits(rates))
          fail(
              "saved rates of ctaugment are not those of its operations: expected 0 to 1 for each "
              "of their bins");
        const auto& step = item.at("step");
        const auto before = saved.empty() ? -2 : saved.back().first;  // the first ones are of -1
        if (!step.is_number_integer() || step.get<int64_t>() <= before)
          fail("saved rates of ctaugment are of step ", json_text(step),
               ": expected a whole number above ", before);
        saved.emplace_back(step.get<int64_t>(), std::move(rates));
      }
    } catch (const Json::exception& error) {
      fail("saved state of ctaugment cannot be read: ", error.what());
    }
    if (saved.empty()) fail("saved state of ctaugment holds no rates: expected at least one set");
    const std::lock_guard lock(mutex_);
    history_.clear();
    for (auto& [step, rates] : saved) remember(step, std::move(rates));
  }

 private:
  ProbeStep draw_step(Random& random) const {
    const auto n = static_cast<uint32_t>(controlled_operations().size());
    const auto operation = static_cast<int>(random.below(n));
    return {operation, {random.uniform(), random.uniform()}};
  }

  static void run(const ProbeStep& drawn, Canvas& canvas, Random& random) {
    const auto operation =
        controlled_operations()[static_cast<std::size_t>(drawn.operation)].operation;
    const float x = random.uniform(), y = random.uniform();
    penumbra::apply(canvas, controlled_action(operation, drawn.level, canvas.shape(), x, y));
  }

  std::shared_ptr<const Snapshot> rates_for(int64_t step) const {
    const std::lock_guard lock(mutex_);
    for (auto it = history_.rbegin(); it != history_.rend(); ++it)
      if ((*it)->step <= step - 1 - delay_) return *it;
    return history_.front();
  }

  // Keeps what may still be asked for: steps after this one use rates of `step - delay_` and later.
  void remember(int64_t step, Rates rates) {
    auto chances = rates;
    for (auto& parameters : chances)
      for (auto& rate : parameters)
        if (!rate.empty()) rate = cumulative_chances(rate, threshold_, decay_);
    history_.push_back(
        std::make_shared<const Snapshot>(Snapshot{step, std::move(rates), std::move(chances)}));
    while (history_.size() > 1 && history_[1]->step <= step - delay_) history_.pop_front();
  }

  int64_t depth_ = 2, delay_ = 4;
  double threshold_ = 0.8, decay_ = 0.99;
  bool final_cutout_ = true;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const Snapshot>> history_;  // by step, oldest first; never empty
};

}  // namespace

extern const PolicyPlugin policy_ctaugment =
    plugin<Policy, CtAugment>("operations as strong as the model still takes, learnt in training");

}  // namespace penumbra
