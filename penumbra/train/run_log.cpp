#include "penumbra/train/run_log.h"

#include <chrono>
#include <sstream>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/json.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr const char* kFile = "metrics.jsonl";

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RunLog::RunLog(fs::path folder, int64_t step) : folder_(std::move(folder)) {
  const auto path = folder_ / kFile;
  std::string kept;
  if (is_there(path)) {
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
      // A line that a crash cut short is no JSON, and is dropped too.
      const auto report = parse_json_line(line);
      if (!report || !report->contains("step")) continue;
      const auto& at = report->at("step");
      if (at.is_number_integer() && at.get<int64_t>() <= step) kept += line + '\n';
    }
  }
  write_file(path, kept);
  file_.open(path, std::ios::app);
  events_ = std::make_unique<EventWriter>(folder_, wall_time());
}

void RunLog::sync() const { sync_file(folder_ / kFile); }

void RunLog::write(const TrainReport& report) {
  Json line{{"step", report.step},
            {"seconds", report.seconds},
            {"images_per_second", report.images_per_second}};
  for (const auto& [name, value] : report.numbers) line[name] = value;
  file_ << line.dump() << std::endl;
  if (!file_) fail("cannot write ", (folder_ / kFile).string(), ": is the disk full?");
  auto numbers = report.numbers;
  numbers["images_per_second"] = report.images_per_second;
  events_->write(report.step, wall_time(), numbers);
}

}  // namespace penumbra
