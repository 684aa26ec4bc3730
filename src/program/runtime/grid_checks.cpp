#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "program/runtime/library_work.hpp"
#include "program/runtime/runtime.hpp"
#include "source/bounds.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::program::runtime {

// Grids that are too small, which leave out elements, perhaps on purpose: if the program fails, they may be
// the reason. And grids that are too large, whose threads have nothing to do.

namespace {

// Returns the numbers among the arguments that may be lengths: each half of a word, which may be an int.
std::vector<std::size_t> lengths_in(const std::vector<std::uintptr_t>& words) {
  std::vector<std::size_t> lengths;
  for (const std::uintptr_t word : words)
    for (const std::uintptr_t half : {word & 0xFFFFFFFFu, word >> 32})
      if (half > 1 && half <= 0x7FFFFFFFu) lengths.push_back(half);
  return lengths;
}

std::string product_text(std::size_t x, std::size_t y) {
  return grouped(x) + " x " + grouped(y);
}

// The shape of a launch in threads, and the possible lengths among its kernel's arguments.
struct LaunchedGrid {
  std::size_t threads_x, threads_y, blocks;
  Extent block;  // in threads
  std::vector<std::size_t> lengths;
  std::function<bool()> takes_any_block;  // by its text, the kernel is right with blocks of any size
  std::function<std::size_t()> elements_per_thread;  // by its text; 0 if that is unknown
  std::size_t warps = 0;                             // if each may have an element of the array
  std::function<bool()> has_thread_y = {};           // by its text
};

// Returns "(n + 255) / 256" for blocks of 256 threads.
std::string blocks_for(const char* elements, unsigned threads) {
  return threads == 1 ? elements
                      : fmt::format("({} + {}) / {}", elements, grouped(threads - 1), grouped(threads));
}

// Returns the side of the square blocks that such a grid is made for, with rows of blocks for its height; 1
// if there is none.
unsigned side_of_squares(const LaunchedGrid& grid, std::size_t height) {
  const unsigned side = grid.block.x;
  constexpr unsigned max_side = 32;  // a block has at most 1024 threads
  const bool is_made_for_squares =
      grid.threads_y == height / side || grid.threads_y == (height + side - 1) / side;
  return grid.block.y == 1 && side <= max_side && is_made_for_squares && grid.has_thread_y() ? side : 1;
}

// Elements of an array that no thread reached, from `begin` to before `end`.
struct UnreachedElements {
  std::size_t begin, end, count;
  std::string text, correction;
  bool is_certain, needs_copy;
};
using IsTouched = std::function<bool(std::size_t begin, std::size_t end)>;

std::optional<UnreachedElements> unreached_in_row(const LaunchedGrid& grid, std::size_t count,
                                                  const IsTouched& is_touched) {
  const auto ends_behind = [&](std::size_t workers) {
    return workers > 0 && workers < count && is_touched(workers - 1, workers) && !is_touched(workers, count);
  };
  if (!contains(grid.lengths, count)) return std::nullopt;
  if (const std::size_t warps = grid.warps; ends_behind(warps))
    return UnreachedElements{warps,
                             count,
                             count - warps,
                             fmt::format("has {} warps for {} elements, and none of them reaches the last {}",
                                         grouped(warps), grouped(count), grouped(count - warps)),
                             fmt::format("(32 * n + {}) / {} blocks, if each of n elements is to have a warp",
                                         grid.block.x - 1, grid.block.x),
                             /*is_certain=*/false,
                             /*needs_copy=*/true};
  const std::size_t threads = grid.threads_x, left_out = threads < count ? count - threads : 0;
  for (const std::size_t each : {2u, 4u, 8u})
    if (const std::size_t end = threads * each, part = each * grid.block.x;
        ends_behind(end) && count - end < part && grid.elements_per_thread() == each)
      return UnreachedElements{
          end,
          count,
          count - end,
          fmt::format(
              "has {} threads with {} elements each for {} elements, and none of them reaches the last {}",
              grouped(threads), each, grouped(count), grouped(count - end)),
          fmt::format("(n + {}) / {} blocks, each with {} elements of n", part - 1, part, part),
          /*is_certain=*/false,
          /*needs_copy=*/false};
  if (!ends_behind(threads)) return std::nullopt;
  constexpr unsigned warp = 32;
  const std::string blocks = grid.block.x < warp && grid.takes_any_block()
                                 ? "<<<(n + 255) / 256, 256>>>"
                                 : blocks_for("n", grid.block.x) + " blocks";
  return UnreachedElements{
      threads,
      count,
      left_out,
      fmt::format("has {} thread{} for {} elements, and none of them reaches the last {}", grouped(threads),
                  threads == 1 ? "" : "s", grouped(count), grouped(left_out)),
      blocks + ", and if (i < n) in the kernel",
      /*is_certain=*/false,
      /*needs_copy=*/left_out >= grid.block.x};  // so not by rounding down
}

std::optional<UnreachedElements> unreached_in_image(const LaunchedGrid& grid, std::size_t width,
                                                    std::size_t height, const IsTouched& is_touched) {
  const std::size_t x = grid.threads_x, y = grid.threads_y;
  if (!is_touched(0, 1)) return std::nullopt;
  // If the grid is the cause, its last threads reach their last element, or the one before.
  const auto ends_at = [&](std::size_t end) { return is_touched(end - std::min<std::size_t>(end, 2), end); };
  const std::size_t count = width * height;
  const bool leaves_columns = x < width && ends_at(x) && !is_touched(x, width),
             leaves_rows =
                 y < height && ends_at((y - 1) * width + std::min(x, width)) && !is_touched(y * width, count);
  // A kernel that takes x for the row leaves out what the same grid with x and y exchanged does.
  const bool covers = x >= width && y >= height;
  if (covers && y < width && ends_at(y) && !is_touched(y, width))
    return UnreachedElements{
        y,
        width,
        (width - y) * height,
        fmt::format("has {} threads for {} elements, but none of them reaches the columns from {} "
                    "on, as if x counted the rows",
                    product_text(x, y), product_text(width, height), grouped(y)),
        "blockIdx.x and threadIdx.x in the column, blockIdx.y and threadIdx.y in the row",
        /*is_certain=*/true,
        /*needs_copy=*/false};
  if (!leaves_columns && !leaves_rows) return std::nullopt;
  const bool is_swapped = y >= width && x >= height;
  const std::string columns = leaves_columns ? "the columns from " + grouped(x) + " on" : "",
                    rows = leaves_rows ? "the rows from " + grouped(y) + " on" : "",
                    both = columns.empty() || rows.empty() ? columns + rows : columns + " and " + rows;
  const std::string why = is_swapped ? "since x comes first, and counts columns"
                                     : "and if (x < width && y < height) in the kernel";
  const unsigned side = leaves_rows ? side_of_squares(grid, height) : 1;
  return UnreachedElements{
      leaves_columns ? x : y * width,
      leaves_columns ? width : count,
      count - std::min(x, width) * std::min(y, height),
      fmt::format("has {} threads for {} elements, and none of them reaches {}", product_text(x, y),
                  product_text(width, height), both),
      fmt::format("dim3 {}grid({}, {}), {}", side > 1 ? fmt::format("block({0}, {0}), ", side) : "",
                  blocks_for("width", grid.block.x), blocks_for("height", std::max(side, grid.block.y)), why),
      is_swapped,
      /*needs_copy=*/false};
}

// Treats the array as a row of elements if the grid has one row, else as an image, whose width may be any of
// the lengths that the kernel was given. `row` elements lie without a gap, `count` if the memory has no
// pitch.
std::optional<UnreachedElements> unreached_in(const LaunchedGrid& grid, std::size_t count, std::size_t row,
                                              const IsTouched& is_touched) {
  if (grid.threads_y == 1) return row == count ? unreached_in_row(grid, count, is_touched) : std::nullopt;
  for (const std::size_t width : grid.lengths)
    if ((row == count || row == width) && count % width == 0 && contains(grid.lengths, count / width))
      if (auto unreached = unreached_in_image(grid, width, count / width, is_touched)) return unreached;
  return std::nullopt;
}

}  // namespace

