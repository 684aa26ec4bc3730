#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/text.hpp"
#include "check/causes.hpp"

namespace gpulab::check {

// Wrong numbers of threads, blocks and lanes in the text of a kernel.

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value;

Cause index_in_grid(const Code& code, unsigned block_size) {
  const auto wrong = source::wrong_index_formula(code, 0, code.size(), block_size);
  if (!wrong) return std::nullopt;
  return at_line(code, wrong->at, "wrong-index", wrong->text);
}

namespace {

// Returns the largest number up to which a variable of a small type, or a float, holds every integer; 0 for
// other types.
std::uint64_t largest_exact_integer(const Code& code, const LocalVariable& local) {
  static const std::map<std::string_view, std::uint64_t> types{
      {"short", 32'767},    {"char", 127},    {"int16_t", 32'767},  {"int8_t", 127},
      {"uint16_t", 65'535}, {"uint8_t", 255}, {"float", 16'777'216}};
  const auto type = types.find(code.text(local.at - 1));
  if (type == types.end() || local.is_array) return 0;
  return local.type == "unsigned" ? 2 * type->second + 1 : type->second;
}

}  // namespace

Cause wrong_divisor(const Code& code, const Variables& variables, int line) {
  for (const LocalVariable& local : variables) {
    const std::uint64_t largest = largest_exact_integer(code, local);
    const std::size_t begin = local.at + 2, end = local.has_initializer ? end_of_value(code, begin) : begin;
    const bool is_thread = component_of(code, begin, "threadIdx") != "" && end == begin + 3;
    const bool begins_at_0 = is_thread || (code.text(begin) == "0" && end == begin + 1);
    for (const std::size_t use : uses_between(code, local.name, local.at + 1, local.scope_end))
      if (local.type.starts_with("unsigned") && source::is_operation(code, use + 1, ">=") &&
          code.text(use + 3) == "0")
        return at_line(code, use, "division-by-zero",
                       fmt::format("line {} goes on while {} >= 0, and an unsigned number is always >= 0",
                                   code[use].line, local.name));
      else if (code[use].line != line || (code.text(use - 1) != "%" && code.text(use - 1) != "/"))
        continue;
      else if (begins_at_0)
        return at_line(code, local.at, "division-by-zero",
                       fmt::format("line {} begins with {} = {}{}, and line {} divides by it",
                                   code[local.at].line, local.name, code.text_between(begin, end),
                                   is_thread ? ", which is 0 in the first thread" : "", line));
      else if (largest > 0)
        return at_line(
            code, local.at, "type-limit",
            fmt::format("line {} counts '{}' in a type that {}", code[local.at].line, local.name,
                        local.type == "float" ? "is exact up to " + grouped(largest)
                                              : "holds " + grouped(largest) +
                                                    " at most: the next number is 0, or the smallest one"));
  }
  return std::nullopt;
}

Cause narrow_index(const Code& code, const Variables& variables, std::size_t size) {
  for (const LocalVariable& local : variables) {
    const std::uint64_t largest = local.has_initializer ? largest_exact_integer(code, local) : 0;
    if (largest > 0 && largest < size &&
        has_word(code, "blockIdx", local.at, end_of_value(code, local.at + 2)))
      return at_line(code, local.at, "type-limit",
                     fmt::format("line {} keeps the index in a {}, which {}", code[local.at].line,
                                 code.text(local.at - 1),
                                 local.type == "float" ? "is exact up to " + grouped(largest)
                                                       : "holds " + grouped(largest) + " at most"));
  }
  return std::nullopt;
}

namespace {

// Returns whether a variable in the index may change in the loop.
bool may_change_in(const Code& code, const Variables& variables, const source::Loop& loop, std::size_t begin,
                   std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (!code.is_word(at)) continue;
    for (const LocalVariable& local : variables)
      if (local.name == code.text(at) && loop.begin < local.at && local.at < loop.end) return true;
    for (const std::size_t use : uses_between(code, code.text(at), loop.begin, loop.end))
      if (source::use_at(code, use) != VariableUse::read) return true;
  }
  return false;
}

}  // namespace

Cause same_in_every_tile(const Code& code, const Variables& variables) {
  for (const source::Loop& loop : source::all_loops(code)) {
    const std::string_view counter = code.text(loop.condition);
    const bool is_counted = code.text(loop.begin) == "for" && code.text(loop.condition_end + 1) == counter;
    if (!is_counted || !has_word(code, "__syncthreads", loop.begin, loop.end)) continue;
    for (const LocalVariable& tile : variables)
      for (const std::size_t use :
           uses_between(code, tile.name, loop.condition_end, tile.is_shared ? loop.end : 0)) {
        if (source::use_at(code, use) != VariableUse::set) continue;
        for (std::size_t at = use + 1; code.text(at) != ";" && at < loop.end; ++at) {
          const std::size_t end = code.after_bracket(at + 1);
          if (code.text(at + 1) != "[" || !source::is_pointer_parameter(code, code.text(at)) ||
              !depends_on(code, variables, "threadIdx", at + 1, end) ||
              depends_on(code, variables, counter, at + 1, end) ||
              may_change_in(code, variables, loop, at, end))
            continue;
          return at_line(code, at, "input-index",
                         fmt::format("line {} reads the same elements of {} in each iteration of the loop in "
                                     "line {}: '{}' is not in their index",
                                     code[at].line, code.text(at), loop.lines.first, counter));
        }
      }
  }
  return std::nullopt;
}

namespace {

// Returns whether an index depends on blockIdx, also through the initializers of its variables. An index with
// a %, or from which an index is subtracted, does not count: these may bring it back into one block's range.
bool is_of_grid(const Code& code, const Variables& variables, std::size_t begin, std::size_t end,
                int depth = 0) {
  constexpr int deepest = 2;
  for (std::size_t at = begin; at < end; ++at)
    if (code.text(at) == "%" ||
        (code.text(at) == "-" &&
         (code.text(at + 1) == "(" || depends_on(code, variables, "blockIdx", at + 1, at + 2))))
      return false;
  return has_word(code, "blockIdx", begin, end) ||
         (depth < deepest && std::ranges::any_of(variables, [&](const LocalVariable& local) {
            return local.at < begin && has_word(code, local.name, begin, end) &&
                   is_of_grid(code, variables, local.at + 1, end_of_value(code, local.at + 1), depth + 1);
          }));
}

}  // namespace

Cause index_of_grid_in_shared(const Code& code, const Variables& variables, int line) {
  for (const LocalVariable& array : variables) {
    if (!array.is_array || !array.is_shared) continue;
    for (const std::size_t use : uses_between(code, array.name, array.at + 1, array.scope_end)) {
      std::size_t end = use + 1;
      bool has_element = false;  // whether a value from memory is the index, as in counts[input[i]]
      for (; code.text(end) == "["; end = code.after_bracket(end))
        has_element |= has_symbol(code, "[", end + 1, code.after_bracket(end));
      const bool is_store = source::use_at(code, use) == VariableUse::set;
      const bool is_asked_for = line == any_line ? is_store : code[use].line == line;
      // In atomicAdd(&counts[i], input[i]) the element is probably the bin.
      const bool adds_element = code.text_between(use - 3, use) == "atomicAdd(&" &&
                                code.text(end + 2) == "[" &&
                                source::declared_type(code, code.text(end + 1), end + 1).type == "int";
      if (!is_asked_for || has_element || adds_element) continue;
      if (const std::string_view size = last_parameter(code);
          size == "size" && has_word(code, size, use, end) && !has_symbol(code, "%", use, end))
        return at_line(
            code, use, "",
            fmt::format(
                "line {} takes size for an index of '{}', and that is the size of the whole problem, not of a block",
                code[use].line, array.name));
      if (!is_of_grid(code, variables, use + 1, end)) continue;
      return at_line(code, use, "",
                     fmt::format("line {} takes an index of the whole grid for '{}', and each block has "
                                 "its own '{}', from 0: take an index in the block, such as threadIdx.x",
                                 code[use].line, array.name, array.name));
    }
  }
  return std::nullopt;
}

Cause changed_before_set(const Code& code, const CheckResult& result) {
  const std::vector<source::Loop> loops = source::loops_around(code, {result.line});
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t sign = code.after_bracket(at + 1);
    if (code[at].line != result.line || code.text(at + 1) != "[" || code.text(sign + 1) != "=" ||
        source::use_at(code, at) != VariableUse::changed ||
        (!loops.empty() && !source::is_pointer_parameter(code, code.text(at))))
      continue;
    const bool is_sum = !loops.empty() && !has_word(code, code.text(loops.back().condition), at, sign);
    return at_line(
        code, at, "uninitialised-global",
        fmt::format("line {} has {}=, which first reads the element of {}: {}", code[at].line,
                    code.text(sign), code.text(at),
                    is_sum ? "set it above the loop, or add to a variable of the thread" : "write ="));
  }
  return std::nullopt;
}

Cause y_without_x(const Code& code) {
  for (const auto& [variable, number] :
       {std::pair{"threadIdx", 0}, {"blockIdx", 0}, {"blockDim", 1}, {"gridDim", 1}}) {
    std::vector<std::size_t> uses = uses_between(code, variable, 1, code.size());
    if (uses.empty() || std::ranges::any_of(uses, [&](std::size_t at) { return code.text(at + 2) != "y"; }))
      continue;
    return at_line(
        code, uses.front(), "wrong-index",
        fmt::format("line {} uses {}.y, which is {} in every thread, as blocks and the grid have one "
                    "dimension",
                    code[uses.front()].line, variable, number));
  }
  return std::nullopt;
}

Cause index_of_both(const Code& code, const Variables& variables, const Defect& race) {
  const source::LocalVariable* index = nullptr;
  std::size_t name = 0;
  for (const int line : {race.party.line, race.other->line}) {
    name = code.first_from_line(line);
    while (name < code.size() && code[name].line == line &&
           (code.text(name + 1) != "[" || source::use_at(code, name) != VariableUse::set))
      ++name;
    const source::LocalVariable* const local = initialized_variable(code, variables, name + 2);
    const bool is_other_index = index && local != index;
    if (!local || code.text(name + 3) != "]" || is_other_index) return std::nullopt;
    index = local;
  }
  for (const std::size_t use : uses_between(code, index->name, index->at, index->scope_end))
    if (is_shared_element(code, variables, use - 2))
      return at_line(code, name, "race-global-index",
                     fmt::format("line {} stores at '{}', an index in shared memory, and it is the same in "
                                 "several blocks",
                                 code[name].line, index->name));
  return at_line(code, index->at, "race-global-index",
                 fmt::format("line {} computes an index, '{}', that is the same in several threads",
                             code[index->at].line, index->name));
}

Cause unread_variable(const Code& code, const Variables& variables) {
  for (const source::LocalVariable& local : variables)
    if (local.has_initializer && !local.is_pointer && !local.is_array &&
        has_symbol(code, "[", local.at, end_of_value(code, local.at + 2)) &&
        uses_between(code, local.name, local.at + 1, code.size()).empty())
      return at_line(code, local.at, "unwritten-everywhere",
                     fmt::format("line {} puts the value into '{}', which nobody reads", code[local.at].line,
                                 local.name));
  return std::nullopt;
}

Cause stored_twice(const Code& code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t sign = end_of_element(code, at), length = sign + 1 - at;
    if (code.text(at + 1) != "[" || !begins_statement(code, at) || !is_plain_assignment(code, sign) ||
        !source::is_pointer_parameter(code, code.text(at)))
      continue;
    const auto [kernel, end] = function_around(code, at);
    const std::size_t after = end_of_value(code, sign + 1);
    for (std::size_t later = std::max(end_of_if_around(code, kernel, at), after); later < end; ++later) {
      const std::size_t value = later + length;
      if (code.text_between(at, sign + 1) == code.text_between(later, value) &&
          end_of_if_around(code, kernel, later) == 0 && !has_word(code, "return", after, later) &&
          source::loops_around(code, {code[later].line}).empty() &&
          !has_word(code, code.text(at), value, end_of_value(code, value)))
        return at_line(code, at, "wrong-values",
                       fmt::format("line {} stores in {}, and line {} replaces that in the same thread",
                                   code[at].line, code.text_between(at, sign), code[later].line));
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::check
