#include "penumbra/report/run_report.h"

#include <set>

#include "penumbra/evaluate/certify.h"
#include "penumbra/model/image_inference.h"
#include "penumbra/report/gallery.h"
#include "tests/blobs_experiment.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

// The report of a run on blobs whose network has learnt nothing.
class RunReport : public testing::Test {
 protected:
  Json report(const std::vector<std::string>& settings, bool judged,
              const std::vector<std::string>& stranger_names = {}) {
    const auto experiment = blobs_experiment(settings);
    Model model{experiment.model, experiment.training.student};
    if (judged) attach(*fit_judge(*model.classifier, experiment), model.info);
    folder_.write("my-run/metrics.jsonl",
                  "{\"step\":1,\"loss/supervised\":2.5}\n"
                  "{\"step\":9,\"loss/supervised\":1.5,\"seconds\":12,\"images_per_second\":80}\n");
    Reading reading;
    std::vector<Strangers> strangers;
    strangers.reserve(stranger_names.size());
    for (const auto& name : stranger_names)
      strangers.push_back(open_strangers(name, {}, reading, experiment));
    ReportOptions options;
    options.points = 60;
    options.progress = [&](int64_t done, int64_t all) { map_done_ = done == all; };
    return report_of(folder_ / "my-run", experiment, model, strangers, options);
  }

  TestFolder folder_;
  bool map_done_ = false;
};

TEST_F(RunReport, SaysWhatWasTrained) {
  const auto json = report({"run.method=supervised", "run.seed=3"}, false);
  EXPECT_EQ(json["name"], "my-run");
  const auto& what = json["what"];
  EXPECT_EQ(what["data"], "blobs");
  EXPECT_EQ(what["method"], "supervised");
  EXPECT_EQ(what["labels"], 16);
  EXPECT_EQ(what["validation_labels"], 16);
  EXPECT_EQ(what["seed"], 3);
  EXPECT_EQ(what["steps"], 9);
  EXPECT_EQ(what["seconds"], 12);
  EXPECT_GT(what["parameters"].get<int64_t>(), 100);
  EXPECT_EQ(json["curves"][0]["values"], Json::array({80}));
  EXPECT_TRUE(map_done_);
}

// They serve as the unlabelled ones, too, and are no more for that.
TEST_F(RunReport, OfLabelledPicturesAloneSaysThatTheyAre) {
  for (const char* labels : {"run.labels=0", "run.labels=16"}) {
    const auto json = report({"run.method=fixmatch", "run.unlabelled=all", labels}, true);
    const bool all = std::string(labels) == "run.labels=0";
    EXPECT_EQ(json["what"]["unlabelled"], all ? 0 : 48);
    std::set<std::string> groups, galleries;
    for (const auto& group : json["familiarity"]["groups"])
      groups.insert(group["name"].get<std::string>());
    for (const auto& gallery : json["galleries"])
      galleries.insert(gallery["name"].get<std::string>());
    EXPECT_EQ(groups.count("unlabelled, strong view"), all ? 0U : 1U);
    EXPECT_EQ(groups.count("labelled, strong view"), all ? 1U : 0U);
    EXPECT_EQ(galleries.count("pseudo-labels that are wrong"), all ? 0U : 1U);
  }
}

TEST_F(RunReport, OnlyARunThatGavePseudoLabelsShowsWrongOnes) {
  const auto galleries = [&](const char* method) {
    std::vector<std::string> names;
    const auto json = report({method}, false);
    for (const auto& gallery : json["galleries"]) {
      EXPECT_FALSE(gallery["items"].empty()) << gallery["name"];
      names.push_back(gallery["name"].get<std::string>());
    }
    return names;
  };
  EXPECT_THAT(galleries("run.method=fixmatch"), testing::Contains("pseudo-labels that are wrong"));
  EXPECT_THAT(galleries("run.method=supervised"),
              testing::Not(testing::Contains("pseudo-labels that are wrong")));
}

// With its own answers for labels a network makes no mistakes.
TEST_F(RunReport, AGalleryWithoutPicturesIsLeftOut) {
  const auto experiment = blobs_experiment({"run.method=supervised"});
  const Model model{experiment.model, experiment.training.student};
  auto perfect = blobs_experiment({"run.method=supervised"});
  const auto logits = infer(*model.classifier, perfect.test, all_positions(perfect.test),
                            perfect.model.normalisation)
                          .logits;
  perfect.test.labels = logits.argmax(1);
  ReportOptions options;
  options.points = 20;
  const auto json = report_of(folder_ / "none", perfect, model, {}, options);
  ASSERT_FALSE(json["galleries"].empty());
  for (const auto& gallery : json["galleries"])
    EXPECT_NE(gallery["name"], "most confident mistakes");
  for (const auto& score : json["selective"]) EXPECT_TRUE(score["error_auroc"].is_null());
}

