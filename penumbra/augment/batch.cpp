#include "penumbra/augment/batch.h"

namespace penumbra {

Batch to_device(Batch batch, torch::Device device) {
  if (device.is_cpu()) return batch;
  batch.all = batch.all.to(device);
  batch.labels = batch.labels.to(device);
  int64_t row = 0;
  const auto next = [&](const torch::Tensor& rows) {
    const auto begin = row;
    row += rows.size(0);
    return batch.all.slice(/*dim=*/0, begin, row);
  };
  batch.images = next(batch.images);
  for (auto& view : batch.strong) view = next(view);
  for (auto& view : batch.weak) view = next(view);
  if (batch.probe.defined()) batch.probe = batch.probe.to(device);
  return batch;
}

}  // namespace penumbra
