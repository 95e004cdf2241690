#pragma once
#include <vector>

namespace penumbra {

// How well a score tells strangers from familiar pictures; higher scores should mean stranger.
// All are between 0 and 1; both lists must hold something (an Error otherwise).
struct Detection {
  double auroc = 0;     // chance that a stranger scores above a familiar one, ties count half
  double aupr_out = 0;  // average precision with the strangers as the positive class
  double aupr_in = 0;   // with the familiar ones as the positive class, by the negated score
  double fpr95 = 0;     // share of strangers accepted when 95 % of the familiar are
};

Detection detect(const std::vector<double>& familiar, const std::vector<double>& strangers);

double auroc(const std::vector<double>& negatives, const std::vector<double>& positives);

// sum_n (R_n - R_(n-1)) P_n over the distinct thresholds, from the highest score down.
double average_precision(const std::vector<double>& negatives,
                         const std::vector<double>& positives);

}  // namespace penumbra
