#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "source/branches.hpp"
#include "source/code.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

using source::Code, source::is_operation, source::lines_of_statement, source::use_at, source::uses_between;

std::string line_of(const std::string& text, int number) {
  const std::vector<std::string> lines = lines_of(text);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  const std::string& line = lines[static_cast<std::size_t>(number) - 1];
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start);
}

int column_of(const std::string& text, int number) {
  const std::vector<std::string> lines = lines_of(text);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return 1;
  const std::size_t start = lines[static_cast<std::size_t>(number) - 1].find_first_not_of(" \t");
  return start == std::string::npos ? 1 : static_cast<int>(start) + 1;
}

namespace {

std::string out_of_bounds(const Defect& defect) {
  return defect.party.access == DefectAccess::load ? "out-of-bounds-read" : "out-of-bounds-write";
}

}  // namespace

std::string pattern_of(const Defect& defect) {
  switch (defect.kind) {
    case DefectKind::missed_barrier:
      return std::string(name_of(DefectKind::divergent_barrier));
    case DefectKind::too_many_accesses:
      return std::string(name_of(DefectKind::time_limit));
    case DefectKind::shared_out_of_bounds:
      if (defect.memory.variable == "extern __shared__" && defect.address >= defect.memory.begin)
        return std::string(name_of(DefectKind::not_enough_shared));
      return out_of_bounds(defect);
    case DefectKind::out_of_bounds:
    case DefectKind::array_index:
      return out_of_bounds(defect);
    default:
      return std::string(name_of(defect.kind));
  }
}

