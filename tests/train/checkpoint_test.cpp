#include "penumbra/train/checkpoint.h"

#include "penumbra/core/file.h"
#include "penumbra/model/safetensors.h"
#include "tests/expect_error.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

Checkpoint checkpoint_at(int64_t step) {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.facts = {{"fingerprint", "f"}, {"seconds", 1.5},   {"best_accuracy", -1},
                      {"best_step", 0},     {"policy", Json()}, {"phase", 0u},
                      {"surveyed", 0u},     {"steps", 10},      {"progress", 0.5},
                      {"origin", 0},        {"behind", 0.0}};
  checkpoint.tensors = {{"student/w", torch::arange(6, torch::kFloat).view({2, 3}) + step},
                        {"teacher/w", torch::ones({4}, torch::kDouble)}};
  return checkpoint;
}

// The second checkpoint, with a checksum that is right.
void write_facts(const TestFolder& folder, const std::string& facts) {
  const std::vector<NamedTensor> tensors{{"a", torch::ones({1})}};
  write_safetensors(folder / "step-000000002.safetensors", tensors,
                    {{"facts", facts}, {"checksum", checksum(tensors, facts)}});
}

const auto kQuiet = [](const std::string&) {};

TEST(Checkpoint, ComesBackAsItWas) {
  const TestFolder folder;
  write_checkpoint(folder.path(), checkpoint_at(7));
  const auto found = read_checkpoint(folder.path(), "f", kQuiet);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 7);
  EXPECT_EQ(found->facts["seconds"], 1.5);
  const auto student = unprefixed(found->tensors, "student");
  ASSERT_EQ(student.size(), 1u);
  EXPECT_EQ(student[0].name, "w");
  EXPECT_TRUE(student[0].tensor.equal(checkpoint_at(7).tensors[0].tensor));
  EXPECT_FALSE(read_checkpoint(folder / "none", "f", kQuiet));
}

TEST(Checkpoint, TheLastTwoAreKept) {
  const TestFolder folder;
  for (const int64_t step : {5, 10, 100}) write_checkpoint(folder.path(), checkpoint_at(step));
  EXPECT_FALSE(std::filesystem::exists(folder / "step-000000005.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder / "step-000000010.safetensors"));
  EXPECT_EQ(read_checkpoint(folder.path(), "f", kQuiet)->step, 100);
}

TEST(Checkpoint, ADamagedOneIsPassedOverWithANote) {
  const TestFolder folder;
  write_checkpoint(folder.path(), checkpoint_at(1));
  write_checkpoint(folder.path(), checkpoint_at(2));
  const auto good = read_file(folder / "step-000000002.safetensors");
  for (const std::size_t at : {good.size() - 1, good.size() - 30, std::size_t{3}}) {
    auto bad = good;
    bad[at] ^= 1;
    folder.write("step-000000002.safetensors", bad);
    std::string note;
    const auto found =
        read_checkpoint(folder.path(), "f", [&](const std::string& text) { note = text; });
    EXPECT_EQ(found->step, 1);
    EXPECT_THAT(note, HasSubstr("the checkpoint before it is used"));
  }
  folder.write("step-000000002.safetensors", good.substr(0, good.size() / 2));
  EXPECT_EQ(read_checkpoint(folder.path(), "f", kQuiet)->step, 1);
}

TEST(Checkpoint, WhereBothAreDamagedTheNextOnesAreKept) {
  const TestFolder folder;
  folder.write("step-000000100.safetensors", "nothing");
  folder.write("step-000000200.safetensors", "nothing");
  // The run began anew and is behind what cannot be read.
  for (const int64_t step : {10, 20, 30}) {
    write_checkpoint(folder.path(), checkpoint_at(step));
    EXPECT_EQ(read_checkpoint(folder.path(), "f", kQuiet)->step, step);
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "step-000000020.safetensors"));
  for (const char* gone : {"010", "100", "200"})
    EXPECT_FALSE(
        std::filesystem::exists(folder / ("step-000000" + std::string(gone) + ".safetensors")));
}

TEST(Checkpoint, AnotherTypeOrShapeOfTheSameBytesIsDamage) {
  const TestFolder folder;
  write_checkpoint(folder.path(), checkpoint_at(1));
  const auto good = read_file(folder / "step-000000001.safetensors");
  const auto changed = [&](const std::string& from, const std::string& to) {
    auto bad = good;
    const auto at = bad.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    folder.write("step-000000001.safetensors", bad.replace(at, from.size(), to));
    std::string note;
    EXPECT_FALSE(
        read_checkpoint(folder.path(), "f", [&](const std::string& text) { note = text; }));
    return note;
  };
  EXPECT_THAT(changed("F32", "I32"), HasSubstr("its checksum is wrong"));
  EXPECT_THAT(changed("[2,3]", "[3,2]"), HasSubstr("its checksum is wrong"));
}

TEST(Checkpoint, AnEmptyTensorHidesNothingFromTheChecksum) {
  const NamedTensor empty{"z", torch::empty({0})}, one{"a", torch::ones({2})},
      other{"a", torch::zeros({2})};
  EXPECT_NE(checksum({one, empty}, "facts"), checksum({other, empty}, "facts"));
  EXPECT_NE(checksum({one, empty}, "facts"), checksum({one, empty}, "other"));
}

TEST(Checkpoint, WhereNoneIsWholeTheRunBeginsAnew) {
  const TestFolder folder;
  folder.write("step-000000001.safetensors", "nothing");
  folder.write("step-000000002.safetensors", "nothing");
  std::vector<std::string> notes;
  EXPECT_FALSE(
      read_checkpoint(folder.path(), "f", [&](const std::string& text) { notes.push_back(text); }));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[0], HasSubstr("the checkpoint before it is used"));
  EXPECT_THAT(notes[1], HasSubstr("there is none before it: the run begins anew"));
}

