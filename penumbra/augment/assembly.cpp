#include "penumbra/augment/assembly.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <cmath>

namespace penumbra {
namespace {

void check_indices(const std::vector<int64_t>& indices, const Images& images, const char* what) {
  for (const auto i : indices)
    if (i < 0 || i >= images.size())
      fail(what, " picture number ", i, " of a training set of ", images.size(), " pictures");
}

void check(const Source& source, const LoaderOptions& options) {
  if (options.batch_size < 1) fail("batch size ", options.batch_size, ": expected at least 1");
  if (options.ahead < 1) fail("look-ahead of ", options.ahead, " batches: expected at least 1");
  if (options.threads < 1) fail(options.threads, " loader threads: expected at least 1");
  if (options.precision != torch::kFloat && options.precision != torch::kBFloat16)
    fail("batches of type ", c10::toString(options.precision), ": expected Float or BFloat16");
  check_indices(source.labelled, source.images, "labelled");
  check_indices(source.unlabelled, source.images, "unlabelled");
  if (source.labelled.empty())
    fail("no labelled pictures: expected at least one; --labels says how many");
  const auto labels = source.images.labels.accessor<int64_t, 1>();
  for (const auto i : source.labelled)
    if (labels[i] < 0) fail("picture number ", i, " is among the labelled but has no label");
  if (source.views.weak < 0 || source.views.strong < 0 || source.views.weak > kFirstStrongView ||
      source.views.strong > kFirstStrongView)
    fail(source.views.weak, " weak and ", source.views.strong, " strong views: expected 0 to ",
         kFirstStrongView, " of each");
  if (source.views.weak + source.views.strong > 0 && source.unlabelled.empty())
    fail("no unlabelled pictures, but the method wants ", source.views.weak, " weak and ",
         source.views.strong, " strong views of them; method 'supervised' needs none");
  if (source.policies.strong->learns() && source.policies.strong->delay() < options.ahead)
    fail("augment.delay is ", source.policies.strong->delay(), " steps: expected at least ",
         options.ahead, ", the number of batches made ahead");
}

int64_t unlabelled_size(const Views& views, int64_t batch_size) {
  if (views.weak + views.strong == 0) return 0;
  const double size = std::round(views.ratio * static_cast<double>(batch_size));
  if (!(size >= 1 && size <= 1e6))
    fail(views.ratio, " unlabelled pictures per labelled one make ", size,
         " of them in a step: expected 1 to 1000000");
  return static_cast<int64_t>(size);
}

}  // namespace

Assembly::Assembly(Source source, const LoaderOptions& options)
    : source_((check(source, options), std::move(source))),
      options_(options),
      shape_(shape_of(source_.images)),
      normaliser_(source_.normalisation, shape_),
      unlabelled_size_(unlabelled_size(source_.views, options.batch_size)),
      labelled_(source_.labelled, options.seed, Stream::kLabelledViews),
      unlabelled_(source_.unlabelled, options.seed, Stream::kUnlabelledViews) {
  source_.policies.weak->check(shape_);
  source_.policies.strong->check(shape_);
  source_.images.pixels = source_.images.pixels.contiguous();
}

Draft Assembly::open(int64_t step, Batch reused) {
  Draft draft;
  draft.labelled = labelled_.draw(step * options_.batch_size, options_.batch_size);
  if (unlabelled_size_ > 0)
    draft.unlabelled = unlabelled_.draw(step * unlabelled_size_, unlabelled_size_);

  auto& batch = draft.batch;
  const auto& views = source_.views;
  const auto block = [&](int64_t rows) {
    return torch::empty({rows, shape_.channels, shape_.height, shape_.width}, options_.precision,
                        torch::MemoryFormat::ChannelsLast);
  };
  const auto rows = options_.batch_size + (views.strong + views.weak) * unlabelled_size_;
  batch.step = step;
  batch.seed = options_.seed;
  batch.all = reused.all.defined() ? std::move(reused.all) : block(rows);
  // Below autograd, whose views hold on to what they are views of: unshared() counts holders.
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  int64_t row = 0;
  const auto take = [&](int64_t n) { return batch.all.narrow(0, (row += n) - n, n); };
  batch.images = take(options_.batch_size);
  for (int64_t i = 0; i < views.strong; ++i) batch.strong.push_back(take(unlabelled_size_));
  for (int64_t i = 0; i < views.weak; ++i) batch.weak.push_back(take(unlabelled_size_));
  if (source_.policies.strong->learns()) {
    batch.probe = reused.probe.defined() ? std::move(reused.probe) : block(options_.batch_size);
    batch.traces.resize(draft.labelled.size());
  }

  batch.labels = torch::empty({options_.batch_size}, torch::kLong);
  batch.labelled_index = torch::empty({options_.batch_size}, torch::kLong);
  batch.index = torch::empty({unlabelled_size_}, torch::kLong);
  const auto* labels = source_.images.labels.data_ptr<int64_t>();
  for (std::size_t i = 0; i < draft.labelled.size(); ++i) {
    batch.labelled_index.data_ptr<int64_t>()[i] = draft.labelled[i].item;
    batch.labels.data_ptr<int64_t>()[i] = labels[draft.labelled[i].item];
  }
  for (std::size_t i = 0; i < draft.unlabelled.size(); ++i)
    batch.index.data_ptr<int64_t>()[i] = draft.unlabelled[i].item;
  return draft;
}

void Assembly::fill(Draft& draft, std::size_t i, Canvas& canvas) const {
  if (i < draft.labelled.size())
    fill_labelled(draft, i, canvas);
  else
    fill_unlabelled(draft, i - draft.labelled.size(), canvas);
}

void Assembly::fill_labelled(Draft& draft, std::size_t i, Canvas& canvas) const {
  const auto& [image, pass] = draft.labelled[i];
  const Occurrence occurrence{options_.seed, Stream::kLabelledViews, pass, image};
  const auto& [weak, strong] = source_.policies;
  const auto row = static_cast<int64_t>(i);
  load(canvas, image);
  const auto strong_ones = source_.views.labelled_strong * static_cast<double>(options_.batch_size);
  if (static_cast<double>(row) < strong_ones)
    draw_strong(canvas, occurrence, 0, *weak, *strong, draft.batch.step);
  else
    draw_weak(canvas, occurrence, 0, *weak, draft.batch.step);
  write(canvas, draft.batch.all, row);
  if (!draft.batch.probe.defined()) return;
  load(canvas, image);
  draft.batch.traces[i] = draw_probe(canvas, occurrence, *weak, *strong, draft.batch.step);
  write(canvas, draft.batch.probe, row);
}

void Assembly::fill_unlabelled(Draft& draft, std::size_t i, Canvas& canvas) const {
  const auto& [image, pass] = draft.unlabelled[i];
  const Occurrence occurrence{options_.seed, Stream::kUnlabelledViews, pass, image};
  const auto& [weak, strong] = source_.policies;
  auto row = options_.batch_size + static_cast<int64_t>(i);
  for (int64_t k = 0; k < source_.views.strong; ++k, row += unlabelled_size_) {
    load(canvas, image);
    draw_strong(canvas, occurrence, static_cast<uint16_t>(k), *weak, *strong, draft.batch.step);
    write(canvas, draft.batch.all, row);
  }
  for (int64_t k = 0; k < source_.views.weak; ++k, row += unlabelled_size_) {
    load(canvas, image);
    draw_weak(canvas, occurrence, static_cast<uint16_t>(k), *weak, draft.batch.step);
    write(canvas, draft.batch.all, row);
  }
}

void Assembly::load(Canvas& canvas, int64_t image) const {
  canvas.load(source_.images.pixels.data_ptr<uint8_t>() + image * shape_.size());
}

void Assembly::write(Canvas& canvas, torch::Tensor& block, int64_t row) const {
  const auto offset = row * shape_.size();
  if (options_.precision == torch::kFloat)
    normaliser_.write(canvas.front(), static_cast<float*>(block.data_ptr()) + offset);
  else
    normaliser_.write(canvas.front(), static_cast<uint16_t*>(block.data_ptr()) + offset);
}

bool unshared(const Batch& batch) {
  // Somebody may hold one of these tensors, or another one made from it. In this order: once nobody
  // else holds a tensor of ours, nobody can make another from it.
  const auto alone = [](const torch::Tensor& tensor) { return tensor.use_count() == 1; };
  const auto all_alone = [&](const std::vector<torch::Tensor>& views) {
    return std::all_of(views.begin(), views.end(), alone);
  };
  if (!alone(batch.all) || !alone(batch.images) || !all_alone(batch.weak) ||
      !all_alone(batch.strong) || (batch.probe.defined() && !alone(batch.probe)))
    return false;
  const auto own = 2 + batch.weak.size() + batch.strong.size();
  return batch.all.storage().use_count() == own &&
         (!batch.probe.defined() || batch.probe.storage().use_count() == 1);
}

}  // namespace penumbra
