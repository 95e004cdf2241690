#pragma once
#include "penumbra/method/method.h"

namespace penumbra {

// How a method puts strong views through the student: its option `skip_untrusted`.
struct StrongViews {
  bool skip_untrusted = false;

  void read(Options& options) {
    options.read("skip_untrusted", skip_untrusted,
                 "compute no strong view whose label is not trusted: it adds nothing to the loss, "
                 "but batch norm and L_UE then see fewer images");
  }

  // What the student says of the labelled images and of S strong views of each unlabelled one,
  // [B + S mu B, ...], for trust [mu B]. Rows that are skipped are zero. A rehearsal skips none.
  Output forward(const Forward& student, const Batch& batch, int64_t strong,
                 const torch::Tensor& trust) const;
};

}  // namespace penumbra
