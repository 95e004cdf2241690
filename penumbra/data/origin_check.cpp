#include "penumbra/data/origin_check.h"

#include <zlib.h>

#include <array>
#include <memory>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/core/sha256.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

std::string sha256_of_contents(const fs::path& gzipped) {
  const MappedFile regular(gzipped);  // zlib would wait for ever on a pipe
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file{gzopen(gzipped.c_str(), "rb"), gzclose};
  if (!file) fail("cannot open ", gzipped.string());
  Sha256 sum;
  std::array<char, 65536> buffer{};
  int n = 0;
  while ((n = gzread(file.get(), buffer.data(), buffer.size())) > 0)
    sum.update(buffer.data(), static_cast<std::size_t>(n));
  int code = Z_OK;
  const char* reason = gzerror(file.get(), &code);
  if (code != Z_OK) fail("cannot read ", gzipped.string(), ": ", reason);
  return sum.finish();
}

}  // namespace

std::string check_origin_files(const Origin& origin, const fs::path& folder) {
  for (const auto& [name, expected] : origin.files) {
    const auto plain = folder / name;
    auto gzipped = plain;
    gzipped += ".gz";
    const bool packed = !is_there(plain) && is_there(gzipped);
    if (!packed && !is_there(plain)) return name + " is missing";
    if (expected.empty()) continue;
    const auto found = packed ? sha256_of_contents(gzipped) : sha256_of_file(plain);
    if (found != expected)
      return name + " has the SHA-256 sum " + found + ", the official file has " + expected;
  }
  return {};
}

}  // namespace penumbra
