#include "penumbra/data/copies.h"

#include <numeric>
#include <string_view>
#include <unordered_map>

namespace penumbra {
namespace {

std::string_view bytes_of(const Images& images, int64_t i) {
  const auto each = static_cast<std::size_t>(images.height() * images.width() * images.channels());
  return {reinterpret_cast<const char*>(images.pixels.data_ptr<uint8_t>()) +
              static_cast<std::size_t>(i) * each,
          each};
}

std::vector<int64_t> every_position(const Images& images) {
  std::vector<int64_t> positions(static_cast<std::size_t>(images.size()));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

using Seen = std::unordered_map<std::string_view, int64_t>;

}  // namespace

std::vector<Copy> find_copies(const Images& pictures, const std::vector<int64_t>& positions,
                              const Images& originals,
                              const std::vector<int64_t>& original_positions) {
  std::vector<Copy> copies;
  if (positions.empty() || original_positions.empty() ||
      pictures.pixels[0].sizes() != originals.pixels[0].sizes())
    return copies;
  Seen seen(original_positions.size());
  for (const auto i : original_positions) seen.emplace(bytes_of(originals, i), i);
  for (const auto i : positions)
    if (const auto same = seen.find(bytes_of(pictures, i)); same != seen.end())
      copies.push_back({i, same->second});
  return copies;
}

std::vector<Copy> find_copies(const Images& pictures, const Images& originals) {
  return find_copies(pictures, every_position(pictures), originals, every_position(originals));
}

std::vector<Copy> find_copies(const Images& images) {
  std::vector<Copy> copies;
  Seen seen(static_cast<std::size_t>(images.size()));
  for (int64_t i = 0; i < images.size(); ++i)
    if (const auto [same, is_new] = seen.emplace(bytes_of(images, i), i); !is_new)
      copies.push_back({i, same->second});
  return copies;
}

}  // namespace penumbra
