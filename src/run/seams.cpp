#include "run/seams.hpp"

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "validate/comparison.hpp"

namespace gpulab::run {
namespace {

bool is_row_wrong(const Array& output, const Array& expected, std::size_t width, std::size_t row,
                  const Tolerance& tolerance) {
  for (std::size_t i = row * width; i < (row + 1) * width; ++i)
    if (!validate::is_close(value_of(output, i), value_of(expected, i), tolerance)) return true;
  return false;
}

std::string rows(const char* which, std::size_t count) {
  return std::string(which) + (count == 1 ? " row" : " " + grouped(count) + " rows");
}

// The rows that are wrong, of one part.
struct WrongRows {
  std::size_t first = 0, last = 0, in_between = 0, all = 0;
};

WrongRows wrong_rows(const Array& output, const Array& expected, const HeldPart& part,
                     const Tolerance& tolerance) {
  WrongRows wrong{.all = part.held.count / part.width};
  std::vector<bool> is_wrong;
  for (std::size_t row = 0; row < wrong.all; ++row)
    is_wrong.push_back(
        is_row_wrong(output, expected, part.width, part.held.first / part.width + row, tolerance));
  const auto first_right = std::ranges::find(is_wrong, false);
  wrong.first = static_cast<std::size_t>(first_right - is_wrong.begin());
  if (first_right == is_wrong.end()) return wrong;
  while (is_wrong[wrong.all - 1 - wrong.last]) ++wrong.last;
  wrong.in_between = static_cast<std::size_t>(std::ranges::count(is_wrong, true)) - wrong.first - wrong.last;
  return wrong;
}

std::string text_of(const WrongRows& wrong) {
  const std::string first = rows("the first", wrong.first), last = rows("the last", wrong.last);
  return wrong.last == 0 ? first : wrong.first == 0 ? last : first + " and " + last;
}

}  // namespace

std::string wrong_edges(const Array& output, const Array& expected, const HeldPart& part,
                        const Tolerance& tolerance) {
  if (part.width == 0) return {};
  const WrongRows wrong = wrong_rows(output, expected, part, tolerance);
  const std::size_t at_edges = wrong.first + wrong.last;
  return wrong.in_between > 0 || at_edges == 0 || at_edges == wrong.all ? "" : text_of(wrong);
}

std::string wrong_edges_of_ranks(const Problem& problem, const Array& output, const Array& expected,
                                 const Tolerance& tolerance) {
  if (!problem.part || problem.ranks_in_turn < 2) return {};
  struct AtRanks {
    std::string where;
    int first = 0, last = 0;
  };
  std::vector<AtRanks> all;
  for (int rank = 0; rank < problem.ranks_in_turn; ++rank)
    for (const HeldPart& part : problem.part(rank, problem.ranks_in_turn).arrays) {
      if (!part.array.names(output.name()) || part.width == 0) continue;
      const WrongRows wrong = wrong_rows(output, expected, part, tolerance);
      const std::size_t at_edges = wrong.first + wrong.last;
      if (wrong.in_between > 0 || (at_edges == wrong.all && wrong.all > 0)) return {};
      if (at_edges == 0) continue;
      if (!all.empty() && all.back().where == text_of(wrong) && all.back().last + 1 == rank)
        all.back().last = rank;
      else
        all.push_back({text_of(wrong), rank, rank});
    }
  constexpr std::size_t told = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(told, all.size()); ++i) {
    const auto& [where, first, last] = all[i];
    text +=
        (i == 0 ? "" : ", ") + where + (first == last ? " of rank " : " of ranks ") + std::to_string(first);
    if (first < last) text += (first + 1 == last ? " and " : " to ") + std::to_string(last);
  }
  return all.size() > told ? text + ", and so on" : text;
}

}  // namespace gpulab::run
