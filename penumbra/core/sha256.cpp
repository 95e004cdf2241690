#include "penumbra/core/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "penumbra/core/file.h"

namespace penumbra {
namespace {

// Fails only when OpenSSL is set up without SHA-256, which is not the user's doing.
void check(int result) {
  if (result != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

}  // namespace

struct Sha256::Digest {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : digest_(std::make_unique<Digest>()) {
  check(EVP_DigestInit_ex(digest_->context.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::update(const void* bytes, std::size_t size) {
  check(EVP_DigestUpdate(digest_->context.get(), bytes, size));
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  check(EVP_DigestFinal_ex(digest_->context.get(), bytes.data(), &size));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) text.append({kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]});
  return text;
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  Sha256 sum;
  sum.update(file.data(), file.size());
  return sum.finish();
}

}  // namespace penumbra
