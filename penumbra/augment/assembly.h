#pragma once
#include <vector>

#include "penumbra/augment/loader.h"
#include "penumbra/augment/passes.h"
#include "penumbra/augment/view.h"

namespace penumbra {

// A batch on its way: the tensors, and which pictures go where.
struct Draft {
  Batch batch;
  std::vector<Passes::Draw> labelled, unlabelled;

  std::size_t size() const { return labelled.size() + unlabelled.size(); }
};

// Makes batches piece by piece: open() a step's draft, then fill() each of its pictures, from any
// number of threads.
class Assembly {
 public:
  Assembly(Source source, const LoaderOptions& options);

  // One at a time. `reused` is a batch of an earlier step whose memory may be written over.
  Draft open(int64_t step, Batch reused);
  // Writes all views of picture i, labelled pictures first.
  void fill(Draft& draft, std::size_t i, Canvas& canvas) const;

  const Shape& shape() const { return shape_; }

 private:
  void fill_labelled(Draft& draft, std::size_t i, Canvas& canvas) const;
  void fill_unlabelled(Draft& draft, std::size_t i, Canvas& canvas) const;
  void load(Canvas& canvas, int64_t image) const;
  void write(Canvas& canvas, torch::Tensor& block, int64_t row) const;

  Source source_;
  LoaderOptions options_;
  Shape shape_;
  Normaliser normaliser_;
  int64_t unlabelled_size_;  // mu B
  Passes labelled_, unlabelled_;
};

// Does nobody but this batch hold its memory?
bool unshared(const Batch& batch);

}  // namespace penumbra
