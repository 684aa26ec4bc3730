#include <algorithm>
#include <vector>

#include "base/cpu_vectors.hpp"
#include "convolution/patch.hpp"
#include "convolution/reference.hpp"
#include "convolution/row_window.hpp"
#include "correlation/correlate_row.hpp"

namespace gpulab::lessons::convolution {
namespace {

using Index = std::ptrdiff_t;

// Part of the output that one thread computes at a time.
struct Tile {
  std::size_t x, y, width, height;
};

// Returns the filter flipped, so that it runs in the direction of the image, with rows of zeros above and
// below if it has fewer rows than patches need.
Filter flipped_and_padded(Filter filter) {
  std::ranges::reverse(filter.values);
  const std::vector<float> zeros(filter.width);
  for (; filter.height + 1 < shape_of_patches().rows; filter.height += 2) {
    filter.values.insert(filter.values.begin(), zeros.begin(), zeros.end());
    filter.values.insert(filter.values.end(), zeros.begin(), zeros.end());
  }
  return filter;
}

// Buffers that a thread keeps from tile to tile: the system would have to map new memory each time.
struct Workspace {
  RowWindow image;
  LineAligned<float> bordered_row, row_sums, sums;
  std::vector<const float*> rows;
};

// Sums over the whole filter for every pixel, some patches at a time. Meanwhile, memory delivers the next
// image rows and takes what is written.
void convolve_tile(const BorderedImage& image, const Filter& filter, const Tile& tile, Workspace& work,
                   std::span<float> output) {
  const PatchShape patch = shape_of_patches();
  const std::size_t stretch = 2 * patch.columns;
  work.sums.resize(patch.rows * stretch);
  work.image.begin(image, static_cast<Index>(tile.x) - static_cast<Index>(filter.width / 2),
                   static_cast<Index>(tile.y) - static_cast<Index>(filter.height / 2),
                   rounded_up(tile.width, patch.columns) + filter.width - 1, patch.rows + filter.height - 1);
  for (std::size_t y = 0; y < tile.height; y += patch.rows) {
    const float* const* rows = work.image.from(y);
    for (std::size_t x = 0; x < tile.width; x += stretch) {
      const std::size_t columns = std::min(stretch, tile.width - x);
      work.image.prefetch_next(patch.rows, x, stretch);
      correlate_rows(rows, x, filter, rounded_up(columns, patch.columns), work.sums.data(), stretch);
      for (std::size_t row = 0; row < std::min(patch.rows, tile.height - y); ++row)
        streaming_copy(&work.sums[row * stretch], columns,
                       &output[(tile.y + y + row) * image.frame().width + tile.x + x]);
    }
  }
}

// Does the pass along the rows, for the columns of a tile in one row.
void pass_along_row(const BorderedImage& image, Index y, std::span<const float> taps, const Tile& tile,
                    Workspace& work, float* output) {
  const auto x = static_cast<Index>(tile.x) - std::ssize(taps) / 2;
  const Index past = x + static_cast<Index>(tile.width) + std::ssize(taps) - 1;
  const float* source = image.find(y, x, past);
  if (!source) {
    work.bordered_row.resize(tile.width + taps.size() - 1);
    image.copy(y, x, past, work.bordered_row.data());
    source = work.bordered_row.data();
  }
  correlate_row(source, taps, {output, tile.width});
}

// Keeps the results of the pass along the rows in a ring buffer, for as long as the pass along the columns
// needs them. Writing output rows is interleaved with computing, so that memory takes them meanwhile.
void convolve_tile_in_two_passes(const BorderedImage& image, std::span<const float> taps,
                                 const Filter& column, const Tile& tile, Workspace& work,
                                 std::span<float> output) {
  const PatchShape patch = shape_of_patches();
  const std::size_t columns = rounded_up(tile.width, patch.columns);
  const std::size_t height = patch.rows + column.height - 1;
  const auto x = static_cast<Index>(tile.x), past = x + static_cast<Index>(tile.width);
  const auto y = static_cast<Index>(tile.y) - static_cast<Index>(column.height / 2);
  work.row_sums.resize(height * columns);
  work.sums.resize(patch.rows * columns);
  work.rows.resize(height);
  const auto ring_row = [&](std::size_t row) { return &work.row_sums[row % height * columns]; };
  std::size_t written = 0;
  const auto write_next_of_first = [&](std::size_t rows_done) {
    if (written >= std::min(rows_done, tile.height)) return;
    streaming_copy(&work.sums[written % patch.rows * columns], tile.width,
                   &output[(tile.y + written) * image.frame().width + tile.x]);
    ++written;
  };
  for (std::size_t first = 0, read = 0; first < tile.height; first += patch.rows) {
    for (; read < first + height; ++read) {
      const auto row = y + static_cast<Index>(read);
      image.prefetch(row + 1, x, past);
      pass_along_row(image, row, taps, tile, work, ring_row(read));
      write_next_of_first(first);
    }
    for (std::size_t i = 0; i < height; ++i) work.rows[i] = ring_row(first + i);
    correlate_rows(work.rows.data(), 0, column, columns, work.sums.data(), columns);
  }
  while (written < tile.height) write_next_of_first(tile.height);
}

// Convolves the frame in tiles of at most width x height. For a single tile no thread is woken: a check
// convolves hundreds of small frames, and threads that wait for work keep the cores busy.
template <class Convolve>
void for_each_tile(const Frame& frame, std::size_t width, std::size_t height, const Convolve& convolve) {
#pragma omp parallel if (frame.width > width || frame.height > height)
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
  const BorderedImage endless(frame, image, border);
  if (const auto separated = separate(filter)) {
    const std::vector<float> row(separated->row.rbegin(), separated->row.rend());
    const Filter column = flipped_and_padded({1, filter.height, separated->column});
    for_each_tile(frame, 512, 240, [&](const Tile& tile, Workspace& work) {
      convolve_tile_in_two_passes(endless, row, column, tile, work, output);
    });
  } else {
    for_each_tile(frame, 1024, 120,
                  [&, filter = flipped_and_padded(filter)](const Tile& tile, Workspace& work) {
                    convolve_tile(endless, filter, tile, work, output);
                  });
  }
}

}  // namespace gpulab::lessons::convolution
