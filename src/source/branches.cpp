#include "source/branches.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "source/statements.hpp"

namespace gpulab::source {
namespace {

// Returns the initial value in the variable's last declaration before a token; empty if there is none.
TokenRange initial_value(const Code& code, std::string_view name, std::size_t token) {
  for (std::size_t i = token; i-- > 1;)
    if (code.text(i) == name && code.text(i + 1) == "=" && code.text(i + 2) != "=" &&
        (code.is_word(i - 1) || code.text(i - 1) == ","))
      return {i + 2, end_of_value(code, i + 2)};
  return {};
}

// Returns whether the value has threadIdx in it, or in the initial values of its variables.
bool depends_on_thread(const Code& code, const TokenRange& value, int depth = 0) {
  constexpr int max_depth = 4;
  if (code.has("threadIdx", value)) return true;
  for (std::size_t i = value.begin; depth < max_depth && i < value.end; ++i)
    if (code.is_word(i) && depends_on_thread(code, initial_value(code, code.text(i), i), depth + 1))
      return true;
  return false;
}

enum class Index { none, thread, warp };

// Returns what the expression counts: threads, as t = threadIdx.x, or warps, as t / 32. A lane's number is
// neither.
Index index_in(const Code& code, const TokenRange& value, int depth = 0) {
  constexpr int max_depth = 4;
  const bool is_divided = code.has("/", value) || code.has(">", value);  // t / 32, t >> 5
  const bool may_be_lane_or_row = code.has("%", value) || code.has("&", value) || code.has("y", value);
  if (may_be_lane_or_row) return Index::none;
  for (std::size_t i = value.begin; depth < max_depth && i < value.end; ++i) {
    if (!code.is_word(i)) continue;
    const Index index = code.text(i) == "threadIdx"
                            ? Index::thread
                            : index_in(code, initial_value(code, code.text(i), i), depth + 1);
    if (index == Index::thread) return is_divided ? Index::warp : Index::thread;
    if (index == Index::warp) return value.end == value.begin + 1 ? Index::warp : Index::none;
  }
  return Index::none;
}

// Returns whether the value is at most the number of lanes of a warp: 32, warpSize, WARP_SIZE.
bool is_within_warp(const Code& code, const TokenRange& value) {
  if (value.end != value.begin + 1) return false;
  std::string text(code.text(value.begin));
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (code[value.begin].kind == TokenKind::number)
    return text.size() == 1 || (text.size() == 2 && text <= "32");
  return text.find("warp") != std::string::npos && text.find("size") != std::string::npos;
}

// Returns whether at most one warp meets a comparison such as t < 32, warp == 0, or its opposite.
bool limits_to_warp(const Code& code, const TokenRange& condition, bool is_opposite) {
  if (condition.end == condition.begin + 2 && code.text(condition.begin) == "!" && !is_opposite)
    return index_in(code, {condition.begin + 1, condition.end}) != Index::none;
  for (std::size_t i = condition.begin + 1; i + 1 < condition.end; ++i) {
    const std::string_view symbol = code.text(i), next = code.text(i + 1);
    const bool is_equality = symbol == "=" || symbol == "!";
    if (!is_equality && !compares(code, i)) continue;
    const bool ends_with_equals = next == "=";  // ==, !=, <=, >=
    const TokenRange left{condition.begin, i}, right{ends_with_equals ? i + 2 : i + 1, condition.end};
    const Index index = index_in(code, left);
    if (is_equality) return ends_with_equals && index != Index::none && (symbol == "!") == is_opposite;
    // t <= 32, and the opposite of t > 32, admit a thread of the second warp.
    const bool is_below = ends_with_equals == is_opposite ||
                          (code[right.begin].kind == TokenKind::number && code.text(right.begin) != "32");
    return index == Index::thread && (symbol == ">") == is_opposite && is_below &&
           is_within_warp(code, right);
  }
  return false;
}

// Returns the threads that meet the condition, or its opposite. In a && b, one condition that admits a single
// warp is enough.
Arrivals threads_that_enter(const Code& code, const TokenRange& condition, bool is_opposite) {
  if (!depends_on_thread(code, condition)) return Arrivals::all;
  const std::string_view joint = is_opposite ? "||" : "&&", alternative = is_opposite ? "&&" : "||";
  std::size_t begin = condition.begin;
  for (std::size_t i = condition.begin; i < condition.end; ++i) {
    if (is_operation(code, i, alternative)) return Arrivals::some;
    if (!is_operation(code, i, joint)) continue;
    if (limits_to_warp(code, {begin, i}, is_opposite)) return Arrivals::one_warp;
    begin = i + 2;
    ++i;
  }
  return limits_to_warp(code, {begin, condition.end}, is_opposite) ? Arrivals::one_warp : Arrivals::some;
}

// Returns the closing brace of the block around a token.
std::size_t end_of_block(const Code& code, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    if (code.text(i) == "}" && code.matching(i) < i)
      i = code.matching(i);
    else if (code.text(i) == "{" && code.matching(i) > at)
      return code.matching(i);
  }
  return code.size();
}

// Returns whether blocks have rows of threads, by the use of threadIdx.y.
bool has_rows(const Code& code) {
  for (std::size_t i = 0; i + 2 < code.size(); ++i)
    if (code.text(i) == "threadIdx" && code.text(i + 2) == "y") return true;
  return false;
}

// Returns whether the line is a whole if statement whose body one warp enters.
bool is_if_of_one_warp(const Code& code, int line) {
  const std::size_t first = code.first_from_line(line);
  if (code.text(first) != "if" || code.text(first + 1) != "(") return false;
  const std::size_t body = code.after_bracket(first + 1);
  return end_of_statement(code, body) == code.first_from_line(line + 1) &&
         threads_that_enter(code, {first + 2, code.matching(first + 1)}, /*is_opposite=*/false) ==
             Arrivals::one_warp;
}

}  // namespace

