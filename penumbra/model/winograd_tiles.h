#pragma once
#include <algorithm>
#include <iterator>

#include "penumbra/model/winograd_loops.h"
#include "penumbra/model/winograd_transforms.h"

// Tiles of maps to points and back, for winograd_loops.cpp alone.

namespace penumbra {
namespace {

// [36, tiles, channels], the 36 a little apart: at a power of two they would share cache lines.
// There is room for whole factors of tiles.
template <class Value>
struct Points {
  Value* values;
  int64_t channels, step;
  Points(Value* start, int64_t tiles, int64_t channels_of)
      : values(start),
        channels(channels_of),
        step((tiles + kFactor - 1) / kFactor * kFactor * channels_of + kApart) {}
  Value* end() const { return values + kPoints * step; }
};

// Where the kSide x kSide pixels of a tile lie; those outside of the map are at `outside`. A tile
// of inputs begins one pixel before that of its outputs.
template <int kSide, class Value>
PENUMBRA_INLINE void find_pixels(Value* maps, int64_t channels, const TiledMaps& shape,
                                 int64_t tile, Value* outside, Value* (&at)[kSide][kSide]) {
  const auto across = shape.across(), down = shape.down();
  const auto image = tile / (across * down);
  const auto top = tile / across % down * 4 - (kSide == 6), left = tile % across * 4 - (kSide == 6);
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) {
      const auto y = top + i, x = left + j;
      const bool inside = y >= 0 && y < shape.height && x >= 0 && x < shape.width;
      at[i][j] =
          inside ? maps + ((image * shape.height + y) * shape.width + x) * channels : outside;
    }
}

// Where the values of a tile come from: a map.
template <int kSide>
class FromMap {
 public:
  FromMap(const Element* maps, const TiledMaps& shape, int64_t channels, const Element* zeros)
      : maps_(maps), shape_(shape), channels_(channels), zeros_(zeros) {}

  void move_to(int64_t tile) { find_pixels(maps_, channels_, shape_, tile, zeros_, at_); }
  void move_outside() {
    for (auto& row : at_) std::fill(std::begin(row), std::end(row), zeros_);
  }
  PENUMBRA_INLINE Vector get(int i, int j, int64_t c) const { return load(at_[i][j] + c); }

 private:
  const Element* maps_;
  const TiledMaps& shape_;
  int64_t channels_;
  const Element* zeros_;  // what is outside
  const Element* at_[kSide][kSide];
};

// Or a gradient that is given for the pooled map.
template <int kSide>
class FromPooled {
 public:
  FromPooled(const PooledGradients<Element>& gradients, const TiledMaps& shape, int64_t channels,
             const Element* zeros)
      : gradients_(gradients), shape_(shape), channels_(channels), zeros_(zeros) {}

  void move_to(int64_t tile) {
    const auto across = shape_.across(), down = shape_.down();
    const auto rows = shape_.height / 2, columns = shape_.width / 2;
    const auto image = tile / (across * down);
    const auto top = tile / across % down * 4 - kBefore, left = tile % across * 4 - kBefore;
    for (int64_t i = 0; i < kSide; ++i)
      for (int64_t j = 0; j < kSide; ++j) {
        const auto y = top + i, x = left + j;
        const bool inside = y >= 0 && y / 2 < rows && x >= 0 && x / 2 < columns;
        const auto pixel = ((image * rows + y / 2) * columns + x / 2) * channels_;
        values_[i][j] = inside ? gradients_.values + pixel : zeros_;
        // Any place will do where the value is zero.
        places_[i][j] = gradients_.places + (inside ? pixel : 0);
      }
  }
  void move_outside() {
    for (auto& row : values_) std::fill(std::begin(row), std::end(row), zeros_);
    for (auto& row : places_) std::fill(std::begin(row), std::end(row), gradients_.places);
  }
  PENUMBRA_INLINE Vector get(int i, int j, int64_t c) const {
    // Tiles begin at even pixels, those of inputs one before.
    const int place = (i + kBefore) % 2 * 2 + (j + kBefore) % 2;
    const Vector value = load(values_[i][j] + c);
    const auto here = load_places(places_[i][j] + c) == place;
    return reinterpret_cast<Vector>(reinterpret_cast<Lanes>(value) & here);
  }

 private:
  static constexpr int kBefore = kSide == 6;

