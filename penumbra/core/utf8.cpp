#include "penumbra/core/utf8.h"

#include <cstddef>

namespace penumbra {

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(i++);
    if (first < 0x80) continue;
    if (first < 0xc2 || first > 0xf4) return false;
    const std::size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (text.size() - i < more) return false;
    // After these four the second byte has a smaller range; all others are 80 to bf.
    const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(i) < least || byte(i) > most) return false;
    for (std::size_t k = 1; k < more; ++k)
      if (byte(i + k) < 0x80 || byte(i + k) > 0xbf) return false;
    i += more;
  }
  return true;
}

}  // namespace penumbra