Branch branch_around(const Code& code, int line, int other_line) {
  const std::size_t first = code.first_from_line(std::min(line, other_line)),
                    last = code.first_from_line(std::max(line, other_line));
  Branch strictest;
  if (line == other_line && is_if_of_one_warp(code, line)) strictest = {Arrivals::one_warp, line};
  for (std::size_t i = 0; i < first; ++i) {
    const bool is_if = code.text(i) == "if", is_loop = is_one_of(code.text(i), {"while", "for"});
    if ((!is_if && !is_loop) || code.text(i + 1) != "(") continue;
    const TokenRange condition{i + 2, code.matching(i + 1)};
    const std::size_t body = code.after_bracket(i + 1), end = end_of_statement(code, body);
    const std::size_t begin_of_body = code.text(body) == "{" ? body + 1 : body;
    Arrivals arrivals = Arrivals::all;
    if (body <= first && last < end)
      arrivals = is_loop && depends_on_thread(code, condition)
                     ? Arrivals::some
                     : threads_that_enter(code, condition, /*is_opposite=*/false);
    else if (is_if && end <= first && code.text(end) == "else" && end_of_statement(code, end + 1) > last)
      arrivals = threads_that_enter(code, condition, /*is_opposite=*/true);
    else if (is_if && end <= first && code.text(begin_of_body) == "return" && end_of_block(code, i) > last)
      arrivals = threads_that_enter(code, condition, /*is_opposite=*/true);
    if (arrivals > strictest.arrivals) strictest = {arrivals, code[i].line};
  }
  // Where blocks have rows of threads, threadIdx.x < 32 may hold in every warp.
  if (strictest.arrivals == Arrivals::one_warp && has_rows(code)) strictest.arrivals = Arrivals::some;
  return strictest;
}

namespace {

// Returns whether the block's barrier there stands alone under a condition that may change: with the
// iterations, if it is in a loop.
bool is_conditional(const Code& code, std::size_t barrier) {
  const bool has_brace = code.text(barrier - 1) == "{" && code.text(barrier + 4) == "}";
  const std::size_t end = has_brace ? barrier - 2 : barrier - 1;
  const std::vector<Loop> loops = loops_around(code, {code[barrier].line});
  for (std::size_t at = 0; at < end; ++at) {
    if (code.text(at) != "if" || code.text(at + 1) != "(" || code.matching(at + 1) != end) continue;
    bool varies = loops.empty();
    for (const Loop& loop : loops)
      for (std::size_t word = at + 2; word < end; ++word)
        varies |= code.is_word(word) && has_word(code, code.text(word), loop.condition, loop.condition_end);
    return varies;
  }
  return false;
}

}  // namespace

