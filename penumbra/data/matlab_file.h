#pragma once
#include <torch/types.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra {

// One array of numbers of a MATLAB file.
struct MatlabArray {
  std::vector<int64_t> sizes;
  torch::Tensor
      values;  // [product of sizes], the first index runs fastest; in the type they are stored in
};

// The arrays with these names in the bytes of a MATLAB v5 file, as far as they are there. Throws
// Error for a broken file and for a wanted variable that is no array of real numbers. Our own
// reader, since matio asks for 5.9 GB when a file of 239 bytes tells it to: here memory is bounded
// by what the file can hold.
std::map<std::string, MatlabArray> read_matlab_arrays(std::string_view bytes,
                                                      const std::set<std::string>& names);

}  // namespace penumbra