TEST(Checkpoint, OneOfAnotherRunIsRefused) {
  const TestFolder folder;
  write_checkpoint(folder.path(), checkpoint_at(1));
  EXPECT_THAT(error_of([&] { read_checkpoint(folder.path(), "other", kQuiet); }),
              HasSubstr("belongs to another configuration or other data"));
}

// As another version of the program writes it: passed over, it would be removed.
TEST(Checkpoint, WithARightChecksumAndOtherFactsIsRefusedAndStays) {
  const TestFolder folder;
  write_checkpoint(folder.path(), checkpoint_at(1));
  std::vector<std::string> broken{"[]", "{}", "5"};
  auto whole = checkpoint_at(2).facts;
  whole["step"] = 2;
  for (const auto& item : whole.items()) {
    auto facts = whole;
    facts.erase(item.key());
    broken.push_back(facts.dump());
  }
  const std::vector<std::pair<std::string, Json>> wrong{
      {"step", "two"},        {"step", 1e300},           {"step", -1},       {"fingerprint", 5},
      {"fingerprint", "9:f"}, {"best_accuracy", Json()}, {"best_step", 0.5}, {"seconds", "1"},
      {"phase", -1},          {"surveyed", "none"},      {"steps", 0.5},     {"progress", ""},
      {"origin", Json()},     {"behind", "0"},           {"behind", -0.1},   {"behind", 1.0}};
  for (const auto& [name, value] : wrong) {
    auto facts = whole;
    facts[name] = value;
    broken.push_back(facts.dump());
  }
  for (const auto& facts : broken) {
    write_facts(folder, facts);
    EXPECT_THAT(error_of([&] { read_checkpoint(folder.path(), "f", kQuiet); }),
                HasSubstr("is whole, but not as this version of penumbra writes it"))
        << facts;
  }
}

TEST(Checkpoint, WithFactsThatAreNoneIsDamaged) {
  const TestFolder folder;
  write_checkpoint(folder.path(), checkpoint_at(1));
  write_facts(folder, "{");
  write_safetensors(folder / "step-000000003.safetensors", {{"a", torch::ones({1})}}, {});
  std::string notes;
  const auto found =
      read_checkpoint(folder.path(), "f", [&](const std::string& text) { notes += text; });
  EXPECT_EQ(found->step, 1);
  EXPECT_THAT(notes, HasSubstr("step-000000002.safetensors is damaged"));
  EXPECT_THAT(notes, HasSubstr("is no checkpoint: it has no 'facts'"));
}

// A network disk that is away for a moment must not cost a run its checkpoints.
TEST(Checkpoint, OneThatCannotBeReadIsNotTakenForDamaged) {
  const TestFolder folder;
  write_checkpoint(folder.path(), checkpoint_at(1));
  std::filesystem::create_symlink("nowhere", folder / "step-000000002.safetensors");
  EXPECT_THAT(error_of([&] { read_checkpoint(folder.path(), "f", kQuiet); }),
              HasSubstr("cannot open"));
}

// crc32 of "facts", "a Float [2]", two ones, "b Long []" and 7, by Python's zlib.
TEST(Checkpoint, TheChecksumIsThatOfNamesTypesShapesAndValuesByName) {
  const NamedTensor a{"a", torch::ones({2})}, b{"b", torch::tensor(7, torch::kLong)};
  EXPECT_EQ(checksum({a, b}, "facts"), "3b55c037");
  EXPECT_EQ(checksum({b, a}, "facts"), "3b55c037");
  EXPECT_NE(checksum({{"c", a.tensor}, b}, "facts"), "3b55c037");
  EXPECT_NE(checksum({{"a", a.tensor.to(torch::kDouble)}, b}, "facts"), "3b55c037");
  EXPECT_NE(checksum({{"a", a.tensor.reshape({2, 1})}, b}, "facts"), "3b55c037");
}

TEST(Checkpoint, TheChecksumDoesNotDependOnTheLayoutInMemory) {
  const auto usual = torch::arange(24.0).reshape({1, 2, 3, 4});
  const auto turned = usual.contiguous(torch::MemoryFormat::ChannelsLast);
  EXPECT_EQ(checksum({{"w", usual}}, ""), checksum({{"w", turned}}, ""));
}

TEST(Checkpoint, PartsAreToldApartByTheirPrefix) {
  std::vector<NamedTensor> all;
  append_prefixed(all, {{"w", torch::ones({1})}, {"a/b", torch::ones({2})}}, "student");
  append_prefixed(all, {{"w", torch::zeros({1})}}, "students");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].name, "student/a/b");
  const auto student = unprefixed(all, "student");
  ASSERT_EQ(student.size(), 2U);
  EXPECT_EQ(student[1].name, "a/b");
  EXPECT_TRUE(unprefixed(all, "teacher").empty());
}

TEST(Checkpoint, OtherFilesOfTheFolderAreLeftAlone) {
  const TestFolder folder;
  for (const char* name : {"step-1.txt", "notes", "best.safetensors"}) folder.write(name, "mine");
  for (const int64_t step : {1, 2, 3}) write_checkpoint(folder.path(), checkpoint_at(step));
  for (const char* name : {"step-1.txt", "notes", "best.safetensors"})
    EXPECT_EQ(read_file(folder / name), "mine");
  EXPECT_EQ(read_checkpoint(folder.path(), "f", kQuiet)->step, 3);
}

TEST(Checkpoint, MakesItsFolder) {
  const TestFolder folder;
  write_checkpoint(folder / "run/state", checkpoint_at(1));
  EXPECT_EQ(read_checkpoint(folder / "run/state", "f", kQuiet)->step, 1);
}

}  // namespace
}  // namespace penumbra