TEST_F(RunReport, WithoutAJudgeLeavesOutWhatOnlyAJudgeKnows) {
  const auto json = report({}, false);
  EXPECT_FALSE(json.contains("familiarity"));
  EXPECT_FALSE(json.contains("verdicts"));
  EXPECT_FALSE(json["calibration"].contains("calibrated"));
  EXPECT_EQ(json["selective"].size(), 2U);
  const auto expect_no_verdict = [](const Json& item) {
    EXPECT_TRUE(item["verdict"].is_null());
    EXPECT_TRUE(item["epistemic_percentile"].is_null());
    EXPECT_FALSE(item["probability"].is_null());
  };
  ASSERT_FALSE(json["map"]["points"].empty());
  for (const auto& point : json["map"]["points"]) expect_no_verdict(point);
  for (const auto& gallery : json["galleries"]) {
    EXPECT_NE(gallery["name"], "most unfamiliar");
    for (const auto& item : gallery["items"]) expect_no_verdict(item);
  }
}

TEST_F(RunReport, WithoutAJudgeNobodyIsCalledAStranger) {
  const auto json = report({}, false, {"noise"});
  EXPECT_TRUE(json["strangers"][0]["unfamiliar"].is_null());
  EXPECT_GT(json["strangers"][0]["images"].get<int64_t>(), 0);
}

TEST_F(RunReport, EveryNumberFitsTheOthers) {
  const auto json = report({}, true, {"noise"});
  const auto images = json["result"]["images"].get<int64_t>();
  int64_t confused = 0, judged = 0, right = 0;
  for (std::size_t row = 0; row < json["confusion"].size(); ++row)
    for (std::size_t column = 0; column < json["confusion"].size(); ++column) {
      confused += json["confusion"][row][column].get<int64_t>();
      if (row == column) right += json["confusion"][row][column].get<int64_t>();
    }
  for (const auto& count : json["verdicts"]) judged += count["images"].get<int64_t>();
  EXPECT_EQ(confused, images);
  EXPECT_EQ(judged, images);
  EXPECT_NEAR(json["result"]["accuracy"]["value"].get<double>(),
              static_cast<double>(right) / static_cast<double>(images), 1e-12);

  ASSERT_EQ(json["familiarity"]["groups"].size(), 3U);
  const auto labelled = json["familiarity"]["groups"][0]["values"].size();
  EXPECT_EQ(labelled, 15U);  // a quarter of the points
  for (const std::size_t group : {1U, 2U})
    EXPECT_EQ(json["familiarity"]["groups"][group]["values"].size(), 60 - labelled - 0U);
  EXPECT_EQ(json["map"]["points"].size(), 60U);

  const auto& selective = json["selective"];
  ASSERT_EQ(selective.size(), 4U);
  for (const auto& score : selective) {
    EXPECT_NEAR(score["coverage"].back().get<double>(), 1, 1e-12);
    EXPECT_GE(score["error_auroc"].get<double>(), 0);
    EXPECT_LE(score["error_auroc"].get<double>(), 1);
    // With everything accepted the risk is the error rate.
    EXPECT_NEAR(score["risk"].back().get<double>(),
                1 - json["result"]["accuracy"]["value"].get<double>(), 1e-9);
  }
  const auto& noise = json["strangers"][0];
  EXPECT_EQ(noise["name"], "noise");
  EXPECT_LE(noise["unfamiliar"].get<int64_t>(), noise["images"].get<int64_t>());
  for (const auto& score : noise["scores"]) {
    EXPECT_EQ(score["roc"].front(), Json::array({0, 0}));
    EXPECT_EQ(score["roc"].back(), Json::array({1, 1}));
    for (std::size_t i = 1; i < score["roc"].size(); ++i)
      EXPECT_GE(score["roc"][i][1].get<double>(), score["roc"][i - 1][1].get<double>());
  }
  EXPECT_GE(json["pictures"]["count"].get<int64_t>(), 60);
}

// Judgements of four pictures: two mistakes, the second of them the surer one.
class Galleries : public testing::Test {
 protected:
  Galleries() {
    images_.pixels = torch::zeros({6, 2, 2, 3}, torch::kByte);
    said_.resize(4);
    for (std::size_t i = 0; i < 4; ++i) {
      said_[i].label = static_cast<int64_t>(i % 2);
      said_[i].probability = 0.6 + 0.1 * static_cast<double>(i);
      said_[i].entropy = 0.5 - 0.1 * static_cast<double>(i);
      said_[i].epistemic = i == 2 ? 9 : 1;
    }
  }

  std::vector<std::string> predictions(const Json& gallery) const {
    std::vector<std::string> names;
    for (const auto& item : gallery["items"])
      names.push_back(item["label"].get<std::string>() + " as " +
                      item["predicted"].get<std::string>());
    return names;
  }

  Images images_;
  std::vector<int64_t> positions_{1, 2, 3, 5};
  torch::Tensor labels_ = torch::tensor({0, 0, 0, 0}, torch::kLong);
  std::vector<Judgement> said_;
  std::vector<std::string> classes_{"cat", "dog"};
  SpriteSheet sheet_;
};

