#include "penumbra/model/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "penumbra/core/error.h"
#include "penumbra/core/json.h"
#include "penumbra/model/classifier.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

// One tensor of every type, a single number, an empty one, and one in another layout.
std::vector<NamedTensor> every_type() {
  const auto base = torch::empty({3, 5}).normal_(0, 10, make_generator(1));
  std::vector<NamedTensor> tensors{{"flags", base > 0}, {"bytes", base.abs().to(torch::kByte)}};
  for (const auto type : {torch::kChar, torch::kShort, torch::kInt, torch::kLong, torch::kHalf,
                          torch::kBFloat16, torch::kFloat, torch::kDouble})
    tensors.push_back({std::string("layer.") + c10::toString(type), base.to(type)});
  tensors.push_back({"one", torch::tensor(42, torch::kLong)});
  tensors.push_back({"none", torch::empty({0, 7})});
  tensors.push_back(
      {"turned",
       torch::arange(24.0).reshape({1, 2, 3, 4}).contiguous(torch::MemoryFormat::ChannelsLast)});
  return tensors;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char part[4096];
  for (std::size_t n; (n = fread(part, 1, sizeof(part), pipe)) > 0;) text.append(part, n);
  return pclose(pipe) == 0 ? text : "";
}

TEST(Safetensors, ReadsBackExactlyWhatWasWritten) {
  const TestFolder folder;
  const auto path = folder / "a.safetensors";
  const Metadata metadata{{"classes", R"(["cat","dog"])"}, {"note", "f\u00fcnf \"quoted\"\n"}};
  write_safetensors(path, every_type(), metadata);
  const SafetensorsFile file(path);
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.entries().size(), every_type().size());
  for (const auto& [name, tensor] : every_type()) {
    EXPECT_TRUE(file.contains(name));
    const auto read = file.tensor(name);
    EXPECT_EQ(read.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(read.equal(tensor)) << name;
  }
  EXPECT_FALSE(file.contains("other"));
  EXPECT_THROW(file.tensor("other"), Error);
}

TEST(Safetensors, IsReadAlikeByAnIndependentReaderInPython) {
  const std::string python = "/usr/bin/python3";
  if (!std::filesystem::exists(python)) GTEST_SKIP() << "needs " << python;
  const TestFolder folder;
  const auto path = folder / "a.safetensors";
  write_safetensors(path, every_type(), {{"method", "fixmatch"}});
  const auto text = output_of(
      python + " " PENUMBRA_SOURCE_DIR "/tests/golden/read_safetensors.py " + path.string());
  ASSERT_FALSE(text.empty());
  const auto read = Json::parse(text);
  EXPECT_EQ(read["metadata"]["method"], "fixmatch");
  EXPECT_EQ(read["tensors"].size(), every_type().size());
  for (const auto& [name, tensor] : every_type()) {
    const auto& entry = read["tensors"].at(name);
    EXPECT_EQ(entry["shape"].get<std::vector<int64_t>>(), tensor.sizes().vec()) << name;
    const auto flat = tensor.contiguous().reshape(-1).to(torch::kDouble);
    ASSERT_EQ(entry["values"].size(), static_cast<std::size_t>(flat.numel())) << name;
    for (int64_t i = 0; i < flat.numel(); ++i) {
      const auto& value = entry["values"][static_cast<std::size_t>(i)];
      const double number = value.is_boolean() ? value.get<bool>() : value.get<double>();
      EXPECT_EQ(number, flat[i].item<double>()) << name;
    }
  }
}

TEST(Safetensors, ReadsAFileWrittenByHand) {
  const TestFolder folder;
  const std::string header = R"({"b":{"data_offsets":[4,6],"shape":[2],"dtype":"U8"},)"
                             R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}   )";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  bytes += header + std::string("\x00\x00\x80\x3f\x07\xff", 6);
  write_file(folder / "a", bytes);
  const SafetensorsFile file(folder / "a");
  EXPECT_EQ(file.tensor("a").item<float>(), 1.0F);
  EXPECT_EQ(file.tensor("b")[1].item<int>(), 255);
}

TEST(Safetensors, KeepsEveryTensorAlignedAndTheHeaderAMultipleOfEight) {
  const TestFolder folder;
  write_safetensors(folder / "a", every_type());
  const SafetensorsFile file(folder / "a");
  for (const auto& entry : file.entries()) {
    const auto size = static_cast<uint64_t>(file.tensor(entry.name).element_size());
    EXPECT_EQ(entry.begin % size, 0U) << entry.name;
  }
  EXPECT_EQ(read_file(folder / "a").front() % 8, 0);
}

TEST(Safetensors, HoldsNoTensorsAtAllIfThereAreNone) {
  const TestFolder folder;
  write_safetensors(folder / "a", {});
  EXPECT_TRUE(SafetensorsFile(folder / "a").entries().empty());
}

TEST(Safetensors, WritesMetadataThatIsNotUtf8) {
  const TestFolder folder;
  write_safetensors(folder / "a", {}, {{"folder", "caf\xe9"}});
  EXPECT_EQ(SafetensorsFile(folder / "a").metadata().at("folder"), "caf\uFFFD");
}

TEST(Safetensors, RefusesTypesAndNamesThatTheFormatDoesNotHave) {
  const TestFolder folder;
  EXPECT_THROW(write_safetensors(folder / "a", {{"x", torch::ones(1, torch::kComplexFloat)}}),
               Error);
  const auto one = torch::ones(1);
  EXPECT_THROW(write_safetensors(folder / "a", {{"x", one}, {"x", one}}), c10::Error);
  EXPECT_THROW(write_safetensors(folder / "a", {{"__metadata__", one}}), c10::Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Safetensors, CarriesAClassifierToAnother) {
  const TestFolder folder;
  Options options;
  const auto make = [&](uint64_t seed) {
    Options none;
    return Classifier(make_backbone("wrn_10_1", {1, 8, 8}, none, make_generator(seed)), 3,
                      {{"variance", 3}}, make_generator(seed));
  };
  auto first = make(1), second = make(2);
  first.use_channels_last();
  const auto images = torch::empty({4, 1, 8, 8}).normal_(0, 1, make_generator(3));
  first.forward(images);
  write_safetensors(folder / "a", first.state());
  const SafetensorsFile file(folder / "a");
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : second.state()) tensor.set_data(file.tensor(name));
  second.use_channels_last();
  first.eval();
  second.eval();
  EXPECT_TRUE(first.forward(images).logits.equal(second.forward(images).logits));
}

TEST(Safetensors, AHeaderLargerThanTheFormatAllowsIsNotWritten) {
  const TestFolder folder;
  try {
    write_safetensors(folder / "a", {}, {{"facts", std::string(100'000'000, 'x')}});
    ADD_FAILURE() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("more than the format's 100000000"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace penumbra