void Runtime::look_for_unreached_elements(const Launched& launched) {
  const std::string& kernel = launched.kernel;
  const LaunchConfig& config = launched.config;
  std::erase_if(suspects_, [&](const Suspect& suspect) {  // several launches may share the work
    return (suspect.kernel == kernel || suspect.is_input) &&
           machine_->checked().was_touched(suspect.unreached);
  });
  const auto [blocks_x, blocks_y, blocks_z] = config.grid;
  if (std::size_t{blocks_z} * config.block.z > 1) return;
  LaunchedGrid grid{std::size_t{blocks_x} * config.block.x,
                    std::size_t{blocks_y} * config.block.y,
                    std::size_t{blocks_x} * blocks_y,
                    config.block,
                    lengths_in(running_words_),
                    [&] {
                      return launched.static_shared_bytes + config.dynamic_shared_bytes == 0 &&
                             !source::bound_of_guard(code_, kernel).empty();
                    },
                    [&] { return source::elements_per_thread(code_, kernel); }};
  std::vector<std::uintptr_t> words = running_words_;
  std::ranges::stable_partition(
      words, [&](std::uintptr_t word) {  // results first: an input may be transposed
        return allocations_.at(word) && machine_->checked().is_only_written({word, 1});
      });
  for (const std::uintptr_t word : words) {
    const Allocation* const memory = allocations_.at(word);
    if (!memory || memory->is_freed || memory->begin != word) continue;
    const std::size_t known = suspects_.size();
    if (memory->pitch > 0) look_for_ignored_pitch(kernel, launched.site, *memory);
    if (suspects_.size() > known) continue;
    // Where the kernel has another array of that size, warps may share its elements, as in a reduction.
    const bool has_equal = std::ranges::any_of(words, [&](std::uintptr_t other) {
      const Allocation* const array = allocations_.at(other);
      return array && array != memory && array->bytes == memory->bytes;
    });
    constexpr unsigned warp = 32;
    grid.warps = has_equal || grid.block.x == warp || grid.block.x % warp > 0 ? 0 : grid.threads_x / warp;
    grid.has_thread_y = [&] {
      return source::has_rows(code_, machine_->checked().line_of_store(memory->begin));
    };
    const bool has_type = memory->element_bytes > 1;  // a pointer to bytes may be to anything
    for (const std::size_t element_bytes :
         has_type ? std::vector{memory->element_bytes} : std::vector<std::size_t>{4, 8, 1, 2}) {
      const std::size_t rows = memory->pitch > 0 ? memory->bytes / memory->pitch : 1,
                        row = (memory->pitch > 0 ? memory->width : memory->bytes) / element_bytes;
      const auto offset = [&](std::size_t element) {
        return element / row * memory->pitch + element % row * element_bytes;
      };
      const auto elements = [&](std::size_t begin, std::size_t end) {
        return AddressRange{memory->begin + offset(begin), offset(end - 1) + element_bytes - offset(begin)};
      };
      const auto unreached = unreached_in(grid, rows * row, row, [&](std::size_t begin, std::size_t end) {
        return machine_->checked().was_touched(elements(begin, end));
      });
      if (!unreached) continue;
      suspect_grid(
          {{.pattern = "grid-too-small",
            .place = place_of(launched.site),
            .text = fmt::format("kernel {} {}", kernel, unreached->text),
            .correction = unreached->correction,
            .others = {allocated_at(*memory)}},
           kernel,
           elements(unreached->begin, unreached->end),
           unreached->count,
           unreached->is_certain,
           unreached->needs_copy,
           grid.blocks > 1,
           // A bound of the guard below the number of threads would have kept the last thread out.
           grid.threads_y == 1 && !contains(grid.lengths, grid.threads_x) && unreached->begin != grid.warps,
           machine_->checked().line_of_store(memory->begin) == 0 && unreached->begin > grid.threads_x});
      if (grid.threads_y > 1) return;
      break;
    }
  }
}

