#include "halo_exchange/wrong_halos.hpp"

#include <algorithm>
#include <array>

#include "halo_exchange/arrays.hpp"

namespace gpulab::lessons::halo_exchange {
namespace {

// Rows of all ranks with their halos, one rank after the other, as one GPU has them. `rank` is the one whose
// halos are being filled. Rows count from the upper halo of a rank on. Ranks form a ring: the last one is
// above the first.
class Rows {
 public:
  explicit Rows(const DividedImage& divided)
      : ranks(ranks_with_rows(divided.ranks, divided.height, divided.side / 2)),
        halo(divided.side / 2),
        width_(divided.width),
        height_(divided.height) {}

  const int ranks;
  const std::size_t halo;
  int rank = 0;
  std::vector<float>* values = nullptr;  // read and written

  std::size_t length() const { return (height_ + 2 * halo * static_cast<std::size_t>(ranks)) * width_; }
  std::size_t own_rows(int of_rank) const { return part(of_rank).count; }
  std::size_t begin(int of_rank) const {
    return part(of_rank).first + 2 * halo * static_cast<std::size_t>((of_rank + ranks) % ranks);
  }

  bool has_above() const { return rank > 0; }
  bool has_below() const { return rank + 1 < ranks; }
  std::size_t own() const { return own_rows(rank); }
  std::size_t own_above() const { return own_rows(rank - 1); }
  std::size_t first_lower_row() const { return halo + own(); }

  // Counts the threads of a row that have no pixel: blocks are 32 threads wide.
  std::size_t spare() const { return (32 - width_ % 32) % 32; }

  // Copy a row of a neighbour, if there is one, and `more` pixels behind it.
  void from_above(std::size_t to, std::size_t row, std::size_t more = 0) {
    if (has_above()) copy(to, rank - 1, row, more);
  }
  void from_below(std::size_t to, std::size_t row, std::size_t more = 0) {
    if (has_below()) copy(to, rank + 1, row, more);
  }
  void from_above_in_ring(std::size_t to, std::size_t row) { copy(to, rank - 1, row, 0); }
  void from_below_in_ring(std::size_t to, std::size_t row) { copy(to, rank + 1, row, 0); }
  void from_self(std::size_t to, std::size_t row) { copy(to, rank, row, 0); }

 private:
  Share part(int of_rank) const { return rows_of((of_rank + ranks) % ranks, ranks, height_, halo); }

  void copy(std::size_t to, int from_rank, std::size_t row, std::size_t more) {
    const std::size_t target = (begin(rank) + to) * width_, source = (begin(from_rank) + row) * width_;
    if (std::max(target, source) + width_ + more <= values->size())
      std::copy_n(values->begin() + static_cast<std::ptrdiff_t>(source), width_ + more,
                  values->begin() + static_cast<std::ptrdiff_t>(target));
  }

