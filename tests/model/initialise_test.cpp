#include "penumbra/model/initialise.h"

#include "penumbra/model/safetensors.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using Rows = std::vector<InitialiseRow>;

Classifier make(const std::string& backbone, int64_t classes, uint64_t seed,
                InputShape input = {3, 16, 16}) {
  Options options;
  return Classifier(make_backbone(backbone, input, options, make_generator(seed)), classes,
                    {{"variance", classes}}, make_generator(seed + 1));
}

torch::Tensor find(const Classifier& classifier, const std::string& name) {
  for (const auto& item : classifier.state())
    if (item.name == name) return item.tensor.detach();
  throw std::out_of_range(name);
}

const InitialiseRow& row(const Rows& rows, const std::string& name) {
  for (const auto& item : rows)
    if (item.name == name) return item;
  throw std::out_of_range(name);
}

int64_t taken(const Rows& rows) {
  return std::count_if(rows.begin(), rows.end(), [](const auto& item) { return item.taken; });
}

std::vector<std::string> classes(int64_t n, const std::string& word = "class ") {
  std::vector<std::string> names;
  for (int64_t i = 0; i < n; ++i) names.push_back(word + std::to_string(i));
  return names;
}

TEST(Initialise, TakesEverythingFromARunWithTheSameClasses) {
  const TestFolder folder;
  const auto from = make("wrn_10_1", 3, 1);
  auto to = make("wrn_10_1", 3, 2);
  write_safetensors(folder / "a", from.state(),
                    {{"classes", R"(["class 0","class 1","class 2"])"}});
  const auto rows = initialise(to, folder / "a", classes(3));
  EXPECT_EQ(taken(rows), static_cast<int64_t>(rows.size()));
  for (std::size_t i = 0; i < from.state().size(); ++i)
    EXPECT_TRUE(from.state()[i].tensor.equal(to.state()[i].tensor)) << from.state()[i].name;
  for (const auto& weight : to.parameters()) EXPECT_TRUE(weight.requires_grad());
}

TEST(Initialise, KeepsTheClassifierNewWhereTheNumberOfClassesDiffers) {
  const TestFolder folder;
  const auto from = make("wrn_10_1", 5, 1);
  auto to = make("wrn_10_1", 3, 2);
  const auto fc = find(to, "fc.weight").clone();
  write_safetensors(folder / "a", from.state());
  const auto rows = initialise(to, folder / "a", classes(3));
  EXPECT_EQ(row(rows, "fc.weight").reason, "[5, 64] in the file, [3, 64] here");
  for (const auto* name : {"fc.weight", "fc.bias", "heads.variance.weight", "heads.variance.bias"})
    EXPECT_FALSE(row(rows, name).taken) << name;
  EXPECT_EQ(taken(rows), static_cast<int64_t>(rows.size()) - 4);
  EXPECT_TRUE(fc.equal(find(to, "fc.weight")));
  EXPECT_TRUE(find(from, "conv1.weight").equal(find(to, "conv1.weight")));
}

TEST(Initialise, KeepsTheClassifierNewWhereAsManyClassesHaveOtherNames) {
  const TestFolder folder;
  const auto from = make("tiny", 2, 1);
  auto to = make("tiny", 2, 2);
  write_safetensors(folder / "a", from.state(), {{"classes", R"(["cat","dog"])"}});
  const auto rows = initialise(to, folder / "a", classes(2));
  EXPECT_EQ(row(rows, "fc.weight").reason, "the file has other classes");
  EXPECT_EQ(row(rows, "heads.variance.weight").reason, "the file has other classes");
  EXPECT_TRUE(row(rows, "conv1.weight").taken);
}

TEST(Initialise, TakesATorchvisionResNet18WithOtherClassesAndNoHeads) {
  const TestFolder folder;
  std::vector<NamedTensor> file;  // what Python's save_file(model.state_dict()) writes
  for (const auto& item : make("resnet18", 1000, 1).state())
    if (item.name.rfind("heads.", 0) != 0) file.push_back(item);
  ASSERT_EQ(file.size(), 122U);
  file.push_back({"extra", torch::ones(1)});
  write_safetensors(folder / "a", file, {{"format", "pt"}});
  auto to = make("resnet18", 10, 2);
  const auto rows = initialise(to, folder / "a", classes(10));
  EXPECT_EQ(taken(rows), 120);
  EXPECT_EQ(row(rows, "fc.bias").reason, "[1000] in the file, [10] here");
  EXPECT_EQ(row(rows, "heads.variance.weight").reason, "not in the file");
  EXPECT_EQ(row(rows, "extra").reason, "not in this model");
}