void Runtime::suspect_grid(Suspect suspect) {
  const bool is_known = std::ranges::any_of(suspects_, [&](const Suspect& known) {
    return known.finding.place == suspect.finding.place && known.unreached.begin == suspect.unreached.begin;
  });
  if (is_known) return;
  suspect.is_guarded = suspect.is_guarded && !source::bound_of_guard(code_, suspect.kernel).empty();
  if (suspect.is_guarded) suspect.needs_copy = false;
  suspects_.push_back(std::move(suspect));
}

namespace {

// Returns what to note of a launch of one thread that stores all of a large array; empty if it does not.
std::string text_of_one_thread(const std::string& kernel, const LaunchConfig& config,
                               const Allocation& memory, simulator::watch::CheckedLaunches& checked,
                               const source::Code& code) {
  constexpr std::size_t large = 256;
  const std::size_t step = memory.element_bytes, elements = memory.bytes / std::max<std::size_t>(step, 1);
  if (config.grid.volume() * config.block.volume() != 1 || step == 0 || elements < large) return "";
  const int line = checked.line_of_store(memory.begin);
  if (line == 0 || checked.line_of_store(memory.begin + (elements - 1) * step) != line ||
      source::kernel_around(code, line).name != kernel.substr(0, kernel.find('<')))
    return "";
  return fmt::format("{} has one thread, which stores all {} elements in a loop", kernel, grouped(elements));
}

}  // namespace