  const std::size_t width_, height_;
};

// Function that fills row y of a halo of the rank.
using FillRow = void (*)(Rows& rows, std::size_t y);

void fill_upper(Rows& rows, std::size_t y) {
  rows.from_above(y, rows.own_above() + y);
}
void fill_lower(Rows& rows, std::size_t y) {
  rows.from_below(rows.first_lower_row() + y, rows.halo + y);
}
void leave_empty(Rows&, std::size_t) {}

struct Rule {
  const char* pattern;
  const char* text;
  FillRow upper;
  FillRow lower = fill_lower;
};

constexpr const char* exchanged =
    "above and below are exchanged: each upper halo holds rows of the rank below, and the reverse";

// Mistakes, each with how a kernel that makes it fills the halos. Mistakes in one halo come first: a mistake
// in both halos also explains their wrong rows.
const std::array rules{
    Rule{"seam-empty", "the lower halos were not filled", fill_upper, leave_empty},
    // Rows of the upper halo above are as empty, as long as no rank fills its own.
    Rule{"seam-empty", "the upper halos stay empty: nothing fills them, or what is empty, too", leave_empty,
         fill_lower},
    Rule{"seam-rows", "each upper halo holds the first rows of the rank above, not the last",
         [](Rows& rows, std::size_t y) { rows.from_above(y, rows.halo + y); }},
    Rule{"seam-rows", "each lower halo holds the last rows of the rank below, not the first", fill_upper,
         [](Rows& rows, std::size_t y) { rows.from_below(rows.first_lower_row() + y, rows.own() + y); }},
    Rule{"seam-rows", "each upper halo holds rows of the rank above that are one too high",
         [](Rows& rows, std::size_t y) { rows.from_above(y, rows.own_above() + y - 1); }},
    Rule{"seam-rows", "each upper halo holds rows of the rank above that are one too low",
         [](Rows& rows, std::size_t y) { rows.from_above(y, rows.own_above() + y + 1); }},
    Rule{"seam-rows", "each lower halo holds rows of the rank below that are one too high", fill_upper,
         [](Rows& rows, std::size_t y) { rows.from_below(rows.first_lower_row() + y, rows.halo + y - 1); }},
    Rule{"seam-rows", "each lower halo holds rows of the rank below that are one too low", fill_upper,
         [](Rows& rows, std::size_t y) { rows.from_below(rows.first_lower_row() + y, rows.halo + y + 1); }},
    Rule{"seam-rows", "each upper halo holds the lower halo of the rank above, not its last own rows",
         [](Rows& rows, std::size_t y) { rows.from_above(y, rows.halo + rows.own_above() + y); }},
    Rule{"seam-rows", "each lower halo holds the upper halo of the rank below, not its first own rows",
         fill_upper, [](Rows& rows, std::size_t y) { rows.from_below(rows.first_lower_row() + y, y); }},
    Rule{"seam-rows", "the rows of the rank above are counted as if it had as many as this one",
         [](Rows& rows, std::size_t y) { rows.from_above(y, rows.own() + y); }},
    Rule{"seam-own", "a row too many is written behind each halo",
         [](Rows& rows, std::size_t y) {
           fill_upper(rows, y);
           if (y + 1 == rows.halo) fill_upper(rows, y + 1);
         },
         [](Rows& rows, std::size_t y) {
           fill_lower(rows, y);
           if (y + 1 == rows.halo) fill_lower(rows, y + 1);
         }},
    Rule{"seam-own", "the rows from above were written over the first own rows, not into the halo",
         [](Rows& rows, std::size_t y) { rows.from_above(rows.halo + y, rows.own_above() + y); }},
    Rule{"seam-own", "the rows from below were written over the last own rows, not into the halo", fill_upper,
         [](Rows& rows, std::size_t y) { rows.from_below(rows.own() + y, rows.halo + y); }},
    Rule{"no-neighbour", "rank 0 takes rows of the last rank, as if that were above it",
         [](Rows& rows, std::size_t y) { rows.from_above_in_ring(y, rows.own_above() + y); }},
    Rule{"no-neighbour", "the last rank takes rows of rank 0, as if that were below it", fill_upper,
         [](Rows& rows, std::size_t y) {
           rows.from_below_in_ring(rows.first_lower_row() + y, rows.halo + y);
         }},
    Rule{"no-neighbour", "only the upper halo of rank 0 is filled, and no rank is above it",
         [](Rows& rows, std::size_t y) {
           if (!rows.has_above()) rows.from_above_in_ring(y, rows.own_above() + y);
         }},
    Rule{"no-neighbour", "only the lower halo of the last rank is filled, and no rank is below it",
         fill_upper,
         [](Rows& rows, std::size_t y) {
           if (!rows.has_below()) rows.from_below_in_ring(rows.first_lower_row() + y, rows.halo + y);
         }},
    Rule{"seam-own", "threads beyond the last column copy, too, and overwrite the pixels behind each halo",
         [](Rows& rows, std::size_t y) { rows.from_above(y, rows.own_above() + y, rows.spare()); },
         [](Rows& rows, std::size_t y) {
           rows.from_below(rows.first_lower_row() + y, rows.halo + y, rows.spare());
         }},
    Rule{"seam-empty", "every halo holds zeros, or what it held before", leave_empty, leave_empty},
    Rule{"seam-empty", "only the first row of each halo was filled",
         [](Rows& rows, std::size_t y) {
           if (y == 0) fill_upper(rows, y);
         },
         [](Rows& rows, std::size_t y) {
           if (y == 0) fill_lower(rows, y);
         }},
    Rule{"seam-neighbour", exchanged,
         [](Rows& rows, std::size_t y) {
           if (rows.has_above()) rows.from_below_in_ring(y, rows.own_above() + y);
         },
         [](Rows& rows, std::size_t y) {
           if (rows.has_below()) rows.from_above_in_ring(rows.first_lower_row() + y, rows.halo + y);
         }},
    Rule{"seam-neighbour", exchanged,
         [](Rows& rows, std::size_t y) {
           if (rows.has_above()) rows.from_below_in_ring(y, rows.halo + y);
         },
         [](Rows& rows, std::size_t y) {
           if (rows.has_below()) rows.from_above_in_ring(rows.first_lower_row() + y, rows.own_above() + y);
         }},
    Rule{"seam-neighbour", "each rank's halos hold rows of its own, not of its neighbours",
         [](Rows& rows, std::size_t y) {
           if (rows.has_above()) rows.from_self(y, rows.halo + y);
         },
         [](Rows& rows, std::size_t y) {
           if (rows.has_below()) rows.from_self(rows.first_lower_row() + y, rows.own() + y);
         }},
    Rule{"seam-rows", "each halo holds its rows in the reverse order",
         [](Rows& rows, std::size_t y) { rows.from_above(y, rows.own_above() + rows.halo - 1 - y); },
         [](Rows& rows, std::size_t y) {
           rows.from_below(rows.first_lower_row() + y, 2 * rows.halo - 1 - y);
         }},
    Rule{"seam-neighbour", "the rows from above were written into the lower halo, and the reverse",
         [](Rows& rows, std::size_t y) { rows.from_above(rows.first_lower_row() + y, rows.own_above() + y); },
         [](Rows& rows, std::size_t y) { rows.from_below(y, rows.halo + y); }},
    Rule{"no-neighbour", "the first and the last rank take each other's rows, as if they were neighbours",
         [](Rows& rows, std::size_t y) { rows.from_above_in_ring(y, rows.own_above() + y); },
         [](Rows& rows, std::size_t y) {
           rows.from_below_in_ring(rows.first_lower_row() + y, rows.halo + y);
         }},
};

// Computes a row of the result, from the rows that begin with the halo above it.
void convolve_row(const DividedImage& divided, const float* rows, std::span<const float> weights,
                  float* result) {
  const std::size_t halo_rows = divided.side / 2;
  std::fill_n(result, divided.width, 0.0f);
  for (std::size_t j = 0; j < divided.side; ++j)
    for (std::size_t i = 0; i < divided.side; ++i)
      for (std::size_t x = i < halo_rows ? halo_rows - i : 0;
           x < divided.width && x + i < divided.width + halo_rows; ++x)
        result[x] += weights[j * divided.side + i] * rows[j * divided.width + x + i - halo_rows];
}

void compute(const DividedImage& divided, const Rule& rule, const Inputs& inputs, Outputs& outputs) {
  Rows rows(divided);
  std::array<std::vector<float>, 2> results{std::vector<float>(rows.length()),
                                            std::vector<float>(rows.length())};
  const std::size_t width = divided.width;
  for (std::size_t step = 0; step < divided.steps; ++step) {
    const bool is_last = step + 1 == divided.steps;
    std::vector<float>&after = results[step % 2], &before = results[(step + 1) % 2];
    for (int rank = 0; rank < rows.ranks; ++rank) {
      const std::size_t first = rows_of(rank, rows.ranks, divided.height, rows.halo).first;
      const float* const from = step == 0 ? &inputs[image][first * width] : &before[rows.begin(rank) * width];
      float* const to =
          is_last ? &outputs[output][first * width] : &after[(rows.begin(rank) + rows.halo) * width];
      for (std::size_t row = 0; row < rows.own_rows(rank); ++row)
        convolve_row(divided, from + row * width, inputs[filter], to + row * width);
    }
    rows.values = &after;
    // From the last rank to the first, as the variant in-turn does.
    for (rows.rank = rows.ranks - 1; rows.rank >= 0 && !is_last; --rows.rank)
      for (std::size_t y = 0; y < rows.halo; ++y) {
        rule.upper(rows, y);
        rule.lower(rows, y);
      }
  }
}

}  // namespace

std::vector<TypicalResult> wrong_halos(const DividedImage& divided) {
  std::vector<TypicalResult> all;
  if (divided.steps < 2 || divided.side < 3) return all;
  for (const Rule& rule : rules)
    all.push_back({rule.pattern, rule.text,
                   [=](const Inputs& inputs, Outputs& outputs) { compute(divided, rule, inputs, outputs); }});
  return all;
}

}  // namespace gpulab::lessons::halo_exchange
