#include "penumbra/train/sweep.h"

#include "penumbra/train/experiment.h"
#include "penumbra/train/sweep_results.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kGrid = R"(
[sweep]
out = "runs/table"
results = "rows.jsonl"
[grid]
"run.method" = ["supervised", "fixmatch"]
run.labels = [40, 100]
"method.threshold" = [0.95]
[set]
"run.data" = "photos/of cats"
"run.classes" = ["cat", "dog"]
)";

Sweep read(const TestFolder& folder, const std::string& text) {
  return read_sweep(folder.write("table.toml", text));
}

std::string error_in(const std::string& text) {
  const TestFolder folder;
  return error_of([&] { read(folder, text); });
}

TEST(Sweep, MakesEveryCombinationInTheOrderOfTheFile) {
  const TestFolder folder;
  const auto sweep = read(folder, kGrid);
  EXPECT_EQ(sweep.out, "runs/table");
  EXPECT_EQ(sweep.results, folder / "rows.jsonl");
  EXPECT_THAT(sweep.grid, ElementsAre("run.method", "run.labels", "method.threshold"));
  std::vector<std::string> names;
  for (const auto& run : sweep.runs) names.push_back(run.name);
  EXPECT_THAT(names,
              ElementsAre("supervised-labels40-threshold0.95", "supervised-labels100-threshold0.95",
                          "fixmatch-labels40-threshold0.95", "fixmatch-labels100-threshold0.95"));
  EXPECT_EQ(value_of(sweep.runs[3], "run.labels"), "100");
  EXPECT_EQ(value_of(sweep.runs[3], "run.classes"), "cat,dog");
  EXPECT_EQ(value_of(sweep.runs[3], "run.seed"), "");
}

// Makes the method of a run, with its options and those of its preset for small pictures.
void expect_method_of(const SweepRun& run) {
  Config config;
  for (const auto& [name, value] : run.settings)
    if (name.find('.') != std::string::npos) config.set(name, value, "the sweep");
  auto section = config.section("run");
  const RunOptions choices(section);
  PresetFacts facts{choices.preset,
                    choices.method,
                    choices.data,
                    choices.backbone,
                    choices.policy,
                    {3, 32, 32},
                    10};
  for (const auto& [name, value] : preset_settings(facts))
    config.set_default(name, value, "preset");
  auto options = config.section("method");
  EXPECT_NO_THROW(make_method(choices.method, options));
}

TEST(Sweep, EveryCommittedFileCanBeRead) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(PENUMBRA_SOURCE_DIR "/configs")) {
    if (file.path().extension() != ".toml") continue;
    const auto sweep = read_sweep(file.path());
    EXPECT_EQ(sweep.results.stem(), file.path().stem()) << file.path();
    // Committed rows must be those of the runs that the file describes.
    for (const auto& row : read_results(sweep.results)) {
      bool found = false;
      for (const auto& run : sweep.runs) found = found || run.name == row.at("name");
      EXPECT_TRUE(found) << file.path() << " " << row.at("name");
    }
    for (const auto& run : sweep.runs) {
      SCOPED_TRACE(file.path().string() + " " + run.name);
      find_result(read_results(sweep.results), run);
      expect_method_of(run);
    }
    ++files;
  }
  EXPECT_GE(files, 9);
}

TEST(Sweep, ArmsAreSettingsThatGoTogether) {
  const TestFolder folder;
  const std::string text =
      "[grid]\n'run.seed' = [0, 1]\n[set]\n'run.data' = 'blobs'\n"
      "[arms.whole]\n'run.method' = 'penumbra'\n"
      "[arms.half]\n'run.method' = 'penumbra'\n'method.l_ue' = 0\n";
  const auto sweep = read(folder, text);
  std::vector<std::string> names;
  for (const auto& run : sweep.runs) names.push_back(run.name);
  EXPECT_THAT(names, ElementsAre("whole-seed0", "half-seed0", "whole-seed1", "half-seed1"));
  EXPECT_THAT(sweep.grid, ElementsAre("arm", "run.seed"));
  EXPECT_EQ(value_of(sweep.runs[0], "method.l_ue"), "");
  EXPECT_EQ(value_of(sweep.runs[1], "method.l_ue"), "0");
  EXPECT_EQ(value_of(sweep.runs[1], "run.data"), "blobs");
  EXPECT_THAT(
      error_in(text + "[arms.wrong]\n'run.seed' = 3\n"),
      HasSubstr("table.toml line 11: 'run.seed' is in [arms.wrong] and in [grid] or [set]"));
  EXPECT_THAT(error_in("[grid]\n'run.seed' = [0]\n[arms]\nx = 3\n"),
              HasSubstr("line 4: 'x' is no arm: expected [arms.x]"));
}

