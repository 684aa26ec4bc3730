#include <algorithm>
#include <vector>

#include "convolution/patch.hpp"
#include "convolution/reference.hpp"
#include "core/cache_line.hpp"
#include "core/rounded_up.hpp"
#include "core/streaming_store.hpp"
#include "correlate_row.hpp"

namespace gpulab::convolution {
namespace {

using Index = std::ptrdiff_t;

// A part of the output that one thread computes at a time.
struct Tile {
  std::size_t x, y, width, height;
};

// The filter turned round, so that it runs over the image in the image's own direction, and with rows of
// zeros above and below it where it has fewer than patches need.
Filter prepared(Filter filter) {
  std::ranges::reverse(filter.values);
  const std::vector<float> zeros(filter.width);
  for (; filter.height + 1 < shape_of_patches().rows; filter.height += 2) {
    filter.values.insert(filter.values.begin(), zeros.begin(), zeros.end());
    filter.values.insert(filter.values.end(), zeros.begin(), zeros.end());
  }
  return filter;
}

// An image that goes on beyond its edges.
struct Surrounded {
  Frame frame;
  std::span<const float> image;
  Border border;

  Index width() const { return static_cast<Index>(frame.width); }

  // The first pixel of the row y; null where there is nothing.
  const float* row(Index y) const {
    const Index source = source_of(y, static_cast<Index>(frame.height), border);
    return source < 0 ? nullptr : image.data() + source * width();
  }

