#include "multi_gpu/wrong_divisions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "lesson/problem.hpp"
#include "multi_gpu/counting.hpp"

namespace gpulab::lessons::multi_gpu {
namespace {

// With more ranks, mistakes of one rank alone are not tried.
constexpr int max_ranks_tried_alone = 16;

class Divisions {
 public:
  Divisions(std::size_t size, int ranks, bool only_some_ranks)
      : size_(size), ranks_(ranks), only_some_ranks_(only_some_ranks) {}

  // Elements that each rank counts instead of its own.
  using Counted = std::function<Share(int rank, const Share& own)>;

  // Adds a mistake where each rank counts `length` elements from its first one on.
  void add_length(const std::string& pattern, const std::string& what,
                  const std::function<std::int64_t(int rank, const Share& own)>& length) {
    add(pattern, what, [=, size = size_](int rank, const Share& own) {
      const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, length(rank, own)));
      return Share{own.first, std::min(count, size - own.first)};
    });
  }

  void add(const std::string& pattern, const std::string& what, const Counted& counted) {
    const auto rank = first_wrong(counted);
    if (!rank) return;
    all_.push_back(
        {pattern, what + difference(*rank, counted),
         [=, size = size_, ranks = ranks_, some = only_some_ranks_](const Inputs& inputs, Outputs& outputs) {
           const auto counted_values = outputs[counts];
           std::ranges::fill(counted_values, 0);
           for (int r = 0; r < ranks; ++r) {
             if (!does_its_part(size, r, ranks, some)) continue;
             const Share share = counted(r, share_of(size, r, ranks));
             for (const int value : inputs[input].subspan(share.first, share.count))
               ++counted_values[static_cast<std::size_t>(value)];
           }
         }});
  }

  std::vector<TypicalResult> all() { return std::move(all_); }

 private:
  Share own(int rank) const { return share_of(size_, rank, ranks_); }

  std::optional<int> first_wrong(const Counted& counted) const {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (!does_its_part(size_, rank, ranks_, only_some_ranks_)) continue;
      const Share right = own(rank), wrong = counted(rank, right);
      if (wrong.count != right.count || (wrong.first != right.first && wrong.count > 0)) return rank;
    }
    return std::nullopt;
  }

  static std::string range(const Share& share) {
    if (share.count == 0) return "no element";
    if (share.count == 1) return "element " + std::to_string(share.first);
    return "elements " + std::to_string(share.first) + " to " + std::to_string(share.end() - 1);
  }

  std::string difference(int rank, const Counted& counted) const {
    return "rank " + std::to_string(rank) + " of " + std::to_string(ranks_) + " counts " +
           range(counted(rank, own(rank))) + " and should count " + range(own(rank));
  }

  const std::size_t size_;
  const int ranks_;
  const bool only_some_ranks_;
  std::vector<TypicalResult> all_ = {};
};

// Adds the mistakes that all ranks make alike.
void add_rules(Divisions& divisions, std::size_t size, int ranks) {
  const auto n = static_cast<std::int64_t>(size);
  const auto rounded_up = (n + ranks - 1) / ranks;
  divisions.add_length("remainder",
                       "every rank counts size / ranks elements, and nobody those that are left over: ",
                       [=](int, const Share&) { return n / ranks; });
  divisions.add_length(
      "parts-overlap",
      "every rank counts size / ranks elements, rounded up, and so some of its neighbour's: ",
      [=](int, const Share&) { return rounded_up; });
  divisions.add_length("parts-overlap",
                       "every rank counts size / ranks elements, rounded up, and the last one the rest: ",
                       [=](int rank, const Share&) { return std::min(rounded_up, n - rank * rounded_up); });
  divisions.add_length(
      "parts-overlap",
      "every rank counts size / ranks elements, and each of the first ranks one more, until none is left over: ",
      [=](int rank, const Share&) { return n / ranks + (rank < n % ranks ? 1 : 0); });
  const auto in_float = [=](int rank) {
    return static_cast<std::int64_t>(static_cast<float>(n) * static_cast<float>(rank) /
                                     static_cast<float>(ranks));
  };
  divisions.add_length("type-limit",
                       "the parts are computed in float, which does not hold every whole number above 2^24: ",
                       [=](int rank, const Share&) { return in_float(rank + 1) - in_float(rank); });
  divisions.add_length(
      "remainder",
      "every rank counts as many elements as the one before it should: ", [=](int rank, const Share&) {
        return rank == 0 ? n / ranks : static_cast<std::int64_t>(share_of(size, rank - 1, ranks).count);
      });
  // An int overflows here as it does on a GPU.
  const auto wrapped = [=](std::int64_t rank) { return static_cast<std::int32_t>(n * rank) / ranks; };
  divisions.add_length(
      "int-overflow",
      "size * rank is more than an int holds, so a rank with a high number has another part: ",
      [=](int rank, const Share&) { return std::int64_t{wrapped(rank + 1)} - wrapped(rank); });
  const auto wrapped_unsigned = [=](std::int64_t rank) {
    return std::int64_t{static_cast<std::uint32_t>(n * rank)} / ranks;
  };
  divisions.add_length(
      "int-overflow",
      "size * rank is more than an unsigned int holds, so a rank with a high number has another part: ",
      [=](int rank, const Share&) { return wrapped_unsigned(rank + 1) - wrapped_unsigned(rank); });
  divisions.add_length("part-of-rank", "every rank leaves out its last element: ", [](int, const Share& own) {
    return static_cast<std::int64_t>(own.count) - 1;
  });
  divisions.add("part-of-rank", "every rank leaves out its first element: ", [](int, const Share& own) {
    return own.count == 0 ? own : Share{own.first + 1, own.count - 1};
  });
  divisions.add("part-of-rank", "only the elements of rank 0 are counted: ", [](int rank, const Share& own) {
    return rank == 0 ? own : Share{own.first, 0};
  });
  divisions.add("part-of-rank",
                "only the elements of the last rank are counted: ", [=](int rank, const Share& own) {
                  return rank == ranks - 1 ? own : Share{own.first, 0};
                });
  divisions.add("part-of-rank", "the elements of rank 0 are not counted: ", [](int rank, const Share& own) {
    return rank == 0 ? Share{own.first, 0} : own;
  });
}

// Adds the mistakes of one rank alone.
void add_mistakes_of_rank(Divisions& divisions, int wrong_rank) {
  const auto changed = [wrong_rank](std::int64_t by) {
    return [=](int rank, const Share& own) {
      return static_cast<std::int64_t>(own.count) + (rank == wrong_rank ? by : 0);
    };
  };
  divisions.add_length("part-of-rank", "one rank leaves out its last element: ", changed(-1));
  divisions.add_length("parts-overlap", "one rank counts an element of the next rank, too: ", changed(1));
  divisions.add("part-of-rank", "one rank counts nothing: ", [wrong_rank](int rank, const Share& own) {
    return rank == wrong_rank ? Share{own.first, 0} : own;
  });
}

}  // namespace

std::vector<TypicalResult> wrong_divisions(std::size_t size, int ranks, bool only_some_ranks) {
  Divisions divisions(size, ranks, only_some_ranks);
  add_rules(divisions, size, ranks);
  for (int rank = 0; rank < ranks && ranks <= max_ranks_tried_alone; ++rank)
    add_mistakes_of_rank(divisions, rank);
  return divisions.all();
}

}  // namespace gpulab::lessons::multi_gpu
