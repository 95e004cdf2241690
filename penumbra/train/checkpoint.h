#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/model/named_tensor.h"

namespace penumbra {

// All that a run needs to go on, bit for bit: tensors (student, teacher, optimiser, method) and
// small things (step, best accuracy, what a policy learnt).
struct Checkpoint {
  int64_t step = 0;
  Json facts;
  std::vector<NamedTensor> tensors;
};

// Writes FOLDER/step-N.safetensors and removes all but it and the one before. Those of later steps
// go too: the run was behind them because they are damaged.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

// The newest that is whole. One that is damaged is passed over, with a note. Error where it cannot
// be read, has not what this version writes, or is of another fingerprint: going on would mix two
// runs, and beginning anew would remove it.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& folder,
                                          const std::string& fingerprint,
                                          const std::function<void(const std::string&)>& note);

// CRC-32 of all names, types, shapes and values, by name, since a file may have them in another
// order: a flipped byte is noticed.
std::string checksum(std::vector<NamedTensor> tensors, const std::string& facts);

// Those whose name begins with "prefix/", without it; and the other way round.
std::vector<NamedTensor> unprefixed(const std::vector<NamedTensor>& tensors,
                                    const std::string& prefix);
void append_prefixed(std::vector<NamedTensor>& to, const std::vector<NamedTensor>& tensors,
                     const std::string& prefix);

}  // namespace penumbra
