#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace penumbra {

// Numbers over steps in TensorBoard's event format: events.out.tfevents.* files that
// `tensorboard --logdir` reads. The format is two messages of protobuf in records with
// checksums; TensorBoard's own writer comes only with TensorFlow, hence ours.
class EventWriter {
 public:
  // A new file in `folder`, named by `wall_time` (seconds since 1970).
  EventWriter(const std::filesystem::path& folder, double wall_time);

  void write(int64_t step, double wall_time, const std::map<std::string, double>& numbers);

 private:
  void record(const std::string& event);

  std::filesystem::path path_;
  std::ofstream file_;
};

// CRC-32C (Castagnoli), which the records are checked with.
uint32_t crc32c(const std::string& bytes);

}  // namespace penumbra
