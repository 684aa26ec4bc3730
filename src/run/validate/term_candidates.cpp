#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <string>

#include "base/text.hpp"
#include "run/validate/candidates.hpp"

namespace gpulab::run::validate {
namespace {

// Computes sums in which some of the right terms are left out, or added more than once.
class TermCandidates {
 public:
  TermCandidates(const WrongResult& result, BestExplanation& best) : result_(result), best_(best) {}

  void add_all() const {
    add_without_ends();
    add_without_ends_of_blocks();
    add_without_rows();
    add_first_terms();
    add_last_terms();
    add_all_twice();
    if (threads_ >= 2 * block_) add_undivided_grid();
  }

 private:
  // Adds the sum in which term i is added times(i) times.
  void add(const std::string& pattern, const std::string& which,
           const std::function<double(std::size_t)>& times, const std::string& reason = "") const {
    best_.add(
        pattern, "what comes out " + which,
        [&](Outputs& outputs) { result_.problem.terms.compute(result_.inputs, times, outputs); },
        Scope::wrong_ones, reason);
  }

  void add_without(const std::string& which, const std::function<bool(std::size_t)>& left_out) const {
    add("skipped-elements", "without " + which, [&](std::size_t i) { return left_out(i) ? 0.0 : 1.0; });
  }

  void add_only_last(std::size_t length, const std::string& why) const {
    if (length == 0 || length >= count_) return;
    add(
        "skipped-elements",
        fmt::format("of the last {} of {} {} alone", grouped(length), grouped(count_), terms_),
        [&](std::size_t i) { return i + length >= count_ ? 1.0 : 0.0; }, why);
  }

  void add_only_first(std::size_t length, const std::string& why) const {
    if (length == 0 || length >= count_) return;
    add(
        "skipped-elements",
        fmt::format("of the first {} of {} {} alone", grouped(length), grouped(count_), terms_),
        [&](std::size_t i) { return i < length ? 1.0 : 0.0; }, why);
  }

  void add_without_ends() const {
    const std::size_t last = count_ - 1;
    add_without("the last " + term_, [&](std::size_t i) { return i == last; });
    add_without("the first " + term_, [&](std::size_t i) { return i == 0; });
    add_without("the first and the last " + term_, [&](std::size_t i) { return i == 0 || i == last; });
    add_without("the " + terms_ + " with an odd index", [&](std::size_t i) { return i % 2 == 1; });
    add_without("the " + terms_ + " with an even index", [&](std::size_t i) { return i % 2 == 0; });
  }

  void add_without_ends_of_blocks() const {
    const std::string block = grouped(block_);
    if (count_ > block_ && has_blocks_) {
      add_without(fmt::format("the last {} of every block of {}", term_, block),
                  [&](std::size_t i) { return i % block_ == block_ - 1; });
      add_without(fmt::format("the first {} of every block of {}", term_, block),
                  [&](std::size_t i) { return i % block_ == 0; });
      if (block_ > 32)
        add_without(fmt::format("the {} beyond the first 32 of every block of {}", terms_, block),
                    [&](std::size_t i) { return i % block_ >= 32; });
      add_without("the " + terms_ + " of block 0", [&](std::size_t i) { return i < block_; });
    }
    if (count_ > 32) {
      add_without("the last " + term_ + " of every 32", [&](std::size_t i) { return i % 32 == 31; });
      add_without("the first " + term_ + " of every 32", [&](std::size_t i) { return i % 32 == 0; });
    }
    add_without("the second half of every block of " + block,
                [&](std::size_t i) { return i % block_ >= block_ - block_ / 2; });
  }

  void add_without_rows() const {
    if (row_length_ < 2 || row_length_ >= count_) return;
    add_without("the first row of " + terms_, [&](std::size_t i) { return i < row_length_; });
    add_without("the last row of " + terms_, [&](std::size_t i) { return i >= count_ - row_length_; });
    add_without("the first column of " + terms_, [&](std::size_t i) { return i % row_length_ == 0; });
    add_without("the last column of " + terms_,
                [&](std::size_t i) { return i % row_length_ == row_length_ - 1; });
  }

  void add_first_terms() const {
    add_only_first(block_, has_blocks_ ? ": those of block 0" : "");
    add_only_first(block_ / 2, ": half a block");
    for (std::size_t step = 1; step <= 16; ++step)
      add_only_first(step * threads_,
                     step == 1 ? ": one for every thread" : ": " + grouped(step) + " for every thread");
    for (const std::size_t unit :
         {block_, std::size_t{32}, std::size_t{16}, std::size_t{8}, std::size_t{4}, std::size_t{2}})
      if (count_ > unit) add_only_first(count_ / unit * unit, ": a multiple of " + grouped(unit));
    for (std::size_t tiles = 1; tiles <= 16 && has_tiles_; ++tiles)
      add_only_first(32 * tiles,
                     fmt::format(": {}{} of 32", grouped(tiles), tiles == 1 ? " tile" : " tiles"));
    add_only_first(1, "");
  }

  void add_last_terms() const {
    if (has_tiles_) add_only_last(count_ % 32 == 0 ? 32 : count_ % 32, ": those of the last tile of 32");
    add_only_last(count_ % block_ == 0 ? block_ : count_ % block_, ": those of the last block");
    add_only_last(threads_, ": the last one of every thread");
    if (row_length_ > 1) add_only_last(row_length_, ": those of the last row");
    add_only_last(1, "");
  }

  void add_all_twice() const {
    add("counted-twice", "with the last " + term_ + " twice",
        [&](std::size_t i) { return i == count_ - 1 ? 2.0 : 1.0; });
    add("counted-twice", "with the first " + term_ + " twice",
        [&](std::size_t i) { return i == 0 ? 2.0 : 1.0; });
    add("counted-twice", "with every " + term_ + " twice", [](std::size_t) { return 2.0; });
    if (block_ > 2)
      add(
          "counted-twice", fmt::format("with every {} {} times", term_, grouped(block_)),
          [&](std::size_t) { return static_cast<double>(block_); }, ": once for every thread of a block");
  }

  // Adds results of a grid whose blocks do not divide the terms among themselves.
  void add_undivided_grid() const {
    const std::size_t blocks = threads_ / block_;
    add(
        "input-index", fmt::format("of the {} of block 0 alone, {} times", terms_, grouped(blocks)),
        [&](std::size_t i) { return i % threads_ < block_ ? static_cast<double>(blocks) : 0; },
        ": every block takes the same ones");
    add(
        "counted-twice", "with every " + term_ + " added by its own block and by all blocks before that",
        [&](std::size_t i) { return static_cast<double>(std::min(i / block_, blocks - 1) + 1); },
        ": consistent with a loop that advances by one block, not by the grid");
  }

  const WrongResult& result_;
  BestExplanation& best_;
  const std::string term_ = result_.problem.terms.name, terms_ = term_ + "s";
  // Other terms, such as taps, are those of one output's sum, and belong to no block.
  const bool has_blocks_ = term_ == "element";
  const bool has_tiles_ = result_.items.launch.block.y > 1;
  const std::size_t count_ = result_.problem.terms.count, row_length_ = result_.problem.terms.row,
                    block_ = result_.items.launch.block.volume(),
                    threads_ = std::max<std::size_t>(1, launched_threads(result_.items));
};

}  // namespace

void add_terms(const WrongResult& result, BestExplanation& best) {
  if (result.problem.terms.compute && result.problem.terms.count >= 2) TermCandidates(result, best).add_all();
}

}  // namespace gpulab::run::validate