TEST(Initialise, SkipsTheFirstLayerWhereTheChannelsDiffer) {
  const TestFolder folder;
  write_safetensors(folder / "a", make("tiny", 2, 1).state());
  auto to = make("tiny", 2, 2, {1, 16, 16});
  const auto rows = initialise(to, folder / "a", classes(2));
  EXPECT_EQ(row(rows, "conv1.weight").reason, "[16, 3, 3, 3] in the file, [16, 1, 3, 3] here");
  EXPECT_TRUE(row(rows, "conv2.weight").taken);
}

TEST(Initialise, ConvertsOtherFloatingTypes) {
  const TestFolder folder;
  const auto from = make("tiny", 2, 1);
  std::vector<NamedTensor> file;
  for (const auto& [name, tensor] : from.weights())
    file.push_back({name, tensor.to(torch::kBFloat16)});
  write_safetensors(folder / "a", file);
  auto to = make("tiny", 2, 2);
  to.use_channels_last();
  const auto rows = initialise(to, folder / "a", classes(2));
  EXPECT_EQ(find(to, "conv1.weight").scalar_type(), torch::kFloat);
  EXPECT_TRUE(find(to, "conv1.weight")
                  .equal(find(from, "conv1.weight").to(torch::kBFloat16).to(torch::kFloat)));
  EXPECT_EQ(row(rows, "bn1.running_mean").reason, "not in the file");
}

TEST(Initialise, FailsWhenOnlyCountsAndScalesFit) {
  const TestFolder folder;
  write_safetensors(folder / "a", make("wrn_10_1", 3, 1).state());
  auto to = make("resnet18_cifar", 4, 2);
  try {
    initialise(to, folder / "a", classes(4));
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("nothing in " + (folder / "a").string()));
    EXPECT_THAT(error.what(), testing::HasSubstr("same backbone"));
  }
}

TEST(Initialise, RefusesValuesThatAreNotFiniteAndChangesNothing) {
  const TestFolder folder;
  const auto from = make("tiny", 2, 1);
  find(from, "fc.bias").fill_(std::numeric_limits<float>::quiet_NaN());
  write_safetensors(folder / "a", from.state());
  auto to = make("tiny", 2, 2);
  const auto before = find(to, "conv1.weight").clone();
  EXPECT_THROW(initialise(to, folder / "a", classes(2)), Error);
  EXPECT_TRUE(before.equal(find(to, "conv1.weight")));
}

TEST(Initialise, RefusesValuesThatAreFiniteOnlyInTheFilesPrecision) {
  const TestFolder folder;
  std::vector<NamedTensor> file;
  for (const auto& [name, tensor] : make("tiny", 2, 1).weights())
    file.push_back({name, torch::full_like(tensor, 1e300, torch::kDouble)});
  write_safetensors(folder / "a", file);
  auto to = make("tiny", 2, 2);
  EXPECT_THAT(error_of([&] { initialise(to, folder / "a", classes(2)); }),
              testing::HasSubstr("'conv1.weight' has values that are not finite as Float"));
  for (const auto& item : to.state())
    EXPECT_TRUE(!item.tensor.is_floating_point() || item.tensor.isfinite().all().item<bool>());
}

TEST(Initialise, ClassesThatCannotBeReadAreOthers) {
  const TestFolder folder;
  const auto from = make("tiny", 2, 1);
  const std::string deep = std::string(300000, '[') + std::string(300000, ']');
  for (const auto& text : {std::string("[\"cat\""), std::string("[1e999]"), deep}) {
    write_safetensors(folder / "a", from.state(), {{"classes", text}});
    auto to = make("tiny", 2, 2);
    const auto rows = initialise(to, folder / "a", classes(2));
    EXPECT_EQ(row(rows, "fc.weight").reason, "the file has other classes");
    EXPECT_TRUE(row(rows, "conv1.weight").taken);
  }
}

}  // namespace
}  // namespace penumbra