  // Copies the columns x to past - 1 of a row, or zeros where there is no row.
  void copy(const float* row, Index x, Index past, float* to) const {
    if (!row) return static_cast<void>(std::fill_n(to, past - x, 0.0f));
    const Index inside = std::clamp<Index>(0, x, past), outside = std::clamp<Index>(width(), inside, past);
    const auto pixel = [&](Index column) {
      const Index from = source_of(column, width(), border);
      return from < 0 ? 0 : row[from];
    };
    for (Index column = x; column < inside; ++column) to[column - x] = pixel(column);
    std::copy(row + inside, row + outside, to + (inside - x));
    for (Index column = outside; column < past; ++column) to[column - x] = pixel(column);
  }
};

// What a thread keeps from tile to tile: new memory would have to be mapped by the system each time.
struct Workspace {
  std::vector<float> surroundings, passed, sums;
  std::vector<const float*> rows;
};

// The sum over the whole filter for every pixel. What a tile needs of the image is copied first: rows of an
// image whose width is a power of two would take each other's places in the cache.
void convolve_tile(const Surrounded& image, const Filter& filter, const Tile& tile, Workspace& work,
                   std::span<float> output) {
  const PatchShape patch = shape_of_patches();
  const std::size_t columns = rounded_up(tile.width, patch.columns), length = columns + filter.width - 1;
  const std::size_t height = rounded_up(tile.height, patch.rows) + filter.height - 1;
  const auto x = static_cast<Index>(tile.x) - static_cast<Index>(filter.width / 2);
  const auto y = static_cast<Index>(tile.y) - static_cast<Index>(filter.height / 2);
  work.surroundings.resize(height * length);
  work.sums.resize(patch.rows * columns);
  work.rows.resize(height);
  for (std::size_t i = 0; i < height; ++i) {
    float* row = &work.surroundings[i * length];
    image.copy(image.row(y + static_cast<Index>(i)), x, x + static_cast<Index>(length), row);
    work.rows[i] = row;
  }
  for (std::size_t first = 0; first < tile.height; first += patch.rows) {
    float* place = &output[(tile.y + first) * image.frame.width + tile.x];
    if (columns == tile.width && first + patch.rows <= tile.height) {
      correlate_rows(&work.rows[first], filter, columns, place, image.frame.width);
      continue;
    }
    correlate_rows(&work.rows[first], filter, columns, work.sums.data(), columns);
    for (std::size_t row = 0; row < std::min(patch.rows, tile.height - first); ++row)
      std::copy_n(&work.sums[row * columns], tile.width, place + row * image.frame.width);
  }
}

// The pass along the rows, for the columns of a tile in one row.
void pass_along_row(const Surrounded& image, const float* row, std::span<const float> taps, const Tile& tile,
                    Workspace& work, float* output) {
  const Index before = std::ssize(taps) / 2, x = static_cast<Index>(tile.x);
  const Index past = x + static_cast<Index>(tile.width);
  const std::span<float> sums(output, tile.width);
  if (row && x >= before && past + before <= image.width())
    return correlate_row(row + x - before, taps, sums);
  work.surroundings.resize(tile.width + taps.size() - 1);
  image.copy(row, x - before, past + before, work.surroundings.data());
  correlate_row(work.surroundings.data(), taps, sums);
}

// The results of the pass along the rows are kept in a ring for as long as the pass along the columns needs
// them. Rows of the output are written one at a time between others, so that memory takes them in the
// meantime.
void convolve_tile_in_two_passes(const Surrounded& image, std::span<const float> taps, const Filter& column,
                                 const Tile& tile, Workspace& work, std::span<float> output) {
  const PatchShape patch = shape_of_patches();
  const std::size_t columns = rounded_up(tile.width, patch.columns);
  const std::size_t height = patch.rows + column.height - 1;
  const auto y = static_cast<Index>(tile.y) - static_cast<Index>(column.height / 2);
  work.passed.resize(height * columns);
  work.sums.resize(patch.rows * columns);
  work.rows.resize(height);
  const auto ring_row = [&](std::size_t row) { return &work.passed[row % work.rows.size() * columns]; };
  std::size_t written = 0;
  const auto write_one_of = [&](std::size_t rows_done) {
    if (written >= std::min(rows_done, tile.height)) return;
    streaming_copy(&work.sums[written % patch.rows * columns], tile.width,
                   &output[(tile.y + written) * image.frame.width + tile.x]);
    ++written;
  };
  for (std::size_t first = 0, read = 0; first < tile.height; first += patch.rows) {
    for (; read < first + height; ++read) {
      const auto row = y + static_cast<Index>(read);
      if (const float* next = image.row(row + 1)) prefetch(next + tile.x, tile.width);
      pass_along_row(image, image.row(row), taps, tile, work, ring_row(read));
      write_one_of(first);
    }
    for (std::size_t i = 0; i < height; ++i) work.rows[i] = ring_row(first + i);
    correlate_rows(work.rows.data(), column, columns, work.sums.data(), columns);
  }
  while (written < tile.height) write_one_of(tile.height);
}

// Tiles of at most that size.
template <class Convolve>
void for_each_tile(const Frame& frame, std::size_t width, std::size_t height, const Convolve& convolve) {
#pragma omp parallel
  {
    Workspace work;
#pragma omp for collapse(2) schedule(dynamic)
    for (std::size_t y = 0; y < frame.height; y += height)
      for (std::size_t x = 0; x < frame.width; x += width)
        convolve(Tile{x, y, std::min(width, frame.width - x), std::min(height, frame.height - y)}, work);
  }
}

}  // namespace

void convolve_openmp(const Frame& frame, std::span<const float> image, const Filter& filter, Border border,
                     std::span<float> output) {
  const Surrounded surrounded{frame, image, border};
  if (const auto separated = separate(filter)) {
    const std::vector<float> row(separated->row.rbegin(), separated->row.rend());
    const Filter column = prepared({1, filter.height, separated->column});
    for_each_tile(frame, 512, 240, [&](const Tile& tile, Workspace& work) {
      convolve_tile_in_two_passes(surrounded, row, column, tile, work, output);
    });
  } else {
    for_each_tile(frame, 256, 120, [&, filter = prepared(filter)](const Tile& tile, Workspace& work) {
      convolve_tile(surrounded, filter, tile, work, output);
    });
  }
}

}  // namespace gpulab::convolution
