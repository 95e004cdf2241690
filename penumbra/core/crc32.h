#pragma once
#include <zlib.h>

#include <cstddef>
#include <cstdint>

namespace penumbra {

// A running CRC-32. zlib's own forgets all that came before when it is given a null pointer, which
// is what an empty vector or tensor has.
class Crc32 {
 public:
  void add(const void* bytes, std::size_t size) {
    if (size > 0) sum_ = crc32_z(sum_, static_cast<const Bytef*>(bytes), size);
  }
  uint32_t value() const { return static_cast<uint32_t>(sum_); }

 private:
  uLong sum_ = 0;
};

}  // namespace penumbra