std::vector<int> conditional_barriers(const Code& code, int first, int last) {
  std::vector<int> between, around;
  bool is_passed = false, is_passed_around = false;  // without a condition
  const std::vector<Loop> loops = loops_around(code, {first, last});
  const std::size_t begin = code.first_from_line(first), end = code.first_from_line(last);
  for (std::size_t i = loops.empty() ? begin : loops.back().begin;
       i < (loops.empty() ? end : loops.back().end); ++i) {
    if (code.text(i) != "__syncthreads") continue;
    const bool is_between = begin < i && i < end;
    if (is_conditional(code, i))
      (is_between ? between : around).push_back(code[i].line);
    else
      (is_between ? is_passed : is_passed_around) = true;
  }
  if (is_passed) between.clear();
  if (!is_passed_around && (is_passed || !between.empty()))
    between.insert(between.end(), around.begin(), around.end());
  return between;
}

int last_access_between(const Code& code, std::string_view variable, int first, int last) {
  const std::size_t end = code.first_from_line(last);
  const std::vector<Loop> loops = loops_around(code, {first, last});
  for (std::size_t i = end; i-- > code.first_from_line(first + 1) && !variable.empty();) {
    // A block that ends on the way may be a branch, or a loop with barriers of its own.
    const std::size_t block = code.text(i) == "}" ? code.matching(i) : 0;
    const std::size_t condition = block > 0 && code.text(block - 1) == ")" ? code.matching(block - 1) : 0;
    const bool is_branch = condition > 0 && code.text(condition - 1) == "if" &&
                           code.text(condition - 2) != "else" && !has_word(code, "__syncthreads", block, i);
    if (is_branch && has_word(code, variable, block, i)) return code[i].line;
    if (is_one_of(code.text(i), {"}", "else"})) return 0;
    if (code.text(i) != variable) continue;
    const int line = code[i].line;
    const bool is_alike = loops_around(code, {line, last}).size() == loops.size() &&
                          branch_around(code, line, last).line == branch_around(code, first, last).line;
    return is_alike ? line : 0;
  }
  return 0;
}

namespace {

// An element that a line reads or stores: a[i].
struct Element {
  std::string text;
  TokenRange index;
};

std::vector<Element> elements_in(const Code& code, const TokenRange& range, bool is_stored) {
  std::vector<Element> elements;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!code.is_word(i) || code.text(i + 1) != "[") continue;
    const std::size_t end = end_of_element(code, i);
    if ((use_at(code, i) == VariableUse::read) != is_stored)
      elements.push_back({in_one_line(code, i, end), {i + 1, end}});
  }
  return elements;
}

bool is_among(const std::vector<Element>& elements, const Element& element) {
  return std::ranges::any_of(elements, [&](const Element& other) { return other.text == element.text; });
}

}  // namespace

bool stores_what_it_reads(const Code& code, int line_of_read, int line_of_store) {
  const std::vector<Element> read = elements_in(code, code.line(line_of_read), /*is_stored=*/false),
                             stored = elements_in(code, code.line(line_of_store), /*is_stored=*/true);
  return !read.empty() && elements_in(code, code.line(line_of_read), /*is_stored=*/true).empty() &&
         std::ranges::all_of(read, [&](const Element& element) {
           return is_among(stored, element) && depends_on_thread(code, element.index);
         });
}

namespace {

// Returns whether the line is in an if of the loop whose condition compares all elements that the if stores.
bool is_in_exchange(const Code& code, const Loop& loop, int line) {
  for (std::size_t i = loop.begin; i < loop.end; ++i) {
    if (code.text(i) != "if" || !lines_of_statement(code, i).has(line)) continue;
    const std::size_t body = code.after_bracket(i + 1);
    const std::string condition = in_one_line(code, i, body);
    const auto stored = elements_in(code, {body, end_of_statement(code, i)}, /*is_stored=*/true);
    if (stored.size() > 1 && std::ranges::all_of(stored, [&](const Element& element) {
          return condition.find(element.text) != std::string::npos && depends_on_thread(code, element.index);
        }))
      return true;
  }
  return false;
}

}  // namespace

std::optional<Loop> loop_of_exchanges(const Code& code, int first, int last) {
  const std::vector<Loop> loops = loops_around(code, {first});
  if (loops.empty() || !is_in_exchange(code, loops.back(), first)) return std::nullopt;
  const Loop& loop = loops.back();
  for (std::size_t i = loop.begin; i < loop.end; ++i)
    if (is_one_of(code.text(i), {"__syncthreads", "__syncwarp", "break", "continue", "return"}))
      return std::nullopt;
  const bool is_of_all = branch_around(code, loop.lines.first, loop.lines.last).arrivals == Arrivals::all &&
                         !depends_on_thread(code, {loop.condition, loop.condition_end});
  return is_of_all && (!loop.lines.has(last) || is_in_exchange(code, loop, last)) ? std::optional(loop)
                                                                                  : std::nullopt;
}

