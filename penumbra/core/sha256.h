#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace penumbra {

// SHA-256 of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(const void* bytes, std::size_t size);
  std::string finish();  // 64 hexadecimal digits, lower case; once

 private:
  struct Digest;
  std::unique_ptr<Digest> digest_;
};

std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace penumbra