  PooledGradients<Element> gradients_;
  const TiledMaps& shape_;
  int64_t channels_;
  const Element* zeros_;
  const Element* values_[kSide][kSide];
  const uint8_t* places_[kSide][kSide];
};

// Calls work(c) for vectors of channels that cover all of them; the last may cover some twice.
template <class Work>
PENUMBRA_INLINE void for_vectors(int64_t channels, const Work& work) {
  for (int64_t c = 0; c < channels; c += kVector) work(std::min(c, channels - kVector));
}

// These tiles, transformed, to be multiplied and added up over channels.
template <class Line, class Source>
void to_points(Source source, TileRange range, const Points<Element>& made) {
  for (int64_t t = 0; t < range.count; ++t) {
    source.move_to(range.first + t);
    for_vectors(made.channels, [&](int64_t c) {
      Element* target = made.values + t * made.channels + c;
      transform<Line>(
          [&](int i, int j) { return source.get(i, j, c); },
          [&](int i, int j, Vector value) { store(target + (i * 6 + j) * made.step, value); });
    });
  }
}

// The same, to be added up over tiles: those of a factor lie side by side, with zeros for one that
// is missing.
template <class Line, class Source>
void to_factors_of_tiles(const Source& source, TileRange range, const Points<Element>& made) {
#ifdef PENUMBRA_WINOGRAD_bf16
  Source even = source, odd = source;
  for (int64_t t = 0; t < range.count; t += 2) {
    even.move_to(range.first + t);
    if (t + 1 < range.count)
      odd.move_to(range.first + t + 1);
    else
      odd.move_outside();
    for_vectors(made.channels, [&](int64_t c) {
      Element* target = made.values + t * made.channels + 2 * c;
      Vector kept[6][6];
      transform<Line>([&](int i, int j) { return even.get(i, j, c); },
                      [&](int i, int j, Vector value) { kept[i][j] = value; });
      transform<Line>([&](int i, int j) { return odd.get(i, j, c); },
                      [&](int i, int j, Vector value) {
                        store_side_by_side(target + (i * 6 + j) * made.step, kept[i][j], value);
                      });
    });
  }
#else
  to_points<Line>(source, range, made);
#endif
}

// What outputs become, for a vector of channels at a time: they stay as they are,
struct Unchanged {
  struct Channels {
    PENUMBRA_INLINE Vector operator()(Vector y) const { return y; }
  };
  static PENUMBRA_INLINE Channels from(int64_t) { return {}; }
};

// or are finished.
struct Finished {
  Finish finish;
  struct Channels {
    Vector scale, shift;
    float slope;
    PENUMBRA_INLINE Vector operator()(Vector y) const {
      const Vector z = y * scale + shift;
      const Lanes above = z > 0;
      return reinterpret_cast<Vector>((reinterpret_cast<Lanes>(z) & above) |
                                      (reinterpret_cast<Lanes>(z * slope) & ~above));
    }
  };
  PENUMBRA_INLINE Channels from(int64_t c) const {
    return {load(finish.scale + c), load(finish.shift + c), finish.slope};
  }
};

// What lies outside of the maps goes to `nowhere`.
template <class Becomes>
void points_to_outputs(const Points<float>& points, const TiledMaps& shape, TileRange range,
                       const Becomes& becomes, Element* maps, Element* nowhere) {
  Element* at[4][4];
  for (int64_t t = 0; t < range.count; ++t) {
    find_pixels(maps, shape.all_out, shape, range.first + t, nowhere, at);
    for (int64_t c = 0; c < points.channels; c += kVector) {
      const float* source = points.values + t * points.channels + c;
      const auto channels = becomes.from(c);
      transform<OutputLine>(
          [&](int i, int j) { return load(source + (i * 6 + j) * points.step); },
          [&](int i, int j, Vector value) { store(at[i][j] + c, channels(value)); });
    }
  }
}

// The largest of four, the first where several are, and which it was.
struct Largest {
  Vector value;
  Lanes place;
};
PENUMBRA_INLINE Largest largest(const Vector (&window)[4]) {
  Largest found{window[0], Lanes{}};
  for (int i = 1; i < 4; ++i) {
    const Lanes above = window[i] > found.value;
    found.value = reinterpret_cast<Vector>((reinterpret_cast<Lanes>(window[i]) & above) |
                                           (reinterpret_cast<Lanes>(found.value) & ~above));
    found.place = (above & i) | (~above & found.place);
  }
  return found;
}

// Windows of 2 x 2 never cross a tile; those that are not whole are left out.
template <class Becomes>
void points_to_pooled(const Points<float>& points, const TiledMaps& shape, TileRange range,
                      const Becomes& becomes, Element* maps, uint8_t* places) {
  const auto across = shape.across(), down = shape.down();
  const auto rows = shape.height / 2, columns = shape.width / 2;
  for (int64_t t = 0; t < range.count; ++t) {
    const auto tile = range.first + t, image = tile / (across * down);
    const auto top = tile / across % down * 2, left = tile % across * 2;
    for (int64_t c = 0; c < points.channels; c += kVector) {
      const float* source = points.values + t * points.channels + c;
      const auto channels = becomes.from(c);
      Vector made[4][4];
      transform<OutputLine>([&](int i, int j) { return load(source + (i * 6 + j) * points.step); },
                            [&](int i, int j, Vector value) { made[i][j] = value; });
      for (int64_t i = 0; i < 2 && top + i < rows; ++i)
        for (int64_t j = 0; j < 2 && left + j < columns; ++j) {
          const Vector window[4] = {made[2 * i][2 * j], made[2 * i][2 * j + 1],
                                    made[2 * i + 1][2 * j], made[2 * i + 1][2 * j + 1]};
          const auto found = largest(window);
          const auto pixel = ((image * rows + top + i) * columns + left + j) * shape.all_out + c;
          store(maps + pixel, channels(found.value));
          if (places != nullptr) store_places(places + pixel, found.place);
        }
    }
  }
}

}  // namespace
}  // namespace penumbra