TEST_F(Galleries, MistakesComeTheSurestFirst) {
  const auto galleries =
      test_galleries({images_, positions_, labels_, said_, classes_}, /*judged=*/true, sheet_);
  ASSERT_EQ(galleries.size(), 3U);
  EXPECT_EQ(predictions(galleries[0]), (std::vector<std::string>{"cat as dog", "cat as dog"}));
  EXPECT_NEAR(galleries[0]["items"][0]["probability"].get<double>(), 0.9, 1e-12);
  EXPECT_NEAR(galleries[1]["items"][0]["entropy"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(galleries[2]["name"], "most unfamiliar");
  EXPECT_NEAR(galleries[2]["items"][0]["probability"].get<double>(), 0.8, 1e-12);
  EXPECT_EQ(sheet_.to_json()["count"], 10);
}

TEST_F(Galleries, HaveNoUnfamiliarPicturesWithoutAJudge) {
  EXPECT_EQ(
      test_galleries({images_, positions_, labels_, said_, classes_}, /*judged=*/false, sheet_)
          .size(),
      2U);
}

TEST_F(Galleries, ShowTwentyFourPicturesAtTheMost) {
  images_.pixels = torch::zeros({100, 2, 2, 3}, torch::kByte);
  said_.resize(100);
  labels_ = torch::ones({100}, torch::kLong);
  positions_.assign(100, 0);
  const auto galleries =
      test_galleries({images_, positions_, labels_, said_, classes_}, false, sheet_);
  EXPECT_EQ(galleries[1]["items"].size(), 24U);
}

TEST_F(Galleries, WrongPseudoLabelsAreThoseWhoseHiddenLabelIsAnother) {
  SeenViews seen;
  seen.weak.said.logits = torch::tensor({{3.0F, 0.0F}, {0.0F, 5.0F}, {4.0F, 0.0F}, {0.0F, 1.0F}});
  seen.weak.said.features = seen.weak.said.logits;
  seen.weak.labels = torch::tensor({1, 0, 0, -1}, torch::kLong);
  seen.weak.pictures = torch::zeros({4, 2, 2, 3}, torch::kByte);
  const auto gallery = pseudo_label_gallery(seen, classes_, nullptr, sheet_);
  EXPECT_EQ(predictions(gallery), (std::vector<std::string>{"cat as dog", "dog as cat"}));
}

TEST_F(Galleries, AVerdictWithoutAJudgeIsNull) {
  auto one = said_[2];
  one.aleatoric = 0.25;
  one.epistemic_percentile = 0.75;
  one.verdict = Verdict::kUnfamiliar;
  const auto judged = verdict_json(one, true), rough = verdict_json(one, false);
  EXPECT_EQ(judged["verdict"], "unfamiliar");
  EXPECT_EQ(judged["aleatoric"], 0.25);
  EXPECT_EQ(judged["epistemic"], 9.0);
  EXPECT_EQ(judged["epistemic_percentile"], 0.75);
  for (const char* name : {"verdict", "aleatoric", "epistemic", "epistemic_percentile"})
    EXPECT_TRUE(rough[name].is_null()) << name;
  EXPECT_EQ(rough["probability"], judged["probability"]);
}

TEST_F(Galleries, PicturesAreThoseOfThePositions) {
  for (int64_t i = 0; i < 6; ++i) images_.pixels[i].fill_(40 * i);
  const auto galleries =
      test_galleries({images_, positions_, labels_, said_, classes_}, /*judged=*/false, sheet_);
  ASSERT_EQ(galleries[1]["items"].size(), 4U);
  std::set<int64_t> numbers;
  for (const auto& gallery : galleries)
    for (const auto& item : gallery["items"]) numbers.insert(item["picture"].get<int64_t>());
  EXPECT_EQ(numbers.size(), 6U);  // two mistakes and four ambiguous ones, a picture each
  EXPECT_EQ(sheet_.to_json()["count"], 6);
}

TEST_F(Galleries, EqualOnesComeInTheirOrder) {
  for (auto& one : said_) {
    one.entropy = 0.5;
    one.label = 1;
    one.probability = 0.8;
  }
  labels_ = torch::tensor({0, 1, 0, 1}, torch::kLong);
  const auto galleries =
      test_galleries({images_, positions_, labels_, said_, classes_}, /*judged=*/false, sheet_);
  EXPECT_EQ(predictions(galleries[0]), (std::vector<std::string>{"cat as dog", "cat as dog"}));
  EXPECT_EQ(predictions(galleries[1]),
            (std::vector<std::string>{"cat as dog", "dog as dog", "cat as dog", "dog as dog"}));
}

TEST_F(Galleries, AHiddenLabelThatNobodyKnowsIsNotCalledWrong) {
  SeenViews seen;
  seen.weak.said.logits = torch::tensor({{3.0F, 0.0F}, {0.0F, 5.0F}});
  seen.weak.said.features = seen.weak.said.logits;
  seen.weak.labels = torch::tensor({-1, 1}, torch::kLong);
  seen.weak.pictures = torch::zeros({2, 2, 2, 3}, torch::kByte);
  EXPECT_TRUE(pseudo_label_gallery(seen, classes_, nullptr, sheet_)["items"].empty());
  EXPECT_TRUE(sheet_.empty());
}

}  // namespace
}  // namespace penumbra
