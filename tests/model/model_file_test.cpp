#include "penumbra/model/model_file.h"

#include "penumbra/model/infer.h"
#include "penumbra/model/layers.h"
#include "penumbra/model/safetensors.h"
#include "penumbra/model/weights.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

class ModelFile : public testing::Test {
 protected:
  ModelFile() {
    info_.backbone = "tiny";
    info_.input = {3, 8, 8};
    info_.classes = {"cat", "dog", "\"quoted\""};
    info_.normalisation = {{0.1F, 0.2F, 0.3F}, {0.5F, 0.6F, 0.7F}};
    info_.facts = {{"method", "fixmatch"}, {"accuracy", 0.75}};
    Options options{{"width", "16"}};
    const auto backbone = make_backbone("tiny", info_.input, options, make_generator(1));
    info_.options = options.described();
    HeadSpec variance;
    variance.name = "variance";
    variance.outputs = 3;
    classifier_ = std::make_shared<Classifier>(backbone, 3, std::vector<HeadSpec>{variance},
                                               make_generator(2));
    classifier_->eval();
  }

  std::filesystem::path write() const {
    write_model(folder_ / "m.safetensors", *classifier_, info_);
    return folder_ / "m.safetensors";
  }

  // The model's file with its description changed by somebody.
  using Change = std::function<void(Json& description, Json& classes)>;
  std::filesystem::path changed(const Change& change) const {
    const SafetensorsFile file(write());
    auto description = Json::parse(file.metadata().at("penumbra"));
    auto classes = Json::parse(file.metadata().at("classes"));
    change(description, classes);
    std::vector<NamedTensor> tensors;
    for (const auto& entry : file.entries())
      tensors.push_back({entry.name, file.tensor(entry.name)});
    const auto path = folder_ / "changed.safetensors";
    write_safetensors(path, tensors,
                      {{"penumbra", json_text(description)}, {"classes", json_text(classes)}});
    return path;
  }
  std::string error_with(const Change& change) const {
    const auto path = changed(change);
    return error_of([&] { read_model(path); });
  }

  TestFolder folder_;
  ModelInfo info_;
  std::shared_ptr<Classifier> classifier_;
};

TEST_F(ModelFile, GivesBackTheModelAndWhatIsKnownOfIt) {
  info_.uncertainty = {{"temperature", 2}};
  info_.uncertainty_tensors = {{"scores", torch::arange(3, torch::kFloat)}};
  const auto model = read_model(write());
  EXPECT_EQ(model.info.backbone, "tiny");
  EXPECT_EQ(model.info.classes, info_.classes);
  EXPECT_EQ(model.info.normalisation.mean, info_.normalisation.mean);
  EXPECT_EQ(model.info.normalisation.std, info_.normalisation.std);
  EXPECT_EQ(model.info.facts, info_.facts);
  EXPECT_EQ(model.info.fit, "crop");
  EXPECT_EQ(model.info.uncertainty["temperature"], 2);
  ASSERT_EQ(model.info.uncertainty_tensors.size(), 1U);
  EXPECT_EQ(model.info.uncertainty_tensors[0].name, "scores");
  EXPECT_FALSE(model.classifier->is_training());
  const auto images = torch::randn({2, 3, 8, 8}, make_generator(3));
  const auto before = classifier_->forward(images), after = model.classifier->forward(images);
  EXPECT_TRUE(after.logits.allclose(before.logits, 1e-5, 1e-6));
  EXPECT_TRUE(after.heads.at("variance").allclose(before.heads.at("variance"), 1e-5, 1e-6));
}