TEST(Sweep, PublishedNumbersBelongToRows) {
  const std::string text = R"(
[grid]
"run.method" = ["simple", "fixmatch"]
"run.seed" = [0, 1]
[arms.few]
"run.labels" = 40
[set]
"run.data" = "cifar10"
[published]
)";
  const TestFolder folder;
  const auto sweep = read(folder, text + "\"few simple\" = 94.84\n\"few fixmatch\" = 95\n");
  EXPECT_EQ(sweep.published.at("few simple"), 94.84);
  EXPECT_EQ(sweep.published.at(row_of(sweep, sweep.runs.back())), 95);
  EXPECT_THAT(error_in(text + "\"few simpel\" = 94.84\n"),
              HasSubstr("line 10: no row of the table is called 'few simpel': expected one such as "
                        "'few simple'"));
  EXPECT_THAT(error_in(text + "\"few simple\" = \"94 %\"\n"), HasSubstr("is not a number"));
}

TEST(Sweep, ChoosesFoldersByTheNameOfTheFile) {
  const TestFolder folder;
  const auto sweep = read(folder, "[grid]\n'run.data' = ['../my/blobs']\n");
  EXPECT_EQ(sweep.out, "runs/table");
  EXPECT_EQ(sweep.results, folder / "table.jsonl");
  EXPECT_EQ(sweep.runs.at(0).name, "data.._my_blobs");
}

TEST(Sweep, NamesTheFileAndLineOfAMistake) {
  EXPECT_THAT(error_in("[grid]\n'run.seed' = = 1\n"), HasSubstr("table.toml line 2: "));
  EXPECT_THAT(error_in("[grid]\n'run.seed' = 1\n"),
              HasSubstr("table.toml line 2: 'run.seed' of [grid] has no values"));
  EXPECT_THAT(error_in("[grid]\n'run.seed' = []\n"), HasSubstr("has no values"));
  EXPECT_THAT(error_in("[grid]\nseed = [1]\n"), HasSubstr("line 2: setting 'seed' has no section"));
  EXPECT_THAT(
      error_in("[grdi]\n'run.seed' = [1]\n"),
      HasSubstr("line 1: a sweep has no section [grdi]; there are: sweep grid arms set published"));
  EXPECT_THAT(error_in("[sweep]\nresult = 'a'\n"),
              HasSubstr("line 2: [sweep] does not know 'result'"));
  EXPECT_THAT(error_in("[set]\n'run.data' = 'blobs'\n"), HasSubstr("has an empty [grid]"));
  EXPECT_THAT(error_in("[grid]\n'run.seed' = [1]\n"), HasSubstr("on which data"));
  EXPECT_THAT(error_in("[grid]\n'run.data' = ['a']\n[set]\n'run.data' = 'b'\n"),
              HasSubstr("line 4: 'run.data' is in [grid] and in [set]"));
  EXPECT_THAT(error_in("[grid]\n'run.data' = ['a']\n'run.seed' = [1, 1]\n"),
              HasSubstr("two runs of the grid would be called 'a-seed1'"));
}

// A few hundred bytes may ask for more runs than memory can hold.
TEST(Sweep, OfMoreRunsThanAnybodyTrainsIsRefused) {
  std::string grid = "[grid]\n'run.data' = ['a']\n";
  for (int i = 0; i < 12; ++i)
    grid += "'train.n" + std::to_string(i) + "' = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  EXPECT_THAT(error_in(grid), HasSubstr("line 7: with 'train.n4' [grid] has 100000 runs or more: "
                                        "expected at most 10000"));
}

