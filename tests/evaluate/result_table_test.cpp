#include "penumbra/evaluate/result_table.h"

#include <gmock/gmock.h>

namespace penumbra {
namespace {

// Two methods with three seeds each; of the second one run is finished, of the third none.
Sweep example_sweep() {
  Sweep sweep;
  sweep.grid = {"run.method", "run.seed"};
  for (const std::string method : {"a_b", "c|d", "e,\"f\""})
    for (const std::string seed : {"0", "1", "2"})
      sweep.runs.push_back({method + seed, {{"run.method", method}, {"run.seed", seed}}});
  return sweep;
}

Json row(const std::string& method, const std::string& seed, double accuracy) {
  return {
      {"name", method + seed}, {"run.method", method}, {"run.seed", seed}, {"accuracy", accuracy}};
}

ResultTable example() {
  return make_result_table(example_sweep(),
                           {row("a_b", "0", 0.80), row("c|d", "1", 0.5), row("a_b", "1", 0.82),
                            row("a_b", "2", 0.84), row("of another sweep", "0", 0.1)});
}

TEST(ResultTable, DeviationDividesByOneLessThanTheNumber) {
  EXPECT_DOUBLE_EQ(mean({2, 4, 9}), 5);
  EXPECT_DOUBLE_EQ(sample_deviation({2, 4, 9}), std::sqrt(13.0));
}

TEST(ResultTable, GroupsRunsThatDifferInTheirSeedAlone) {
  const auto table = example();
  EXPECT_THAT(table.columns, testing::ElementsAre("run.method"));
  ASSERT_EQ(table.groups.size(), 3U);
  EXPECT_EQ(table.groups[0].accuracies.size(), 3U);
  EXPECT_EQ(table.groups[1].accuracies, std::vector<double>{50});
  EXPECT_EQ(table.groups[2].planned, 3);
  EXPECT_EQ(table.finished, 4);
  EXPECT_EQ(table.planned, 9);
}

TEST(ResultTable, InMarkdown) {
  EXPECT_EQ(to_markdown(example()),
            "| method | accuracy in % | seeds |\n|---|---:|---:|\n"
            "| a_b | 82.00 ± 2.00 | 3 |\n| c\\|d | 50.00 | 1 |\n| e,\"f\" | - | 0 |\n\n"
            "Mean and sample deviation over seeds; 4 of 9 runs so far.\n");
}

TEST(ResultTable, PublishedNumbersHaveAColumnWhereThereAreAny) {
  auto sweep = example_sweep();
  sweep.published = {{"c|d", 51.5}};
  const auto table = make_result_table(sweep, {row("c|d", "1", 0.5)});
  EXPECT_EQ(to_markdown(table),
            "| method | accuracy in % | seeds | published |\n|---|---:|---:|---:|\n"
            "| a_b | - | 0 | - |\n| c\\|d | 50.00 | 1 | 51.50 |\n| e,\"f\" | - | 0 | - |\n\n"
            "Mean and sample deviation over seeds; 1 of 9 runs so far.\n");
  EXPECT_EQ(to_csv(table),
            "method,accuracy_mean,accuracy_deviation,runs,runs_planned,published\n"
            "a_b,,,0,3,\nc|d,50.0000,,1,3,51.50\n\"e,\"\"f\"\"\",,,0,3,\n");
  EXPECT_THAT(to_latex(table), testing::HasSubstr("\\begin{tabular}{lrrr}"));
  EXPECT_THAT(to_latex(table), testing::HasSubstr("$50.00$ & 1 & 51.50 \\\\\n"));
}

TEST(ResultTable, InCsv) {
  EXPECT_EQ(to_csv(example()),
            "method,accuracy_mean,accuracy_deviation,runs,runs_planned\n"
            "a_b,82.0000,2.0000,3,3\nc|d,50.0000,,1,3\n\"e,\"\"f\"\"\",,,0,3\n");
}

TEST(ResultTable, InLatex) {
  EXPECT_EQ(to_latex(example()),
            "% 4 of 9 runs so far\n\\begin{tabular}{lrr}\n\\hline\n"
            "method & accuracy in \\% & seeds \\\\\n\\hline\n"
            "a\\_b & $82.00 \\pm 2.00$ & 3 \\\\\nc|d & $50.00$ & 1 \\\\\n"
            "e,\"f\" & $-$ & 0 \\\\\n\\hline\n\\end{tabular}\n");
}

TEST(ResultTable, SettingsOfOtherSectionsKeepTheirNameAndLatexIsEscaped) {
  Sweep sweep;
  sweep.grid = {"run.data", "method.threshold"};
  sweep.runs = {{"x", {{"run.data", "a&b%$#_{}~^\\"}, {"method.threshold", "0.9"}}}};
  const auto table = make_result_table(sweep, {});
  EXPECT_EQ(to_csv(table),
            "data,method.threshold,accuracy_mean,accuracy_deviation,runs,runs_planned\n"
            "a&b%$#_{}~^\\,0.9,,,0,1\n");
  const auto latex = to_latex(table);
  EXPECT_THAT(latex,
              testing::HasSubstr(
                  "a\\&b\\%\\$\\#\\_\\{\\}\\~{}\\^{}\\textbackslash{} & 0.9 & $-$ & 0 \\\\\n"));
  EXPECT_THAT(latex, testing::HasSubstr("\\begin{tabular}{llrr}"));
}

TEST(ResultTable, WithoutRunsHasAHeadAlone) {
  const auto table = make_result_table({}, {row("a", "0", 0.5)});
  EXPECT_EQ(to_csv(table), "accuracy_mean,accuracy_deviation,runs,runs_planned\n");
  EXPECT_EQ(table.finished, 0);
}

}  // namespace
}  // namespace penumbra
