#include "convolution/row_window.hpp"

#include <algorithm>

#include "base/cpu_vectors.hpp"

namespace gpulab::lessons::convolution {

using Index = std::ptrdiff_t;

const float* BorderedImage::row(Index y) const {
  const Index source = border_index(y, static_cast<Index>(frame_.height), border_);
  return source < 0 ? nullptr : pixels_.data() + source * width();
}

const float* BorderedImage::find(Index y, Index x, Index past) const {
  const float* from = row(y);
  return from && x >= 0 && past <= width() ? from + x : nullptr;
}

void BorderedImage::copy(Index y, Index x, Index past, float* to) const {
  const float* from = row(y);
  if (!from) {
    std::fill_n(to, past - x, 0.0f);
    return;
  }
  const Index begin = std::clamp<Index>(0, x, past), end = std::clamp<Index>(width(), begin, past);
  const auto pixel = [&](Index column) {
    const Index source = border_index(column, width(), border_);
    return source < 0 ? 0 : from[source];
  };
  for (Index column = x; column < begin; ++column) to[column - x] = pixel(column);
  std::copy(from + begin, from + end, to + (begin - x));
  for (Index column = end; column < past; ++column) to[column - x] = pixel(column);
}

void BorderedImage::prefetch(Index y, Index x, Index past) const {
  const Index begin = std::max<Index>(0, x), end = std::min(width(), past);
  if (const float* from = row(y); from && begin < end)
    gpulab::prefetch(from + begin, static_cast<std::size_t>(end - begin));
}

void RowWindow::begin(const BorderedImage& image, Index x, Index y, std::size_t columns, std::size_t rows) {
  image_ = &image;
  x_ = x;
  y_ = y;
  columns_ = columns;
  read_ = 0;
  rows_.resize(rows);
  pixels_.resize(rows * columns);
}

const float* const* RowWindow::from(std::size_t first) {
  const Index past = x_ + static_cast<Index>(columns_);
  for (; read_ < first + rows_.size(); ++read_)
    if (const Index y = y_ + static_cast<Index>(read_); !image_->find(y, x_, past))
      image_->copy(y, x_, past, copied_row(read_));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const float* original = image_->find(y_ + static_cast<Index>(first + i), x_, past);
    rows_[i] = original ? original : copied_row(first + i);
  }
  return rows_.data();
}

void RowWindow::prefetch_next(std::size_t rows, std::size_t first_column, std::size_t columns) const {
  const Index x = x_ + static_cast<Index>(first_column);
  for (std::size_t i = 0; i < rows; ++i)
    image_->prefetch(y_ + static_cast<Index>(read_ + i), x, x + static_cast<Index>(columns));
}

}  // namespace gpulab::lessons::convolution
