#include "penumbra/data/matlab.h"

#include <fmt/ranges.h>
#include <matio.h>

#include <memory>
#include <vector>

#include "penumbra/core/parallel.h"
#include "penumbra/data/label_check.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

using File = std::unique_ptr<mat_t, int (*)(mat_t*)>;
using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

std::vector<uint64_t> shape(const matvar_t& variable) {
  return {variable.dims, variable.dims + variable.rank};
}

// `most` bounds what the variable may claim, so that a lying header is found before memory is
// asked for.
Variable read_variable(mat_t* file, const char* name, const fs::path& path, uint64_t most,
                       Reading& reading) {
  Variable variable(Mat_VarReadInfo(file, name), Mat_VarFree);
  const auto broken = [&](const std::string& what) {
    reading.broken({path.string(), fmt::format("variable {}", name), what});
    return Variable(nullptr, Mat_VarFree);
  };
  if (!variable || variable->dims == nullptr)
    return broken(
        "not there or unreadable: expected X (pictures) and y (labels); get the file again");
  uint64_t total = 1;
  for (const auto size : shape(*variable)) {
    if (size != 0 && total > most / size)
      return broken(
          fmt::format("the header claims {} values, but the file can hold no more than {}",
                      fmt::join(shape(*variable), " x "), most));
    total *= size;
  }
  if (Mat_VarReadDataAll(file, variable.get()) != 0 || (variable->data == nullptr && total > 0) ||
      variable->nbytes != total * static_cast<uint64_t>(variable->data_size))
    return broken("its data is damaged or cut short; get the file again");
  return variable;
}

// Labels of whatever number class as int64; empty when it is no vector of plain numbers.
torch::Tensor labels_of(const matvar_t& variable) {
  const auto values = shape(variable);
  if (values.size() != 2 || (values[0] != 1 && values[1] != 1) || variable.isComplex != 0)
    return {};
  const auto count = static_cast<int64_t>(values[0] * values[1]);
  const auto as_long = [&](torch::ScalarType type) {
    return torch::from_blob(variable.data, {count}, type).to(torch::kLong, false, /*copy=*/true);
  };
  switch (variable.class_type) {
    case MAT_C_DOUBLE:
      return as_long(torch::kDouble);
    case MAT_C_SINGLE:
      return as_long(torch::kFloat);
    case MAT_C_UINT8:
      return as_long(torch::kByte);
    case MAT_C_INT8:
      return as_long(torch::kChar);
    case MAT_C_INT16:
      return as_long(torch::kShort);
    case MAT_C_INT32:
      return as_long(torch::kInt);
    case MAT_C_INT64:
      return as_long(torch::kLong);
    default:
      return {};
  }
}

}  // namespace

Images read_matlab_images(const fs::path& path, int64_t first_label, int64_t last_label,
                          Reading& reading) {
  const auto mapped = reading.open(path);  // says why when it cannot be opened
  if (!mapped) return {};
  const File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), Mat_Close);
  if (!file) {
    reading.broken({path.string(), "byte 0", "not a MATLAB file; get it again"});
    return {};
  }
  const auto most = mapped->size() * 1032;  // deflate cannot shrink by more than that
  const auto x = read_variable(file.get(), "X", path, most, reading);
  const auto y = read_variable(file.get(), "y", path, most, reading);
  if (!x || !y) return {};

  auto sizes = shape(*x);
  if (sizes.size() == 3) sizes.push_back(1);  // MATLAB drops a last dimension of one
  if (x->class_type != MAT_C_UINT8 || sizes.size() != 4 || sizes[2] < 1 || sizes[2] > 4) {
    reading.broken({path.string(), "variable X",
                    fmt::format("is {}, expected uint8 of height x width x channels x pictures",
                                fmt::join(shape(*x), " x "))});
    return {};
  }
  const auto labels = labels_of(*y);
  if (!labels.defined() || labels.size(0) != static_cast<int64_t>(sizes[3])) {
    reading.broken({path.string(), "variable y",
                    fmt::format("is {}, expected {} numbers, one for each picture",
                                fmt::join(shape(*y), " x "), sizes[3])});
    return {};
  }

  // MATLAB's first index runs fastest: X[h + H (w + W (c + C n))] becomes pixels[n, h, w, c].
  const auto height = sizes[0], width = sizes[1], channels = sizes[2];
  const auto each = height * width * channels;
  Images images;
  images.pixels = empty_pixels(labels.size(0), static_cast<int64_t>(height),
                               static_cast<int64_t>(width), static_cast<int64_t>(channels));
  images.labels = labels;
  const auto* from = static_cast<const uint8_t*>(x->data);
  auto* to = images.pixels.data_ptr<uint8_t>();
  parallel_for(sizes[3], reading.threads, [&](std::size_t n) {
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t w = 0; w < width; ++w)
        for (std::size_t h = 0; h < height; ++h)
          to[n * each + (h * width + w) * channels + c] =
              from[n * each + (c * width + w) * height + h];
  });
  check_labels(images.labels, first_label, last_label, path, reading);
  return images;
}

}  // namespace penumbra