TEST(SweepResults, TakeLastNumbersAndTheValidationAccuracyOfTheJudgedModel) {
  const TestFolder folder;
  const auto run = read(folder, kGrid).runs[2];
  folder.write(
      "metrics.jsonl",
      "{\"step\":1,\"seconds\":2.5,\"mask\":0.5,\"validation/accuracy\":0.75}\n"
      "{\"step\":2,\"seconds\":4.5,\"mask\":0.25,\"validation/accuracy\":0.5}\n{\"step\":3,");
  const auto row =
      result_row(run, {{"accuracy", {{"value", 0.625}}}, {"labels_used", 36}}, folder.path());
  EXPECT_EQ(row.dump(),
            "{\"name\":\"fixmatch-labels40-threshold0.95\",\"run.method\":\"fixmatch\","
            "\"run.labels\":\"40\",\"method.threshold\":\"0.95\",\"run.data\":\"photos/of cats\","
            "\"run.classes\":\"cat,dog\",\"accuracy\":0.625,\"validation_accuracy\":0.75,"
            "\"labels_used\":36,\"mask\":0.25,\"seconds\":4.5,\"steps\":2}");
}

TEST(SweepResults, AreReadBackAndRefusedWhenTheSettingsChanged) {
  const TestFolder folder;
  const auto sweep = read(folder, "[grid]\n'run.data' = ['blobs']\n[set]\n'run.minutes' = 3\n");
  EXPECT_TRUE(read_results(sweep.results).empty());
  write_results(
      sweep.results,
      {{{"name", "blobs"}, {"run.data", "blobs"}, {"run.minutes", "3"}, {"accuracy", 0.5}}});
  const auto rows = read_results(sweep.results);
  ASSERT_NE(find_result(rows, sweep.runs[0]), nullptr);
  EXPECT_EQ(find_result({}, sweep.runs[0]), nullptr);

  const auto longer = read(folder, "[grid]\n'run.data' = ['blobs']\n[set]\n'run.minutes' = 9\n");
  EXPECT_THAT(error_of([&] { find_result(rows, longer.runs[0]); }),
              HasSubstr("run 'blobs' was made with run.minutes = \"3\", the sweep now has 9"));
  const auto fewer = read(folder, "[grid]\n'run.data' = ['blobs']\n");
  EXPECT_THAT(error_of([&] { find_result(rows, fewer.runs[0]); }), HasSubstr("now has nothing"));
  folder.write("table.jsonl", "\n{\"name\":\"blo");
  EXPECT_THAT(error_of([&] { read_results(sweep.results); }), HasSubstr("table.jsonl line 2"));
}

TEST(Sweep, PathsAreTextAndAnAbsoluteOneStays) {
  const TestFolder folder;
  const std::string grid = "[grid]\n'run.data' = ['blobs']\n";
  const auto sweep = read(folder, "[sweep]\nresults = '/tmp/rows.jsonl'\n" + grid);
  EXPECT_EQ(sweep.results, "/tmp/rows.jsonl");
  for (const char* value : {"3", "''", "['a']"})
    EXPECT_THAT(error_in("[sweep]\nout = " + std::string(value) + "\n" + grid),
                HasSubstr("line 2: 'out' is not a path: expected text in quotes"));
}

TEST(Sweep, ASectionThatIsAValueIsNamed) {
  EXPECT_THAT(error_in("grid = 3\n"), HasSubstr("line 1: 'grid' is no section: expected [grid]"));
  EXPECT_THAT(error_in("set = 'x'\n[grid]\n'run.data' = ['a']\n"),
              HasSubstr("line 1: 'set' is no section: expected [set]"));
}

