#pragma once
#include <string>
#include <vector>

#include "penumbra/method/method.h"

namespace penumbra {

// Keeps strangers out of all losses: an unlabelled image passes when the teacher's certificates or
// the logarithm of its predicted variance, averaged over classes, put it below a quantile of what
// weak views of the labelled images of the last steps gave. These are learnt by heart, and look
// more familiar than others: fewer pass than the quantile says. Off unless asked for.
class Gate {
 public:
  explicit Gate(Options& options);

  bool on() const { return kind_ != "none"; }
  bool needs_certificates() const { return kind_ == "epistemic" || kind_ == "both"; }
  bool needs_variance() const { return kind_ == "variance" || kind_ == "both"; }

  // Which of the n unlabelled images pass, [n] bool. `said` is what the teacher said of their
  // weak views, view after view [views n]; `images` are weak views of labelled images.
  torch::Tensor familiar(const Output& said, int64_t views, const Forward& teacher,
                         const torch::Tensor& images);

  std::vector<NamedTensor> save() const;
  void load(const std::vector<NamedTensor>& state);

 private:
  std::vector<torch::Tensor> scores(const Output& said) const;
  void remember(const std::vector<torch::Tensor>& labelled);

  std::string kind_ = "none";
  double quantile_ = 0.95;
  std::string variance_;                  // what the head means: complement.h
  std::vector<torch::Tensor> reference_;  // of each score, [at most 2048], the newest last
};

}  // namespace penumbra
