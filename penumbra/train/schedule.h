#pragma once
#include <cstdint>
#include <vector>

namespace penumbra {

// The learning rate's course: a short rise, then a part of a cosine; again in every phase.
struct Schedule {
  double lr = 0.03;            // lr0
  double cosine = 7.0 / 16;    // f: 7/16 ends at 0.195 lr0 (FixMatch), 1/2 at 0 (the paper)
  int64_t warm_up = 0;         // steps of linear rise from 0
  int64_t steps = 1;           // T, of all phases
  std::vector<double> phases;  // shares of T at which one begins; another at 0
  double phase_lr = 1;         // lr0 of all phases but the one at 0, as a share of it
  // A run of minutes may get another number of steps on its way. What lies behind stays behind, and
  // the rest is spread over what is left: at step `origin` it was the share `behind`.
  int64_t origin = 0;
  double behind = 0;

  double progress(int64_t step) const;  // share of the run before this step, t / T
  // lr0 cos(f pi t / T), never below 0; times (t + 1) / warm_up during the rise; lr0, t and T of
  // the phase.
  double at(int64_t step) const;

  // From `step` on, before the last one, there are so many in all.
  void count_anew(int64_t step, int64_t count);

 private:
  double steps_per_run() const;
};

}  // namespace penumbra