bool are_in_place_steps(const Code& code, int line, int other_line) {
  const std::vector<Element> stored = elements_in(code, code.line(line), /*is_stored=*/true),
                             other = elements_in(code, code.line(other_line), /*is_stored=*/true);
  return has_two_elements(code, line) && has_two_elements(code, other_line) &&
         std::ranges::any_of(stored, [&](const Element& element) { return is_among(other, element); });
}

namespace {

bool has_parity(const Code& code, const TokenRange& value, int depth = 0) {
  constexpr int max_depth = 2;
  for (std::size_t i = value.begin; i < value.end; ++i) {
    if (code.text(i) == "%" && code.text(i + 1) == "2") return true;
    if (code.text(i) == "&" && code.text(i + 1) == "1" && code.text(i - 1) != "&") return true;
    if (depth < max_depth && code.is_word(i) &&
        has_parity(code, initial_value(code, code.text(i), i), depth + 1))
      return true;
  }
  return false;
}

}  // namespace

bool has_index_of_thread(const Code& code, int line) {
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i)
    if (code.text(i) == "[" && depends_on_thread(code, {i + 1, code.matching(i)})) return true;
  return false;
}

int parity_branch(const Code& code, int line) {
  const std::size_t last = code.first_from_line(line + 1);
  if (loops_around(code, {line}).empty()) return 0;
  for (std::size_t i = last; i-- > 1;)
    if (code.text(i - 1) == "if" && code.text(i) == "(" && code.after_bracket(i) < last &&
        end_of_statement(code, code.after_bracket(i)) >= last && has_parity(code, {i + 1, code.matching(i)}))
      return code[i].line;
  return 0;
}

std::string pointer_in_both(const Code& code, int line, int other_line) {
  const auto [begin, end] = code.line(other_line);
  std::string found;
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i) {
    if (!code.is_word(i) || !is_pointer_parameter(code, code.text(i)) ||
        !has_word(code, code.text(i), begin, end))
      continue;
    const auto is_set = [&](std::size_t at) { return use_at(code, at) <= VariableUse::changed; };
    const bool is_stored =
        is_set(i) || std::ranges::any_of(uses_between(code, code.text(i), begin, end), is_set);
    if (is_stored || found.empty()) found = code.text(i);
    if (is_stored) break;
  }
  return found;
}

bool stores_at(const Code& code, int line, std::string_view variable) {
  return std::ranges::any_of(elements_in(code, code.line(line), /*is_stored=*/true),
                             [&](const Element& element) {
                               return has_word(code, variable, element.index.begin, element.index.end);
                             });
}

bool stores_at_result(const Code& code, int line, int line_of_call) {
  for (auto [i, end] = code.line(line_of_call); i < end; ++i) {
    const std::string_view before = code.text(i - 1), behind = code.text(i + 1);
    if (i > 0 && code.is_word(i) && (before == "(" || before == ",") && (behind == ")" || behind == ",") &&
        stores_at(code, line, code.text(i)))
      return true;
  }
  return false;
}

bool stores_at_element(const Code& code, int line) {
  return std::ranges::any_of(elements_in(code, code.line(line), /*is_stored=*/true),
                             [&](const Element& element) {
                               return code.has("[", {element.index.begin + 1, element.index.end});
                             });
}

bool may_mean_other_buffer(const Code& code, int line_of_read, int line_of_store) {
  const std::vector<Element> read = elements_in(code, code.line(line_of_read), /*is_stored=*/false);
  return line_of_read < line_of_store &&
         std::ranges::any_of(
             elements_in(code, code.line(line_of_store), /*is_stored=*/true), [&](const Element& stored) {
               return has_parity(code, stored.index) && std::ranges::any_of(read, [&](const Element& loaded) {
                        return code.text(loaded.index.begin - 1) == code.text(stored.index.begin - 1);
                      });
             });
}

