#pragma once
#include <cstdint>
#include <vector>

namespace penumbra {

// How well a score tells strangers from familiar pictures; higher scores should mean stranger.
// All are between 0 and 1; both lists must hold something (an Error otherwise).
struct Detection {
  double auroc = 0;  // chance that a stranger scores above a familiar one, ties count half
  // Average precision, sum_n (R_n - R_(n-1)) P_n over the distinct thresholds.
  double aupr_out = 0;  // with the strangers as the positive class
  double aupr_in = 0;   // with the familiar ones as the positive class, by the negated score
  double fpr95 = 0;     // share of strangers accepted when 95 % of the familiar are
};

Detection detect(const std::vector<double>& familiar, const std::vector<double>& strangers);

// Scores of two groups from the highest down, sorted once for statistics of many samples of them.
class RankedScores {
 public:
  RankedScores(const std::vector<double>& negatives, const std::vector<double>& positives);

  int64_t negatives() const { return negatives_; }
  int64_t positives() const { return static_cast<int64_t>(places_.size()) - negatives_; }

  Detection detection() const;

  // With each score as often as it was drawn, as many in all as there are.
  Detection detection(const std::vector<int>& negatives, const std::vector<int>& positives) const;

 private:
  struct Place {
    uint32_t index;  // within its group
    bool positive;
    bool last;  // of those with the same score
  };
  // Calls visit(positives so far, negatives so far) after every group of equal scores;
  // times(place) is how often one counts.
  template <class Times, class Visit>
  void for_each_threshold(const Times& times, const Visit& visit) const;
  template <class Times>
  Detection detection_of(const Times& times) const;

  int64_t negatives_;
  std::vector<Place> places_;
};

}  // namespace penumbra