TEST(Sweep, NamesOfRunsAreFitForFolders) {
  const TestFolder folder;
  const auto sweep = read(folder,
                          "[grid]\n'run.data' = ['a b/c']\n'train.ema_warm_up' = [true]\n"
                          "'train.lr' = [-0.5, 1e-3]\n");
  std::vector<std::string> names;
  for (const auto& run : sweep.runs) names.push_back(run.name);
  EXPECT_THAT(names, ElementsAre("a_b_c-true-lr_0.5", "a_b_c-true-lr0.001"));
}

TEST(Sweep, EveryArmMaySayItsOwnData) {
  const TestFolder folder;
  const std::string text =
      "[grid]\n'run.seed' = [0]\n[arms.one]\n'run.data' = 'blobs'\n[arms.two]\n";
  EXPECT_THAT(error_in(text), HasSubstr("does not say on which data run 'two-seed0' is"));
  const auto sweep = read(folder, text + "'run.data' = 'noise'\n");
  EXPECT_EQ(value_of(sweep.runs[1], "run.data"), "noise");
}

TEST(SweepResults, RowsWithoutANameOrAnAccuracyAreNamedByTheirLine) {
  const TestFolder folder;
  for (const char* line : {"5", "[]", "{}", "{\"name\":\"a\"}", "{\"name\":1,\"accuracy\":0.5}",
                           "{\"name\":\"a\",\"accuracy\":\"0.5\"}", "not JSON",
                           "{\"name\":\"a\",\"accuracy\":0.5,\"seconds\":\"long\"}"}) {
    const auto file =
        folder.write("rows.jsonl", "{\"name\":\"a\",\"accuracy\":1}\n" + std::string(line) + "\n");
    EXPECT_THAT(
        error_of([&] { read_results(file); }),
        HasSubstr("rows.jsonl line 2 is no result of a run: expected a JSON object with name "
                  "and accuracy; remove the line to do its run again"))
        << line;
  }
}

TEST(SweepResults, ComeBackInTheirOrderAndEmptyLinesAreFine) {
  const TestFolder folder;
  const std::vector<Json> rows{{{"name", "b"}, {"accuracy", 0.5}, {"run.data", "ü"}},
                               {{"name", "a"}, {"accuracy", 1}}};
  write_results(folder / "rows.jsonl", rows);
  EXPECT_EQ(read_results(folder / "rows.jsonl"), rows);
  folder.write("rows.jsonl", "\n{\"name\":\"a\",\"accuracy\":1}\n\n");
  EXPECT_EQ(read_results(folder / "rows.jsonl").size(), 1U);
}

TEST(SweepResults, ASettingThatTheRowLacksIsAContradictionToo) {
  const SweepRun run{"a", {{"run.data", "blobs"}, {"train.lr", "0.1"}}};
  const std::vector<Json> rows{{{"name", "a"}, {"accuracy", 1}, {"run.data", "blobs"}}};
  EXPECT_THAT(
      error_of([&] { find_result(rows, run); }),
      HasSubstr("the result of run 'a' was made with train.lr = nothing, the sweep now has "
                "0.1: expected the same; name other 'results' and 'out' in [sweep], or remove "
                "the row and the run's folder"));
  EXPECT_EQ(find_result(rows, {"b", {{"run.data", "blobs"}}}), nullptr);
}

TEST(SweepResults, ARunWithoutMetricsHasOnlyItsEvaluation) {
  const TestFolder folder;
  const SweepRun run{"a", {{"run.data", "blobs"}}};
  const Json evaluation{{"accuracy", {{"value", 0.5}}}, {"labels_used", 40}};
  folder.write("metrics.jsonl", "\nnot JSON\n[1]\n{\"validation/accuracy\":null,\"mask\":\"x\"}\n");
  EXPECT_EQ(result_row(run, evaluation, folder.path()).dump(),
            "{\"name\":\"a\",\"run.data\":\"blobs\",\"accuracy\":0.5,\"labels_used\":40}");
  EXPECT_THAT(error_of([&] { result_row(run, evaluation, folder / "none"); }),
              HasSubstr("metrics.jsonl: No such file"));
}

}  // namespace
}  // namespace penumbra
