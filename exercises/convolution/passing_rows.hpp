#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cpu_vectors.hpp"
#include "convolution/reference.hpp"

namespace gpulab::lessons::convolution {

// An image that goes on beyond its edges.
class EndlessImage {
 public:
  EndlessImage(const Frame& frame, std::span<const float> pixels, Border border)
      : frame_(frame), pixels_(pixels), border_(border) {}

  const Frame& frame() const { return frame_; }

  // The columns x to past - 1 of the row y, where they are; null when some lie outside.
  const float* find(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t past) const;

  // Copies the columns x to past - 1 of the row y; any of them may lie outside.
  void copy(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t past, float* to) const;

  // Has what lies inside of them fetched to the cache.
  void prefetch(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t past) const;

 private:
  // The first pixel of the row y; null where there is nothing.
  const float* row(std::ptrdiff_t y) const;
  std::ptrdiff_t width() const { return static_cast<std::ptrdiff_t>(frame_.width); }

  Frame frame_;
  std::span<const float> pixels_;
  Border border_;
};

// Rows of an image that follow each other, of which a few are asked for at a time. Those that reach beyond
// its edges are copied.
class PassingRows {
 public:
  // From the row y on, so many rows at a time, so many columns from x on.
  void begin(const EndlessImage& image, std::ptrdiff_t x, std::ptrdiff_t y, std::size_t columns,
             std::size_t rows);

  // The rows from that one on, counted from y. No row comes back that went before the first.
  const float* const* from(std::size_t first);

  // Has some columns fetched of the `rows` rows below those that were asked for.
  void prefetch_next(std::size_t rows, std::size_t first_column, std::size_t columns) const;

 private:
  float* place(std::size_t row) { return &pixels_[row % rows_.size() * columns_]; }

  const EndlessImage* image_ = nullptr;
  std::ptrdiff_t x_ = 0, y_ = 0;
  std::size_t columns_ = 0, read_ = 0;
  LineAligned<float> pixels_;
  std::vector<const float*> rows_;
};

}  // namespace gpulab::lessons::convolution
