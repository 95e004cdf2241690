#include "penumbra/train/run_log.h"

#include <unistd.h>

#include "penumbra/core/file.h"
#include "penumbra/core/json.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

TrainReport report_at(int64_t step) { return {step, 100, 1.5, 200, {{"loss", 0.5}}}; }

std::vector<int64_t> steps_in(const std::filesystem::path& path) {
  std::istringstream lines(read_file(path));
  std::vector<int64_t> steps;
  for (std::string line; std::getline(lines, line);) steps.push_back(Json::parse(line)["step"]);
  return steps;
}

TEST(RunLog, GoesOnFromTheStepOfTheCheckpoint) {
  const TestFolder folder;
  {
    RunLog log(folder.path());
    for (const int64_t step : {10, 20, 30}) log.write(report_at(step));
  }
  std::ofstream(folder / "metrics.jsonl", std::ios::app)
      << "{\"step\": 40, \"lo";  // cut by a crash
  RunLog log(folder.path(), /*step=*/20);
  log.write(report_at(25));
  EXPECT_EQ(steps_in(folder / "metrics.jsonl"), (std::vector<int64_t>{10, 20, 25}));
}

TEST(EventWriter, ADiskThatIsFullIsNoticed) {
  const TestFolder folder;
  const auto name = "events.out.tfevents.0000000005.penumbra." + std::to_string(getpid());
  std::filesystem::create_symlink("/dev/full", folder / name);
  EventWriter events(folder.path(), /*wall_time=*/5);
  EXPECT_THAT(error_of([&] {
                events.write(1, 5, {{"loss", 0.5}});
              }),
              testing::HasSubstr(name + ": the disk is full or failed"));
}

TEST(Crc32c, HasTheKnownAnswer) { EXPECT_EQ(crc32c("123456789"), 0xe3069283u); }

TEST(RunLog, EveryNumberIsInItsLine) {
  const TestFolder folder;
  RunLog log(folder.path());
  log.write({7, 100, 1.5, 200, {{"loss", 0.5}, {"mask", 0.25}}});
  EXPECT_EQ(
      read_file(folder / "metrics.jsonl"),
      "{\"step\":7,\"seconds\":1.5,\"images_per_second\":200.0,\"loss\":0.5,\"mask\":0.25}\n");
}

TEST(RunLog, BeginsAnewWhereTheRunDoes) {
  const TestFolder folder;
  folder.write("metrics.jsonl", "{\"step\": 10}\n{\"step\": 20}\n");
  const RunLog log(folder.path());
  EXPECT_EQ(read_file(folder / "metrics.jsonl"), "");
}

TEST(RunLog, LinesWithoutAStepAreDropped) {
  const TestFolder folder;
  folder.write("metrics.jsonl",
               "{\"step\": 1}\n{\"loss\": 2}\n[1]\n{\"step\": \"2\"}\n\n{\"step\": 2}\n");
  const RunLog log(folder.path(), /*step=*/100);
  EXPECT_EQ(steps_in(folder / "metrics.jsonl"), (std::vector<int64_t>{1, 2}));
}

}  // namespace
}  // namespace penumbra