namespace {

// Part of a line, as tokens.
struct Span {
  std::size_t begin = 0, end = 0;
};

Span tokens_of_line(const Code& code, int line) {
  const auto [first, last] = std::ranges::equal_range(code.tokens(), line, {}, &source::CodeToken::line);
  return {static_cast<std::size_t>(first - code.tokens().begin()),
          static_cast<std::size_t>(last - code.tokens().begin())};
}

// Returns the variable or array element before that token, from its name on: "counts[input[item]]". Empty if
// something else is there.
Span element_before(const Code& code, const Span& line, std::size_t at) {
  std::size_t begin = at;
  while (begin > line.begin && code.text(begin - 1) == "]" && code.matching(begin - 1) < begin)
    begin = code.matching(begin - 1);
  const bool has_name = begin > line.begin && code.is_word(begin - 1);
  return has_name ? Span{begin - 1, at} : Span{};
}

std::ptrdiff_t uses_of(std::string_view name, const Code& code, const Span& line) {
  std::ptrdiff_t uses = 0;
  for (std::size_t i = line.begin; i < line.end; ++i) uses += code.is_word(i) && code.text(i) == name;
  return uses;
}

// Returns whether an operation on that name changes an element in memory: a[i] or *p. But *p++, with a ++ or
// --, changes the pointer.
bool is_in_memory(const Code& code, std::size_t name, bool is_increment) {
  return code.text(name + 1) == "[" || (!is_increment && name > 0 && code.text(name - 1) == "*");
}

// Returns whether the line adds to the variable, or to an element of that array, and does nothing else with
// it. If the variable's name is empty, as for an array that the host has allocated, any name before [...] or
// after * counts.
bool only_adds_to(const Code& code, const Span& line, std::string_view variable) {
  for (std::size_t at = line.begin; at < line.end; ++at) {
    const bool is_increment = is_operation(code, at, "++") || is_operation(code, at, "--");
    if (!is_increment && !is_operation(code, at, "+=") && !is_operation(code, at, "-=")) continue;
    const Span element = element_before(code, line, at);
    std::size_t name = element.begin;
    if (element.end == 0) {  // ++counts[bin]
      name = at + 2;
      while (code.text(name) == "*") ++name;
    }
    if (!code.is_word(name) || uses_of(code.text(name), code, line) != 1) continue;
    if (variable.empty() ? is_in_memory(code, name, is_increment) : code.text(name) == variable) return true;
  }
  return false;
}

// Returns whether the line adds without +=, as in "counts[bin] = counts[bin] + 1": the tokens before the =
// are repeated after it, and a sign follows.
bool stores_a_sum_in(const Code& code, const Span& line, std::string_view variable) {
  for (std::size_t at = line.begin; at < line.end; ++at) {
    if (code.text(at) != "=") continue;
    const Span element = element_before(code, line, at);
    const std::size_t length = element.end - element.begin, sign = at + 1 + length;
    if (length < 2) continue;  // no element of an array
    bool is_repeated = true;
    for (std::size_t i = 0; i < length; ++i)
      is_repeated &= code.text(element.begin + i) == code.text(at + 1 + i);
    const std::string_view name = code.text(element.begin);
    if (!is_repeated || (code.text(sign) != "+" && code.text(sign) != "-")) continue;
    if (uses_of(name, code, line) == 2 && (variable.empty() || name == variable)) return true;
  }
  return false;
}

// Returns whether both threads update memory in the same line, without an atomic operation.
bool is_update(const Defect& race, const Code& code) {
  // Dynamic shared memory goes by several names, or by none.
  const std::string& shown_name = race.memory.variable;
  const bool has_name = !shown_name.empty() && std::ranges::all_of(shown_name, source::is_word_character);
  if (race.party.line != race.other->line || race.party.access == DefectAccess::atomic ||
      race.other->access == DefectAccess::atomic)
    return false;
  const Span line = tokens_of_line(code, race.party.line);
  const std::string_view variable = has_name ? shown_name : std::string_view();
  return only_adds_to(code, line, variable) || stores_a_sum_in(code, line, variable);
}

// Explains updates of one element by all threads that come to a line: sums[0] += sums[i].
std::string explain_sum_in_one_element(const Defect& race, const Code& code) {
  for (const int line : {race.party.line, race.other->line}) {
    if (race.party.line != race.other->line &&
        source::branch_around(code, line, line).arrivals == source::Arrivals::one_warp)
      continue;  // perhaps one thread
    const Span tokens = tokens_of_line(code, line);
    for (std::size_t at = tokens.begin; at < tokens.end; ++at)
      if (code.text(at) == race.memory.variable && code.text(at + 1) == "[" &&
          code[at + 2].kind == source::TokenKind::number && is_operation(code, at + 4, "+="))
        return fmt::format(
            "all threads that come to line {} add to {}: let one of them do that, or use atomicAdd()", line,
            code.text_between(at, at + 4));
  }
  return "";
}

// Returns whether the line stores to an element whose index has a product, as in row * length + column.
bool stores_by_rows(const Code& code, const Span& line) {
  const auto has_product = [&](std::size_t begin, std::size_t end) {
    while (begin < end && code.text(begin) != "*") ++begin;
    return begin < end;
  };
  for (std::size_t at = line.begin + 1; at < line.end; ++at) {
    const std::size_t end = code.matching(at);
    if (code.text(at) != "[" || code.text(end + 1) != "=" || is_operation(code, end + 1, "==")) continue;
    if (has_product(at, end)) return true;
    for (const source::LocalVariable& local : source::local_variables(code))
      if (local.name == code.text(at + 1) && end == at + 2 &&
          has_product(local.at, source::end_of_value(code, local.at)))
        return true;
  }
  return false;
}

// Returns whether both threads stored with an index such as row * length + column. As they race, they have
// computed the same index.
bool have_same_index(const Defect& race, const Code& code) {
  return race.party.access == DefectAccess::store && race.other->access == DefectAccess::store &&
         stores_by_rows(code, tokens_of_line(code, race.party.line)) &&
         stores_by_rows(code, tokens_of_line(code, race.other->line));
}

bool are_of_one_block(const Defect& race) {
  return race.party.place && race.other->place && race.party.place->block == race.other->place->block;
}

// Returns whether a value is computed only from numbers, these words, and variables that are computed in the
// same way.
bool is_computed_from(const Code& code, const Variables& variables, const std::set<std::string_view>& words,
                      Span value, int depth = 0) {
  constexpr int deepest = 3;  // longest chain of variables in each other's values
  for (std::size_t at = value.begin; at < value.end; ++at) {
    if (!code.is_word(at) || code.text(at - 1) == "." || words.contains(code.text(at))) continue;
    const source::LocalVariable* const local = initialized_variable(code, variables, at);
    if (!local || depth == deepest) return false;
    std::vector<std::size_t> values = uses_between(code, local->name, local->at + 1, local->scope_end);
    std::erase_if(values, [&](std::size_t use) { return use_at(code, use) == source::VariableUse::read; });
    values.push_back(local->at);
    for (const std::size_t set : values)
      if (!is_computed_from(code, variables, words, {set + 1, source::end_of_value(code, set + 1)},
                            depth + 1))
        return false;
  }
  return true;
}

// Returns the element that the first assignment of a line stores in, from its name on; empty if none does.
Span stored_element(const Code& code, int line) {
  const Span tokens = tokens_of_line(code, line);
  std::size_t sign = tokens.begin;
  while (sign < tokens.end && (code.text(sign) != "]" || !is_plain_assignment(code, sign + 1))) ++sign;
  return sign < tokens.end ? element_before(code, tokens, sign + 1) : Span{};
}

// Returns whether threads of a block store in the same elements of shared memory, so that one value is lost
// before any read: both indices are computed from the thread index alone, outside of loops.
bool have_overlapping_elements(const Defect& race, const Code& code) {
  const auto [first, last] = std::minmax(race.party.line, race.other->line);
  const Variables variables = source::local_variables(code);
  const Span element = stored_element(code, first);
  for (const int line : {first, last}) {
    const Span stored = stored_element(code, line);
    if (stored.end == 0 || !source::loops_around(code, {line}).empty() ||
        !is_computed_from(code, variables, {"threadIdx", "blockDim"}, {stored.begin + 2, stored.end - 1}))
      return false;
  }
  const std::size_t value = element.end + 1, last_sign = stored_element(code, last).end;
  // Threads that store the same number, such as 0, lose nothing.
  const bool is_initialization = is_computed_from(code, variables, {"blockDim", last_parameter(code)},
                                                  {value, source::end_of_value(code, value)});
  // An element that the thread itself has stored holds nothing of another thread's.
  const bool are_in_one_block =
      end_of_if_around(code, 0, element.begin) == end_of_if_around(code, 0, stored_element(code, last).begin);
  const auto is_own = [&](std::size_t at) {
    const std::string read = code.text_between(at, end_of_element(code, at));
    return are_in_one_block &&
           std::ranges::any_of(uses_between(code, code.text(at), 0, at), [&](std::size_t use) {
             return use_at(code, use) == source::VariableUse::set &&
                    code.text_between(use, end_of_element(code, use)) == read;
           });
  };
  const auto may_read_shared = [&](std::size_t at) {
    if (is_own(at)) return false;
    if (code.text(at + 1) != "[") return code.text(at) == code.text(element.begin);
    return use_at(code, at) == source::VariableUse::read &&
           !source::is_pointer_parameter(code, code.text(at));
  };
  // From the first stored value to the end of the last one.
  const std::size_t end = first == last ? value : source::end_of_value(code, last_sign);
  for (std::size_t at = value; at < end; ++at)
    if (may_read_shared(at)) return false;
  return race.kind == DefectKind::shared_race && are_of_one_block(race) && !is_initialization &&
         race.party.access == DefectAccess::store && race.other->access == DefectAccess::store;
}

// Explains stores of one line whose index is the same in all threads of a block, or in all blocks.
std::string explain_common_index(const Defect& race, const Code& code) {
  const bool are_stores =
      race.party.access == DefectAccess::store && race.other->access == DefectAccess::store;
  if (race.kind != DefectKind::global_race || race.party.line != race.other->line || !are_stores) return "";
  const Span element = stored_element(code, race.party.line), line = tokens_of_line(code, race.party.line);
  std::size_t first = line.begin;  // *sum = ...
  while (first < line.end &&
         (code.text(first) != "*" || !begins_statement(code, first) || !is_plain_assignment(code, first + 2)))
    ++first;
  if (element.end == 0 && first == line.end) return "";
  const Variables variables = source::local_variables(code);
  const Span index = element.end == 0 ? Span{} : Span{element.begin + 2, element.end - 1};
  if (are_of_one_block(race))
    return is_computed_from(code, variables, {"blockIdx", "blockDim", "gridDim"}, index)
               ? "the index does not differ from thread to thread: should each store in an element of its own, or "
                 "which thread of the block should store?"
               : "";
  return is_computed_from(code, variables, {"threadIdx", "blockDim", "gridDim"}, index)
             ? "the index does not differ from block to block, and = replaces what other blocks have stored: "
               "has each block, or each of its threads, a place of its own, or should they add, with atomicAdd()?"
             : "";
}

// Returns whether the line belongs to an if inside of the loop, so that some iterations may skip it.
bool is_conditional(const Code& code, int line, const source::LineRange& loop) {
  for (std::size_t at = 0; at < code.size() && code[at].line <= line; ++at)
    if (code[at].line >= loop.first && code.text(at) == "if" && lines_of_statement(code, at).has(line))
      return true;
  return false;
}

// Explains a race across a barrier in a loop. Both threads have passed the barrier equally often, so the
// thread whose line is above the barrier is already in the next iteration.
std::string explain_loop_race(const Defect& race, const Code& code) {
  const int mine = race.party.line, others = race.other->line, barrier = race.barrier_line;
  if (barrier == 0 || std::min(mine, others) >= barrier || std::max(mine, others) <= barrier) return "";
  const std::vector<source::Loop> loops = source::loops_around(code, {mine, others, barrier});
  if (loops.empty()) return "";
  const std::string line_before = std::to_string(std::min(mine, others)),
                    line_after = std::to_string(std::max(mine, others));
  if (is_conditional(code, barrier, loops.back().lines))
    return fmt::format(
        "the barrier in line {} does not keep them apart in every iteration: one is needed between line {} and line {}, and between line {} and line {} of the next iteration",
        barrier, line_before, line_after, line_after, line_before);
  const DefectThread& ahead = mine < others ? *race.party.place : *race.other->place;
  return fmt::format(
      "{} is already in the next iteration of the loop: nothing makes it wait after the barrier in line {}; a barrier is needed between line {} of one iteration and line {} of the next",
      text_of_thread(ahead), barrier, line_after, line_before);
}

// Explains a load and a store of one line in a loop without a barrier. Their iterations are not known, and a
// barrier may be in a function that the loop calls.
std::string explain_possible_loop_race(const Defect& race, const Code& code) {
  const std::vector<source::Loop> loops = source::loops_around(code, {race.party.line});
  const bool are_both_kinds = race.party.access != race.other->access;
  if (race.kind != DefectKind::shared_race || race.party.line != race.other->line || !are_both_kinds ||
      loops.empty())
    return "";
  const source::LineRange& lines = loops.back().lines;
  for (const source::CodeToken& token : code.tokens())
    if (token.text == "__device__" || (lines.has(token.line) && token.text.starts_with("__sync"))) return "";
  return "consistent with two iterations of the loop in line " + std::to_string(lines.first) +
         ", with no barrier between them";
}

// Returns the second element of "sums[i] += sums[i + h];" at that token; nothing if something else is there.
Span element_further_on(const Code& code, std::size_t name) {
  const std::size_t sign = code.after_bracket(name + 1);  // the += of two tokens
  const std::size_t length = sign - name, second = sign + 2, plus = second + length - 1;
  if (code.text(name + 1) != "[" || !is_operation(code, sign, "+=") || code.text(plus) != "+") return {};
  for (std::size_t i = 0; i + 1 < length; ++i)
    if (code.text(name + i) != code.text(second + i)) return {};
  const bool is_one_token = code.is_word(plus + 1) || code[plus + 1].kind == source::TokenKind::number;
  const bool ends_statement = is_one_token && code.text(plus + 2) == "]" && code.text(plus + 3) == ";";
  return ends_statement ? Span{second, plus + 3} : Span{};
}

// Explains a race in a line of a tree reduction by the condition or the index: if one of them is wrong, a
// barrier would only hide that.
std::string explain_race_in_tree(const Code& code, int line) {
  const std::vector<source::Loop> loops = source::loops_around(code, {line});
  if (loops.empty()) return "";
  std::size_t name = code.first_from_line(line), condition = code.size();
  for (std::size_t at = loops.back().begin; at < code.size() && code[at].line <= line; ++at) {
    if (code.text(at) != "if") continue;
    const std::size_t body = code.after_bracket(at + 1), first = code.text(body) == "{" ? body + 1 : body;
    if (code.text(first) == "continue")
      return fmt::format("both threads go on after 'if {}' in line {}: is the condition right?",
                         code.text_between(at + 1, body), code[at].line);
    if (lines_of_statement(code, at).has(line)) condition = at + 1;
  }
  if (condition < code.size()) name = std::max(name, code.after_bracket(condition));
  while (code.text(name) == "{") ++name;
  const Span other = element_further_on(code, name);
  if (other.end == 0) return "";
  if (condition < code.size())
    return fmt::format(
        "both threads pass 'if {}', and one reads as {} what the other one stores: is the "
        "condition right, and is that index?",
        code.text_between(condition, code.after_bracket(condition)),
        code.text_between(other.begin, other.end));
  if (!code.is_word(other.end - 2)) return "";
  return fmt::format(
      "a thread reads what the thread {0} above it stores in the same line: no condition keeps "
      "the threads from {0} on away",
      code.text(other.end - 2));
}

// Explains a race of one line in one iteration, as far as the text shows that: no barrier can prevent it.
std::string explain_same_line_race(const Defect& race, const Code& code) {
  const bool has_functions = std::ranges::any_of(
      code.tokens(), [](const source::CodeToken& token) { return token.text == "__device__"; });
  if (race.kind != DefectKind::shared_race || race.party.line != race.other->line || has_functions) return "";
  for (const source::Loop& loop : source::loops_around(code, {race.party.line}))
    for (const source::CodeToken& token : code.tokens())
      if (loop.lines.has(token.line) && token.text.starts_with("__sync") &&
          is_conditional(code, token.line, loop.lines))
        return "";
  if (const std::string remark = explain_race_in_tree(code, race.party.line); !remark.empty()) return remark;
  for (const source::LocalVariable& local : source::local_variables(code))
    if (local.name == race.memory.variable && local.is_shared && !local.is_array)
      return fmt::format(
          "the block has one '{0}' for all its threads: leave out __shared__ in line {1} if each "
          "thread needs its own",
          local.name, code[local.at].line);
  const bool are_both_kinds = race.party.access != race.other->access;
  return std::string(
             "both are in one line, where no barrier can stand: should these threads all come to it, "
             "and use these elements?") +
         (are_both_kinds ? " If so, read in one line and store in another, with a barrier between them" : "");
}

// Explains a race that __syncwarp() or a fence does not prevent, between the two lines or in a loop around
// both.
std::string explain_weaker_barrier(const Defect& race, const Code& code) {
  const auto [first, last] = std::minmax(race.party.line, race.other->line);
  const std::vector<source::Loop> loops = source::loops_around(code, {first, last});
  for (std::size_t at = 0; at < code.size(); ++at) {
    const int line = code[at].line;
    const bool is_between = first <= line && line <= last;
    const bool is_in_loop = !loops.empty() && loops.back().lines.has(line);
    if (!is_between && !is_in_loop) continue;
    if (code.text(at) == "__syncwarp")
      return fmt::format("__syncwarp() in line {} orders only the lanes of one warp", line);
    if (code.text(at).starts_with("__threadfence"))
      return fmt::format("{}() in line {} lets no thread wait for another", code.text(at), line);
  }
  return "";
}

// Explains a race for a variable that is static, so that all threads have the same one.
std::string explain_static_variable(const Defect& race, const Code& code) {
  for (const source::LocalVariable& local : source::local_variables(code))
    for (std::size_t at = local.at; at-- > 0 && !begins_statement(code, at + 1);)
      if (code.text(at) == "static" && uses_of(local.name, code, tokens_of_line(code, race.party.line)) > 0)
        return fmt::format("static in line {} makes one '{}' for all threads: leave static out",
                           code[at].line, local.name);
  return "";
}

bool is_load_and_store(const Defect& race) {
  const auto [first, second] = std::minmax(race.party.access, race.other->access);
  return first == DefectAccess::load && second == DefectAccess::store;
}

// Explains an update in three steps, int c = x[i]; ... x[i] = c;
std::string explain_update_in_steps(const Defect& race, const Code& code) {
  if (!is_load_and_store(race)) return "";
  const bool is_load = race.party.access == DefectAccess::load;
  const int load = is_load ? race.party.line : race.other->line;
  const Span stored = stored_element(code, is_load ? race.other->line : race.party.line);
  const Span line = tokens_of_line(code, load);
  for (std::size_t at = line.begin; at < line.end && stored.end > 0; ++at)
    if (is_plain_assignment(code, at) && code.text(at - 1) == code.text(stored.end + 1) &&
        code.text_between(at + 1, source::end_of_value(code, at + 1)) ==
            code.text_between(stored.begin, stored.end))
      return fmt::format("{} is read in line {} and stored in another one, and other threads come in between",
                         code.text_between(stored.begin, stored.end), load);
  return "";
}

bool has_one_statement(const Code& code, int line) {
  const Span tokens = tokens_of_line(code, line);
  int ends = 0;
  for (std::size_t at = tokens.begin; at < tokens.end;
       at = code.text(at) == "(" ? code.after_bracket(at) : at + 1)
    ends += code.text(at) == ";";
  return ends == 1;
}

}  // namespace