// Notes blocks that add the same to one place, and blocks of less than a warp where the numbers of blocks and
// threads may be exchanged. For exercises, which ask for one thread for each element, notes blocks of one
// thread, and many more threads than the kernel's largest array has elements.
void Runtime::look_for_idle_threads(const Launched& launched) {
  const std::size_t blocks = launched.config.grid.volume(),
                    threads_per_block = launched.config.block.volume();
  if (blocks > 1 && read_kernels_.insert(launched.kernel).second)
    if (const auto sum = source::repeated_sum(code_, launched.kernel, launched.config))
      add({.pattern = "repeated-work",
           .is_note = true,
           .place = place_of(launched.site),
           .text = sum->text,
           .correction = sum->right});
  std::size_t elements = 0;
  for (const std::uintptr_t word : launched.words)
    if (const Allocation* const memory = allocations_.containing(word)) {
      elements = std::max(elements, memory->bytes / std::max<std::size_t>(memory->element_bytes, 4));
      if (const std::string text =
              text_of_one_thread(launched.kernel, launched.config, *memory, machine_->checked(), code_);
          !text.empty())
        add({.pattern = "idle-threads", .is_note = true, .place = place_of(launched.site), .text = text});
    }
  constexpr std::size_t few_blocks = 8, times_more = 8, warp = 32;
  if (blocks < few_blocks || elements == 0) return;
  const std::size_t all = blocks * threads_per_block;
  const bool may_be_exchanged = threads_per_block > 1 && threads_per_block < warp && blocks % warp == 0 &&
                                blocks <= max_threads_per_block && all >= elements &&
                                all < elements + blocks && launched.config.grid.x == blocks &&
                                !source::bound_of_guard(code_, launched.kernel).empty();
  if (!may_be_exchanged && !reports_copied_data_) return;
  std::string text;
  if (may_be_exchanged || threads_per_block == 1)
    text = fmt::format(
        "each of the {} blocks of {} has {}, so the other {} lanes of its warp have nothing to do{}",
        grouped(blocks), launched.kernel,
        threads_per_block == 1 ? "one thread" : grouped(threads_per_block) + " threads",
        warp - threads_per_block, may_be_exchanged ? ": are blocks and threads exchanged?" : "");
  else if (all >= times_more * elements)
    text = fmt::format("{} has {} blocks of {} threads for {} elements, so {} threads have none",
                       launched.kernel, grouped(blocks), grouped(threads_per_block), grouped(elements),
                       grouped(all - elements));
  if (!text.empty())
    add({.pattern = "idle-threads", .is_note = true, .place = place_of(launched.site), .text = text});
}

}  // namespace gpulab::program::runtime
