#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra {

// Answering only where a score says that it is safe. Images are accepted from the lowest score up;
// coverage is the share that is accepted, risk the share of wrong answers among them.
struct Selective {
  double aurc = 0;  // mean of the risks at coverages 1/N, 2/N, ..., 1 (Geifman and El-Yaniv 2017)
  // Area under the share that is wrong and accepted (Traub et al. 2024): with the AUROC A of wrong
  // against right answers and the error rate e, (1 - A) e (1 - e) + e^2 / 2.
  double augrc = 0;
  double coverage_at_5_risk = 0;  // the largest coverage whose risk is at most 5 %
  double risk_at_80_coverage = 0;
  std::vector<double> risk;  // with the first 1, 2, ..., N images accepted
};

// scores [N], higher meaning less to be trusted; wrong [N]. Images with equal scores are accepted
// together: each counts as wrong as often as they are on average.
Selective selective_of(const std::vector<double>& scores, const std::vector<bool>& wrong);

// Answers from the lowest score up, sorted once for statistics of many samples of them.
class RankedAnswers {
 public:
  RankedAnswers(const std::vector<double>& scores, const std::vector<bool>& wrong);

  int64_t answers() const { return static_cast<int64_t>(places_.size()); }

  // With each answer as often as it was drawn, one at least in all.
  Selective selective(const std::vector<int>& times) const;

 private:
  struct Place {
    std::size_t index;
    bool wrong;
    bool last;  // of those with the same score
  };
  std::vector<Place> places_;
};

}  // namespace penumbra
