#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "penumbra/core/json.h"
#include "penumbra/train/sweep.h"

namespace penumbra {

// A part of a sweep, for one of several machines: every of-th run, from this number on.
struct Shard {
  std::size_t number = 1, of = 1;
};

// "2/3"; all of the sweep where nothing is said.
Shard parse_shard(const std::string& text);

// Each part writes rows of its own, so that machines that share a folder do not write over each
// other's: "table.2of3.jsonl" beside "table.jsonl".
std::filesystem::path results_of(const Sweep& sweep, const Shard& shard);

// The rows of the whole sweep, and of all its parts that lie beside it.
std::vector<Json> all_results(const Sweep& sweep);

}  // namespace penumbra
