#include "penumbra/train/checkpoint.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "penumbra/core/crc32.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/model/safetensors.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

constexpr std::size_t kKept = 2;

// Checkpoints of a folder, newest first.
std::vector<fs::path> list(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder)) {
      const auto name = entry.path().filename().string();
      if (name.rfind("step-", 0) == 0 && entry.path().extension() == ".safetensors")
        files.push_back(entry.path());
    }
  std::sort(files.rbegin(), files.rend());
  return files;
}

// Whoever reads on finds what every run writes.
void check_facts(const Json& facts) {
  struct Fact {
    const char* name;
    bool (Json::*fits)() const noexcept;
    const char* expected;
  };
  for (const auto& [name, fits, expected] :
       {Fact{"step", &Json::is_number_integer, "a whole number"},
        Fact{"fingerprint", &Json::is_string, "text"},
        Fact{"best_accuracy", &Json::is_number, "a number"},
        Fact{"best_step", &Json::is_number_integer, "a whole number"},
        Fact{"seconds", &Json::is_number, "a number"},
        Fact{"phase", &Json::is_number_unsigned, "a count"},
        Fact{"surveyed", &Json::is_number_unsigned, "a count"},
        Fact{"steps", &Json::is_number_integer, "a whole number"},
        Fact{"progress", &Json::is_number, "a number"},
        Fact{"origin", &Json::is_number_integer, "a whole number"},
        Fact{"behind", &Json::is_number, "a number"}})
    if (const auto& value = facts.at(name); !(value.*fits)())
      fail("its ", name, " is ", json_text(value), ": expected ", expected);
  static_cast<void>(facts.at("policy"));  // whatever the policy wrote
  if (const auto step = facts.at("step").get<int64_t>(); step < 0) fail("its step is ", step);
  if (const auto behind = facts.at("behind").get<double>(); behind < 0 || behind >= 1)
    fail("its share behind is ", behind, ": expected 0 or more and less than 1");
}

Checkpoint read(const fs::path& path) {
  const SafetensorsFile file(path);
  const auto& metadata = file.metadata();
  const auto get = [&](const char* key) {
    const auto found = metadata.find(key);
    if (found == metadata.end()) fail(path.string(), " is no checkpoint: it has no '", key, "'");
    return found->second;
  };
  Checkpoint checkpoint;
  const auto facts = get("facts");
  for (const auto& entry : file.entries())
    checkpoint.tensors.push_back({entry.name, file.tensor(entry.name)});
  if (checksum(checkpoint.tensors, facts) != get("checksum"))
    fail(path.string(), " is damaged: its checksum is wrong");
  try {
    checkpoint.facts = parse_json(facts);
  } catch (const Error& error) {
    fail(path.string(), " is damaged: ", error.what());
  }
  return checkpoint;
}

// "2:" of "2:50000x3072-0a1b2c3d"; see fingerprint.cpp.
std::string_view formula_of(std::string_view fingerprint) {
  return fingerprint.substr(0, fingerprint.find(':') + 1);
}

// A whole checkpoint that we cannot go on with is no damaged one: beginning anew would remove it.
void check(const fs::path& path, Checkpoint& checkpoint, const std::string& fingerprint) {
  try {
    check_facts(checkpoint.facts);
    if (const auto theirs = checkpoint.facts.at("fingerprint").get<std::string>();
        formula_of(theirs) != formula_of(fingerprint))
      fail("its fingerprint is ", theirs);
  } catch (const std::exception& error) {
    fail(path.string(), " is whole, but not as this version of penumbra writes it (", error.what(),
         "): go on with the version that began the run, or begin another with --out");
  }
  checkpoint.step = checkpoint.facts.at("step").get<int64_t>();
  if (checkpoint.facts["fingerprint"] != fingerprint)
    fail(path.string(),
         " belongs to another configuration or other data: resume it with the "
         "configuration and the data that it was started with");
}

}  // namespace

std::string checksum(std::vector<NamedTensor> tensors, const std::string& facts) {
  std::sort(tensors.begin(), tensors.end(),
            [](const NamedTensor& a, const NamedTensor& b) { return a.name < b.name; });
  Crc32 sum;
  sum.add(facts.data(), facts.size());
  for (const auto& [name, tensor] : tensors) {
    // The same bytes as another type or in another shape are other values.
    const auto described = fmt::format("{} {} [{}]", name, torch::toString(tensor.scalar_type()),
                                       fmt::join(tensor.sizes().vec(), ", "));
    sum.add(described.data(), described.size());
    const auto values = tensor.detach().contiguous();
    sum.add(values.data_ptr(), values.nbytes());
  }
  return fmt::format("{:08x}", sum.value());
}

void write_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  auto facts = checkpoint.facts;
  facts["step"] = checkpoint.step;
  const auto text = facts.dump();
  fs::create_directories(folder);
  const auto path = folder / fmt::format("step-{:09}.safetensors", checkpoint.step);
  write_safetensors(path, checkpoint.tensors,
                    {{"facts", text}, {"checksum", checksum(checkpoint.tensors, text)}});
  // A run that passed over damaged checkpoints is behind them: they would count as the newest, and
  // this one be removed.
  for (const auto& file : list(folder))
    if (file > path) fs::remove(file);
  const auto files = list(folder);
  for (std::size_t i = kKept; i < files.size(); ++i) fs::remove(files[i]);
}

std::optional<Checkpoint> read_checkpoint(const fs::path& folder, const std::string& fingerprint,
                                          const std::function<void(const std::string&)>& note) {
  const auto files = list(folder);
  for (const auto& path : files) {
    // What cannot be read now may well be tomorrow; only what it holds can show it to be damaged.
    const MappedFile readable(path);
    std::optional<Checkpoint> checkpoint;
    try {
      checkpoint = read(path);
    } catch (const Error& error) {
      note(fmt::format("{}; {}", error.what(),
                       path == files.back() ? "there is none before it: the run begins anew"
                                            : "the checkpoint before it is used"));
      continue;
    }
    check(path, *checkpoint, fingerprint);
    return checkpoint;
  }
  return {};
}

std::vector<NamedTensor> unprefixed(const std::vector<NamedTensor>& tensors,
                                    const std::string& prefix) {
  std::vector<NamedTensor> part;
  for (const auto& entry : tensors)
    if (entry.name.rfind(prefix + "/", 0) == 0)
      part.push_back({entry.name.substr(prefix.size() + 1), entry.tensor});
  return part;
}

void append_prefixed(std::vector<NamedTensor>& to, const std::vector<NamedTensor>& tensors,
                     const std::string& prefix) {
  for (const auto& entry : tensors) to.push_back({prefix + "/" + entry.name, entry.tensor.cpu()});
}

}  // namespace penumbra
