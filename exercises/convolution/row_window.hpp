#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cpu_vectors.hpp"
#include "convolution/reference.hpp"

namespace gpulab::lessons::convolution {

// Image that goes on beyond its edges.
class BorderedImage {
 public:
  BorderedImage(const Frame& frame, std::span<const float> pixels, Border border)
      : frame_(frame), pixels_(pixels), border_(border) {}

  const Frame& frame() const { return frame_; }

  // Returns the columns x to past - 1 of row y in place, or null if some lie outside.
  const float* find(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t past) const;

  // Copies the columns x to past - 1 of row y; any of them may lie outside.
  void copy(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t past, float* to) const;

  // Prefetches those of the columns that lie inside.
  void prefetch(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t past) const;

 private:
  // Returns the first pixel of row y, or null if there is none.
  const float* row(std::ptrdiff_t y) const;
  std::ptrdiff_t width() const { return static_cast<std::ptrdiff_t>(frame_.width); }

  Frame frame_;
  std::span<const float> pixels_;
  Border border_;
};

// Consecutive rows of an image, of which a few are requested at a time. Rows that reach beyond the edges are
// copied.
class RowWindow {
 public:
  // Begins at row y and column x, with `rows` rows of `columns` columns at a time.
  void begin(const BorderedImage& image, std::ptrdiff_t x, std::ptrdiff_t y, std::size_t columns,
             std::size_t rows);

  // Returns the rows from `first` on, counted from y. Rows before it cannot be requested again.
  const float* const* from(std::size_t first);

  // Prefetches some columns of the `rows` rows below those that were requested.
  void prefetch_next(std::size_t rows, std::size_t first_column, std::size_t columns) const;

 private:
  float* copied_row(std::size_t row) { return &pixels_[row % rows_.size() * columns_]; }

  const BorderedImage* image_ = nullptr;
  std::ptrdiff_t x_ = 0, y_ = 0;
  std::size_t columns_ = 0, read_ = 0;
  LineAligned<float> pixels_;
  std::vector<const float*> rows_;
};

}  // namespace gpulab::lessons::convolution