TEST_F(ModelFile, SaysThatAnswersAreForMirrorImagesToo) {
  EXPECT_FALSE(read_model(write()).classifier->mirrors());
  info_.mirror = true;
  const auto model = read_model(write());
  EXPECT_TRUE(model.info.mirror);
  const auto images = torch::randn({2, 3, 8, 8}, make_generator(3));
  const auto here = infer(*model.classifier, images);
  const auto there = infer(*model.classifier, images.flip({3}));
  EXPECT_TRUE(here.logits.allclose(there.logits, 1e-4, 1e-5));
  EXPECT_FALSE(here.features.allclose(there.features, 1e-4, 1e-5));
  // Files that were written before this was known.
  const auto older = changed([](Json& description, Json&) { description.erase("mirror"); });
  EXPECT_FALSE(read_model(older).classifier->mirrors());
  EXPECT_THAT(error_with([](Json& description, Json&) { description["mirror"] = "yes"; }),
              HasSubstr("its description is damaged"));
}

TEST_F(ModelFile, OfSomebodyElseIsAnError) {
  const auto path = folder_ / "other.safetensors";
  write_safetensors(path, {{"a", torch::ones({2})}}, {{"format", "pt"}});
  EXPECT_THAT(error_of([&] { read_model(path); }), HasSubstr("not a model that penumbra wrote"));
}

TEST_F(ModelFile, OfALaterVersionIsAnError) {
  EXPECT_THAT(error_with([](Json& text, Json&) { text["version"] = 2; }),
              HasSubstr("it is of version 2, expected 1"));
}

TEST_F(ModelFile, WhoseDescriptionMakesNoSenseIsAnError) {
  EXPECT_THAT(error_with([](Json& text, Json&) { text.erase("mean"); }),
              HasSubstr("its description is damaged"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["backbone"] = 7; }),
              HasSubstr("its description is damaged"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["backbone"] = "nobody"; }),
              HasSubstr("no backbone 'nobody'"));
  EXPECT_THAT(error_with([](Json& text, Json&) {
                text["input"] = {3, 8};
              }),
              HasSubstr("its input has 2 sizes, expected 3"));
  EXPECT_THAT(error_with([](Json& text, Json&) {
                text["input"] = {3, 8, 1 << 20};
              }),
              HasSubstr("its input has the size 1048576"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["mean"] = {0.5}; }),
              HasSubstr("its normalisation does not fit 3 channels"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["std"][1] = 0; }),
              HasSubstr("its normalisation has the mean"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["mean"][2] = 1e300; }),
              HasSubstr("its normalisation has the mean inf"));
  EXPECT_THAT(error_with([](Json& text, Json&) {
                text["input"] = {16384, 8, 8};
              }),
              HasSubstr("its input has 16384 channels: expected at most 4"));
  EXPECT_THAT(error_with([](Json&, Json& classes) { classes = {"cat"}; }),
              HasSubstr("it names 1 classes"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["heads"][0]["outputs"] = 1 << 20; }),
              HasSubstr("a head has 1048576 outputs"));
  for (const Json& odd : {Json(1e300), Json(1.5), Json("1"), Json()}) {
    EXPECT_THAT(error_with([&](Json& text, Json&) { text["version"] = odd; }),
                HasSubstr("its version is " + odd.dump() + ": expected a whole number"));
    EXPECT_THAT(error_with([&](Json& text, Json&) { text["input"][1] = odd; }),
                HasSubstr("its input is " + odd.dump()));
    EXPECT_THAT(error_with([&](Json& text, Json&) { text["heads"][0]["outputs"] = odd; }),
                HasSubstr("its number of a head's outputs is " + odd.dump()));
  }
  for (const std::string name : {"", "a.b", "a b", "../a"})
    EXPECT_THAT(error_with([&](Json& text, Json&) { text["heads"][0]["name"] = name; }),
                HasSubstr("a head is called '" + name + "': expected letters"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["heads"].push_back(text["heads"][0]); }),
              HasSubstr("two heads are called 'variance'"));
}