RaceInSource race_in_source(const Defect& race, const source::Code& code) {
  const bool is_shared = race.kind == DefectKind::shared_race;
  if (!(is_shared || race.kind == DefectKind::global_race) || !race.other) return {};
  if (is_update(race, code))
    return {is_shared ? "race-shared-update" : "race-global-update",
            "the line reads, adds and stores, and another thread comes in between"};
  if (const std::string remark = explain_sum_in_one_element(race, code); !remark.empty())
    return {is_shared ? "race-shared-update" : "race-global-update", remark};
  if (const std::string remark = explain_update_in_steps(race, code); !remark.empty())
    return {is_shared ? "race-shared-update" : "race-global-update", remark};
  if (have_same_index(race, code))
    return {is_shared ? "race-shared-index" : "race-global-index",
            "both threads have computed the same index"};
  if (have_overlapping_elements(race, code))
    return {"race-shared-index",
            "both threads store there, each a value of its own: each needs a place "
            "of its own"};
  if (const std::string remark = explain_static_variable(race, code); !remark.empty()) return {"", remark};
  if (const std::string remark = explain_common_index(race, code); !remark.empty()) return {"", remark};
  if (!are_of_one_block(race)) return {};
  if (const std::string remark = explain_loop_race(race, code); !remark.empty())
    return {is_shared ? "race-shared-loop" : "", remark};
  if (const std::string remark = explain_weaker_barrier(race, code); !remark.empty()) return {"", remark};
  if (const std::string remark = explain_possible_loop_race(race, code); !remark.empty())
    return {"race-shared-loop", remark};
  const std::string remark = explain_same_line_race(race, code);
  const bool is_condition =
      !remark.empty() && is_load_and_store(race) && has_one_statement(code, race.party.line);
  return {is_condition ? "race-shared-line" : "", remark};
}

}  // namespace gpulab::check