namespace {

// Returns whether the value may differ between the lanes of a warp. A quotient counts as equal in all lanes,
// since it may be the warp's number.
bool differs_between_lanes(const Code& code, const TokenRange& value, int depth = 0) {
  constexpr int max_depth = 4;
  bool differs = false;
  for (std::size_t i = value.begin; depth < max_depth && i < value.end; ++i) {
    if (code.text(i) == "/" || is_operation(code, i, ">>")) return false;
    if (code.text(i) == "threadIdx")
      differs |= code.text(i + 2) == "x";
    else if (!differs && code.is_word(i))
      differs = differs_between_lanes(code, initial_value(code, code.text(i), i), depth + 1);
  }
  return differs;
}

// Returns whether lanes of one warp may disagree about the condition.
bool is_divergent(const Code& code, const TokenRange& condition) {
  return differs_between_lanes(code, condition) &&
         threads_that_enter(code, condition, /*is_opposite=*/false) == Arrivals::some;
}

int innermost_divergent_branch(const Code& code, std::size_t begin, std::size_t at) {
  int line = 0;
  for (std::size_t i = begin; i < at; ++i) {
    if (!is_one_of(code.text(i), {"if", "for", "while"}) || code.text(i + 1) != "(") continue;
    const std::size_t body = code.after_bracket(i + 1);
    if (body <= at && at < end_of_statement(code, body) && is_divergent(code, {i + 2, body - 1}))
      line = code[i].line;
  }
  return line;
}

}  // namespace

DivergentShuffle shuffle_in_branch(const Code& code, const LineRange& kernel, std::string_view helper) {
  const std::size_t begin = code.first_from_line(kernel.first);
  for (std::size_t i = begin; i < code.size() && code[i].line <= kernel.last; ++i) {
    const bool is_call = !helper.empty() && code.text(i) == helper && code.text(i + 1) == "(";
    if (!is_call && !is_full_shuffle(code, i)) continue;
    if (const int branch = innermost_divergent_branch(code, begin, i); branch > 0)
      return {branch, code[i].line};
  }
  return {};
}

bool is_full_shuffle(const Code& code, std::size_t at) {
  return code.text(at).starts_with("__shfl") && code.text(at + 1) == "(" && at + 2 < code.size() &&
         code[at + 2].kind == TokenKind::number && code.text(at + 3) == ",";
}

namespace {

bool is_grid_group(const Code& code, std::size_t at) {
  const TokenRange value{at + 2, end_of_value(code, at + 2)};
  return code.is_word(at) &&
         (code.text(at - 1) == "grid_group" || (code.text(at + 1) == "=" && code.has("this_grid", value)));
}

}  // namespace

std::string grid_group(const Code& code, int line) {
  for (std::size_t i = code.first_from_line(line); i-- > 1 && code.text(i) != "__global__";)
    if (is_grid_group(code, i)) return std::string(code.text(i));
  return "";
}

std::optional<Loop> loop_that_swaps(const Code& code, int line) {
  const std::vector<Loop> loops = loops_around(code, {line});
  std::vector<std::string_view> arrays;
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i)
    if (code.is_word(i) && code.text(i + 1) == "[") arrays.push_back(code.text(i));
  const auto is_array = [&](std::size_t at) {
    return std::ranges::find(arrays, code.text(at)) != arrays.end();
  };
  for (const Loop& loop : loops)
    for (std::size_t i = loop.begin; i < loop.end; ++i) {
      const bool is_assigned = code.text(i + 1) == "=" && code.is_word(i + 2) && code.text(i + 3) == ";" &&
                               code.text(i - 1) != "*";
      const bool is_swapped =
          code.text(i - 2) == "swap" && code.text(i - 1) == "(" && code.text(i + 1) == ",";
      if ((is_assigned || is_swapped) && is_array(i)) return loop;
    }
  return std::nullopt;
}

std::vector<GridBarrier> grid_barriers(const Code& code) {
  std::vector<std::string_view> grids;
  std::vector<GridBarrier> barriers;
  for (std::size_t i = 1; i + 3 < code.size(); ++i) {
    if (is_grid_group(code, i)) grids.push_back(code.text(i));
    if (code.text(i + 1) == "." && code.text(i + 2) == "sync" && code.text(i + 3) == "(" &&
        std::ranges::find(grids, code.text(i)) != grids.end())
      barriers.push_back({code[i].line, std::string(code.text(i)) + ".sync();"});
  }
  return barriers;
}

}  // namespace gpulab::source
