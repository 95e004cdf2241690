#pragma once
#include <string>
#include <vector>

#include "penumbra/data/dataset.h"
#include "penumbra/data/statistics.h"

namespace penumbra {

// What there is in a dataset, and everything that is wrong with it.
struct Inspection {
  std::string dataset;
  int64_t train = 0, unlabelled = 0, validation = 0, test = 0;  // unlabelled are part of train
  int64_t height = 0, width = 0, channels = 0;
  std::vector<std::string> classes;
  std::vector<int64_t> train_per_class, test_per_class;
  ChannelStatistics statistics;  // of the training images
  std::vector<Problem> problems;
  std::vector<std::string> notes;
};

// Reads everything; problems are collected and not thrown.
Inspection inspect(const OpenedDataset& opened, Reading reading);

}  // namespace penumbra
