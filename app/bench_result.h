#pragma once
#include <optional>
#include <string>

#include "penumbra/core/json.h"
#include "penumbra/model/kernels.h"
#include "penumbra/model/precision.h"

// What `penumbra bench` is asked, what it finds, and how it says so.

namespace penumbra::app {

struct BenchArguments {
  std::string backbone = "wrn_28_2", method, precision = "auto", kernels = "auto", format = "table";
  int64_t batch = 64, size = 32;
  int threads = 0, rounds = 3;
  double seconds = 3;  // of each measurement
};

struct BenchResult {
  std::string processor;
  int threads = 0;
  Precision precision = Precision::kFp32, predict_precision = Precision::kFp32;
  Kernels kernels = Kernels::kLibtorch;
  double train = 0, predict = 0, judge = 0;  // images per second
  double cores = 0;                          // machine_speed.h
  std::optional<double> bound;               // images per second
  std::optional<double> libtorch;            // images per second of a step with its kernels
  std::optional<double> method_step;         // seconds
  std::string signature;
};

Json to_json(const BenchArguments& arguments, const BenchResult& result);
std::string to_text(const BenchArguments& arguments, const BenchResult& result);

}  // namespace penumbra::app