TEST_F(ModelFile, ThatAsksForMoreThanItHasIsRefusedBeforeMemoryIsTaken) {
  for (const char* backbone : {"wrn_1000_64", "wrn_1000_1", "wrn_10_64", "fast_1024"})
    EXPECT_THAT(error_with([&](Json& text, Json&) {
                  text["backbone"] = backbone;
                  text["options"] = Json::object();
                }),
                HasSubstr("the described network is larger than its weights are"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["heads"][0]["outputs"] = 65536; }),
              HasSubstr("its heads.variance.weight is [3, 32]: expected [65536, 32]"));
  EXPECT_THAT(error_with([](Json& text, Json&) { text["heads"][0]["name"] = "rotation"; }),
              HasSubstr("it has no weights heads.rotation.weight"));
  EXPECT_THAT(error_with([](Json&, Json& classes) { classes.push_back("cow"); }),
              HasSubstr("it names 4 classes, its fc.weight has 3"));
  EXPECT_NO_THROW(convolution(512, 512, 3));  // the limit is gone with the reading
}

// Weights [65536, 0] have no bytes, and the layer that they ask for hundreds of megabytes.
TEST_F(ModelFile, WhoseLayersTakeNoFeaturesIsRefusedBeforeMemoryIsTaken) {
  const SafetensorsFile file(write());
  std::vector<NamedTensor> tensors;
  for (const auto& entry : file.entries()) {
    const bool linear = entry.shape.size() == 2;
    tensors.push_back(
        {entry.name, linear ? torch::empty({entry.shape[0], 0}) : file.tensor(entry.name)});
  }
  const auto path = folder_ / "empty.safetensors";
  write_safetensors(path, tensors, file.metadata());
  EXPECT_THAT(error_of([&] { read_model(path); }),
              HasSubstr("its fc.weight takes 0 features, its backbone tiny has 32"));
}

TEST_F(ModelFile, WhoseDescriptionIsNestedWithoutEndIsAnError) {
  const auto path = folder_ / "deep.safetensors";
  const std::string deep = std::string(300000, '[') + std::string(300000, ']');
  write_safetensors(path, {{"a", torch::ones({2})}},
                    {{"penumbra", "{\"version\":1,\"facts\":" + deep + "}"}, {"classes", "[]"}});
  EXPECT_THAT(error_of([&] { read_model(path); }), HasSubstr("nested more than 64 deep"));
}

TEST_F(ModelFile, WhoseWeightsDoNotFitItsDescriptionIsAnError) {
  EXPECT_NE(error_with([](Json&, Json& classes) { classes.push_back("cow"); }), "");
  EXPECT_NE(error_with([](Json& text, Json&) { text["heads"] = Json::array(); }), "");
  EXPECT_NE(error_with([](Json& text, Json&) { text["options"]["width"] = "32"; }), "");
  EXPECT_THAT(error_with([](Json& text, Json&) { text["options"]["wide"] = "32"; }),
              HasSubstr("does not know 'wide'"));
}

TEST_F(ModelFile, RemembersEverythingThatPredictionNeeds) {
  info_.fit = "stretch";
  const auto model = read_model(write());
  EXPECT_EQ(model.info.fit, "stretch");
  EXPECT_EQ(model.info.input.channels, 3);
  EXPECT_EQ(model.info.input.height, 8);
  EXPECT_EQ(model.info.input.width, 8);
  EXPECT_TRUE(model.info.uncertainty.is_null());
  EXPECT_TRUE(model.info.uncertainty_tensors.empty());
  ASSERT_FALSE(model.info.options.empty());
  EXPECT_EQ(model.info.options[0].key, "width");
  EXPECT_EQ(model.info.options[0].value, "16");
}

TEST_F(ModelFile, WhoseMetadataIsIncompleteIsNobodysModel) {
  const auto path = folder_ / "half.safetensors";
  for (const Metadata& metadata : {Metadata{{"penumbra", "{}"}}, Metadata{{"classes", "[]"}}}) {
    write_safetensors(path, {{"a", torch::ones({2})}}, metadata);
    EXPECT_EQ(error_of([&] { read_model(path); }),
              path.string() + " is not a model that penumbra wrote");
  }
}

