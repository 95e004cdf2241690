#pragma once
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace penumbra {

// Height, width and channels of a picture.
struct Shape {
  int height = 0, width = 0, channels = 0;

  int row() const { return width * channels; }  // bytes
  int size() const { return height * row(); }   // bytes
};

// A picture being augmented: uint8, rows of interleaved channels (HWC) without gaps, in one of two
// buffers. An operation reads front(), writes back() and flips; a point operation may
// write front() in place. Both buffers have kSlack bytes beyond their end that may be read and
// written, so that pixels of three bytes can be moved as four.
class Canvas {
 public:
  static constexpr int kSlack = 64;

  explicit Canvas(Shape shape)
      : shape_(shape),
        first_(static_cast<std::size_t>(shape.size() + kSlack)),
        second_(static_cast<std::size_t>(shape.size() + kSlack)),
        front_(first_.data()),
        back_(second_.data()) {}
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  const Shape& shape() const { return shape_; }
  uint8_t* front() { return front_; }
  uint8_t* back() { return back_; }
  void flip() { std::swap(front_, back_); }
  void load(const uint8_t* pixels) {
    std::memcpy(front_, pixels, static_cast<std::size_t>(shape_.size()));
  }

 private:
  Shape shape_;
  std::vector<uint8_t> first_, second_;
  uint8_t *front_, *back_;
};

}  // namespace penumbra