TEST_F(ModelFile, WhoseClassesAreNoListOfNamesIsAnError) {
  EXPECT_THAT(error_with([](Json&, Json& classes) {
                classes = {1, 2, 3};
              }),
              HasSubstr("its description is damaged"));
  EXPECT_THAT(error_with([](Json&, Json& classes) { classes = "cat"; }),
              HasSubstr("its description is damaged"));
  EXPECT_THAT(error_with([](Json&, Json& classes) { classes = Json::array(); }),
              HasSubstr("it names 0 classes"));
}

TEST_F(ModelFile, WithAnInputOfNothingOrOfTooManySizesIsAnError) {
  for (const auto& [input, expected] : std::vector<std::pair<Json, std::string>>{
           {{0, 8, 8}, "its input has the size 0"},
           {{3, -8, 8}, "its input has the size -8"},
           {{3, 8, 8, 8}, "its input has 4 sizes, expected 3"},
           {{5, 8, 8}, "its input has 5 channels: expected at most 4"},
           {{3, 16384, 16384}, "its input has 16384 x 16384 pixels: expected at most 4096 x 4096"},
           {{3, 4097, 4096}, "its input has 4097 x 4096 pixels"}}) {
    const Json other = input;
    EXPECT_THAT(error_with([&](Json& text, Json&) { text["input"] = other; }), HasSubstr(expected));
  }
  for (const Json& input : {Json{3, 4096, 4096}, Json{3, 1, 16384}})
    EXPECT_NO_THROW(read_model(changed([&](Json& text, Json&) { text["input"] = input; })));
}

TEST_F(ModelFile, WithAWeightTooManyOrOfAnotherShapeIsAnError) {
  const auto path = folder_ / "changed.safetensors";
  const auto changed = [&](const std::function<void(std::vector<NamedTensor>&)>& change) {
    const SafetensorsFile file(write());
    std::vector<NamedTensor> tensors;
    for (const auto& entry : file.entries())
      tensors.push_back({entry.name, file.tensor(entry.name)});
    change(tensors);
    write_safetensors(path, tensors, file.metadata());
    return error_of([&] { read_model(path); });
  };
  EXPECT_THAT(changed([](auto& tensors) {
                tensors.push_back({"more", torch::ones({2})});
              }),
              HasSubstr("weights: expected "));
  EXPECT_THAT(changed([](auto& tensors) {
                for (auto& [name, tensor] : tensors)
                  if (name == "fc.bias") tensor = torch::ones({4});
              }),
              HasSubstr("the weights have fc.bias as [4] float: expected [3] float"));
  EXPECT_THAT(changed([](auto& tensors) {
                for (auto& [name, tensor] : tensors)
                  if (name == "fc.bias") tensor = tensor.to(torch::kDouble);
              }),
              HasSubstr("the weights have fc.bias as [3] double: expected [3] float"));
  EXPECT_THAT(changed([](auto& tensors) {
                for (auto& [name, tensor] : tensors)
                  if (name == "fc.weight") name = "fc2.weight";
              }),
              HasSubstr("it has no weights fc.weight of two dimensions"));
  for (const double value : {NAN, INFINITY})
    EXPECT_THAT(changed([&](auto& tensors) {
                  for (auto& [name, tensor] : tensors)
                    if (name == "fc.bias") tensor = torch::full({3}, value, torch::kFloat);
                }),
                HasSubstr("'fc.bias' has values that are not finite"));
}

TEST_F(ModelFile, ThatIsCutShortOrNotThereIsNamed) {
  const auto bytes = read_file(write());
  const auto cut = folder_.write("cut.safetensors", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(error_of([&] { read_model(cut); }), HasSubstr("cut.safetensors"));
  EXPECT_THAT(error_of([&] { read_model(folder_ / "none"); }), HasSubstr("none: No such file"));
}

}  // namespace
}  // namespace penumbra
