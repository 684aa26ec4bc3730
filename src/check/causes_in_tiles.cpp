#include <fmt/format.h>
#include <algorithm>

#include "check/causes.hpp"

namespace gpulab::check {

// Wrong rows and columns, of matrices and of their tiles in shared memory.

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value;

namespace {

// Returns the variable `half` if the loop is a tree reduction: a for with barriers, in which threads with
// t < half do s[t] += s[t + half]. Empty for other loops.
std::string_view half_of_tree(const Code& code, const Variables& variables, const source::Loop& loop) {
  const std::string_view name = code.text(loop.condition);
  bool is_guarded = false;
  for (std::size_t at = loop.condition_end; at < loop.end && code.text(loop.begin) == "for"; ++at) {
    is_guarded |= code.text(at) == "<" && code.text(at + 1) == name && code.text(at + 2) == ")";
    // s [ t ] += s [ t + half ]: `at` is the first s, `other` the second, and `last` the last bracket.
    const std::size_t sign = code.after_bracket(at + 1), other = sign + 2, last = code.matching(other + 1);
    const bool adds_other = source::is_operation(code, sign, "+=") && code.text(other) == code.text(at) &&
                            code.text(last - 1) == name && code.text(last - 2) == "+";
    if (is_guarded && adds_other && is_shared_element(code, variables, at) &&
        has_word(code, "__syncthreads", loop.condition_end, loop.end))
      return name;
  }
  return {};
}

// Components of threadIdx that a value depends on.
struct Components {
  bool x = false, y = false;

  bool has_one() const { return x != y; }  // exactly one
};

// Returns the components in the value between two tokens, also through the initializers of its variables.
Components components_in(const Code& code, const Variables& variables, std::size_t begin, std::size_t end,
                         int depth = 0) {
  constexpr int deepest = 3;  // longest chain of variables in each other's initializers
  Components found;
  for (std::size_t at = begin; at < end; ++at) {
    found.x |= component_of(code, at, "threadIdx") == "x";
    found.y |= component_of(code, at, "threadIdx") == "y";
    for (const LocalVariable& variable : variables) {
      if (depth == deepest || variable.name != code.text(at) || !variable.has_initializer ||
          at <= variable.at || variable.scope_end < at)
        continue;
      const Components inner =
          components_in(code, variables, variable.at + 2, end_of_value(code, variable.at + 2), depth + 1);
      found.x |= inner.x;
      found.y |= inner.y;
    }
  }
  return found;
}

// An element in a row of an array: name[row * length + column].
struct ElementOfRow {
  std::size_t name = 0, row = 0, column = 0;  // tokens
  Components of_row, of_column;
};

// Returns the elements of the kernel's parameters whose row and column each depend on x or on y alone.
std::vector<ElementOfRow> elements_of_rows(const Code& code, const Variables& variables) {
  constexpr std::size_t max_elements = 100;  // limits the time; no learner's kernel has more
  std::vector<ElementOfRow> found;
  for (std::size_t name = 0, examined = 0; name < code.size() && examined < max_elements; ++name) {
    const std::size_t end = code.matching(name + 1);
    if (code.text(name + 1) != "[" || !code.is_word(name) || end == code.size()) continue;
    ++examined;
    std::size_t product = name + 2, sum = 0;
    while (product < end && code.text(product) != "*") ++product;
    sum = product;
    while (sum < end && code.text(sum) != "+") ++sum;
    if (sum == end || !source::is_pointer_parameter(code, code.text(name))) continue;
    const std::size_t row = name + 2;
    const ElementOfRow element{.name = name,
                               .row = row,
                               .column = sum,
                               .of_row = components_in(code, variables, row, product),
                               .of_column = components_in(code, variables, sum, end)};
    if (element.of_row.has_one() && element.of_column.has_one()) found.push_back(element);
  }
  return found;
}

}  // namespace

Cause swapped_x_and_y(const Code& code, const Variables& variables) {
  const std::vector<ElementOfRow> elements = elements_of_rows(code, variables);
  // If other elements have their rows from y, x and y are exchanged in the store itself. If none has, they
  // are exchanged where the row's variable is declared.
  const bool is_right_elsewhere = std::ranges::any_of(
      elements, [](const ElementOfRow& other) { return other.of_row.y && other.of_column.x; });
  for (const ElementOfRow& element : elements) {
    if (source::use_at(code, element.name) == VariableUse::read || !element.of_row.x || !element.of_column.y)
      continue;
    const auto row = std::ranges::find(variables, code.text(element.row), &LocalVariable::name);
    return at_line(code, is_right_elsewhere || row == variables.end() ? element.name : row->at, "transposed",
                   fmt::format("line {} stores in {} with the row from threadIdx.x and the column from "
                               "threadIdx.y: y is the row, and x the column",
                               code[element.name].line, code.text(element.name)));
  }
  if (!has_word(code, "threadIdx", 0, code.size())) return std::nullopt;
  const Components in_kernel = components_in(code, {}, 0, code.size());
  for (const ElementOfRow& element : elements)
    if (in_kernel.x && in_kernel.y && element.of_row.x == element.of_column.x)
      return at_line(code, element.name, "input-index",
                     fmt::format("line {0} takes the row and the column of {1} both from threadIdx.{2}, so "
                                 "threads that differ in {3} alone have the same element",
                                 code[element.name].line, code.text(element.name),
                                 element.of_row.x ? "x" : "y", element.of_row.x ? "y" : "x"));
  return std::nullopt;
}

Cause exchanged_in_read(const Code& code, const Variables& variables) {
  Cause found;
  int right_reads = 0, exchanged_reads = 0;
  for (const ElementOfRow& element : elements_of_rows(code, variables)) {
    if (source::use_at(code, element.name) != VariableUse::read) continue;
    right_reads += element.of_row.y && element.of_column.x;
    if (!element.of_row.x || !element.of_column.y) continue;
    ++exchanged_reads;
    found = at_line(code, element.name, "input-index",
                    fmt::format("line {} reads {} with the row from threadIdx.x and the column from "
                                "threadIdx.y, the other way round than the other input",
                                code[element.name].line, code.text(element.name)));
  }
  return right_reads > 0 && exchanged_reads == 1 ? found : std::nullopt;
}

namespace {

// An element of a shared array with two indices, name[first][second].
struct ElementOfTile {
  std::size_t name = 0, end = 0;  // tokens
  Components indices[2];          // what the first and the second index depend on

  // Returns whether one index depends on x or y alone, and the other one, such as that of a loop, on neither.
  bool has_one_index() const {
    const auto [first, second] = indices;
    return (first.has_one() && !second.x && !second.y) || (second.has_one() && !first.x && !first.y);
  }
};

std::vector<ElementOfTile> elements_of_tiles(const Code& code, const Variables& variables) {
  constexpr std::size_t max_elements = 100;  // as in elements_of_rows()
  std::vector<ElementOfTile> found;
  for (std::size_t name = 0; name < code.size() && found.size() < max_elements; ++name) {
    const std::size_t second = code.after_bracket(name + 1);
    if (code.text(second) != "[" || !is_shared_element(code, variables, name)) continue;
    const std::size_t end = code.after_bracket(second);
    found.push_back({name,
                     end,
                     {components_in(code, variables, name + 2, second - 1),
                      components_in(code, variables, second + 1, end - 1)}});
  }
  return found;
}

}  // namespace

Cause one_product_for_each_tile(const Code& code, const Variables& variables) {
  const std::vector<ElementOfTile> elements = elements_of_tiles(code, variables);
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const ElementOfTile &first = elements[i - 1], &second = elements[i];
    const std::vector<source::Loop> loops = source::loops_around(code, {code[first.name].line});
    const bool is_by_threads = std::ranges::all_of(first.indices, &Components::has_one) &&
                               std::ranges::all_of(second.indices, &Components::has_one);
    if (code.text(first.end) != "*" || second.name != first.end + 1 || !is_by_threads || loops.empty() ||
        !source::is_operation(code, first.name - 2, "+=") ||
        !has_word(code, "__syncthreads", loops.back().begin, loops.back().end))
      continue;
    return at_line(code, first.name, "skipped-elements",
                   fmt::format("line {} adds one product for each tile: nothing counts through the row of "
                               "one tile and the column of the other",
                               code[first.name].line));
  }
  return std::nullopt;
}

Cause exchanged_in_tile(const Code& code, const Variables& variables) {
  const std::vector<ElementOfTile> elements = elements_of_tiles(code, variables);
  for (const ElementOfTile& stored : elements) {
    const auto [first, second] = stored.indices;
    if (source::use_at(code, stored.name) != VariableUse::set || !first.has_one() || !second.has_one() ||
        first.x == second.x)
      continue;
    for (const ElementOfTile& read : elements) {
      if (code.text(read.name) != code.text(stored.name) || !read.has_one_index() ||
          source::use_at(code, read.name) != VariableUse::read)
        continue;
      const std::size_t index = read.indices[0].has_one() ? 0 : 1;
      if (read.indices[index].x == stored.indices[index].x) continue;
      const auto name_of = [](const Components& components) { return components.x ? "x" : "y"; };
      return at_line(
          code, first.y ? read.name : stored.name, "",  // y is the row
          fmt::format("line {} stores {} and line {} reads {}: the {} index is threadIdx.{} in one "
                      "and threadIdx.{} in the other",
                      code[stored.name].line, code.text_between(stored.name, stored.end),
                      code[read.name].line, code.text_between(read.name, read.end),
                      index == 0 ? "first" : "second", name_of(stored.indices[index]),
                      name_of(read.indices[index])));
    }
  }
  return std::nullopt;
}

namespace {

// Returns which index of a tile, 0 for the first or 1 for the second, belongs to the matrix index that grows
// from tile to tile in the loop around the tile's store. None if the text does not show it.
std::optional<std::size_t> moving_index(const Code& code, const Variables& variables,
                                        const ElementOfTile& stored) {
  const auto [first, second] = stored.indices;
  const std::vector<source::Loop> loops = source::loops_around(code, {code[stored.name].line});
  if (source::use_at(code, stored.name) != VariableUse::set || !first.has_one() || !second.has_one() ||
      first.x == second.x || loops.empty())
    return std::nullopt;
  const std::string_view counter = code.text(loops.back().condition);
  for (const ElementOfRow& input : elements_of_rows(code, variables)) {
    if (input.name < stored.name || input.name > end_of_value(code, stored.end)) continue;
    const std::size_t end = code.matching(input.name + 1);
    const bool moves_row = depends_on(code, variables, counter, input.row, input.column),
               moves_column = depends_on(code, variables, counter, input.column, end);
    if (moves_row == moves_column) return std::nullopt;
    return (moves_row ? input.of_row : input.of_column).x == first.x ? 0 : 1;
  }
  return std::nullopt;
}

}  // namespace

Cause counted_in_other_index(const Code& code, const Variables& variables) {
  const std::vector<ElementOfTile> elements = elements_of_tiles(code, variables);
  for (const ElementOfTile& stored : elements) {
    const auto moving = moving_index(code, variables, stored);
    if (!moving) continue;
    const auto counts_along = [&](const ElementOfTile& read, std::size_t index) {
      return code.text(read.name) == code.text(stored.name) && read.has_one_index() &&
             source::use_at(code, read.name) == VariableUse::read && read.indices[1 - index].has_one();
    };
    const bool is_right_elsewhere =
        std::ranges::any_of(elements, [&](const ElementOfTile& read) { return counts_along(read, *moving); });
    for (const ElementOfTile& read : elements)
      if (!is_right_elsewhere && counts_along(read, 1 - *moving))
        return at_line(
            code, read.name, "input-index",
            fmt::format("line {} reads {} and counts in its {} index, but from tile to tile it is the {} one "
                        "that grows",
                        code[read.name].line, code.text_between(read.name, read.end),
                        *moving == 0 ? "second" : "first", *moving == 0 ? "first" : "second"));
  }
  return std::nullopt;
}

Cause wrong_tree_bounds(const Code& code, const Variables& variables, const CheckResult& result) {
  const bool reads_too_far = result.defect.has_value() || result.line > 0;
  for (const source::Loop& loop : source::all_loops(code)) {
    const std::string_view half = half_of_tree(code, variables, loop);
    const auto variable = std::ranges::find_if(variables, [&](const LocalVariable& local) {
      return local.name == half && loop.begin < local.at && local.at < loop.condition;
    });
    const bool is_elsewhere = result.line > 0 && !loop.lines.has(result.line);
    if (half.empty() || variable == variables.end() || is_elsewhere) continue;
    const std::size_t value = variable->at + 2, end = end_of_value(code, value);
    const std::size_t step = loop.condition_end + 1, end_of_step = code.matching(loop.begin + 1);
    const bool is_one_operand = end == value + (code.text(value) == "blockDim" ? 3 : 1);
    const std::size_t first = number_at(code, value, result.block_size);
    const std::size_t divisor =
        code.text(value + 1) == "/" && end == value + 3 ? number_at(code, value + 2, result.block_size) : 0;
    const std::size_t begin = is_one_operand ? first : divisor > 0 ? first / divisor : 0;
    const bool is_of_size = has_word(code, last_parameter(code), value, end);
    const bool halves = has_symbol(code, "/", step, end_of_step) || has_symbol(code, ">", step, end_of_step);
    const bool begins_low = halves && ((is_one_operand && begin > 0 && 2 * begin < result.block_size) ||
                                       component_of(code, value, "gridDim") == "x");
    std::string text;
    if (is_of_size || (reads_too_far ? 2 * begin > result.block_size : begins_low))
      text = fmt::format("begins with {} = {}, and half of the {} threads of a block are blockDim.x / 2",
                         half, code.text_between(value, end), result.block_size);
    else if (has_symbol(code, "*", step, end_of_step) &&
             (!reads_too_far || !has_symbol(code, "/", value, end)))
      text = fmt::format(
          "begins with {0} = {1} and goes on with {2}, and so leaves out sums: begin with blockDim.x / 2, and "
          "go on with {0} /= 2",
          half, code.text_between(value, end), code.text_between(step, end_of_step));
    else if (has_symbol(code, "*", step, end_of_step))
      text = fmt::format("begins with {} = {} and doubles it, and each step leaves half of the sums: {} /= 2",
                         half, code.text_between(value, end), half);
    else if (!reads_too_far && has_symbol(code, "-", step, end_of_step))
      text = fmt::format("goes on with {}, and each step leaves half of the sums: {} /= 2",
                         code.text_between(step, end_of_step), half);
    if (!text.empty())
      return at_line(code, loop.begin, result.pattern.c_str(),
                     fmt::format("the loop in line {} {}", loop.lines.first, text));
  }
  return std::nullopt;
}

Cause shuffle_by_whole_warp(const Code& code, const Variables& variables) {
  for (const source::Loop& loop : source::all_loops(code)) {
    const bool shuffles = std::ranges::any_of(
        std::initializer_list<const char*>{"__shfl_down_sync", "__shfl_xor_sync"},
        [&](const char* name) { return has_word(code, name, loop.condition_end, loop.end); });
    const LocalVariable* offset = initialized_variable(code, variables, loop.condition);
    if (!shuffles || !offset || offset->at < loop.begin) continue;
    const std::string_view value = code.text(offset->at + 2);
    if ((value == "32" || value == "warpSize") && code.text(offset->at + 3) == ";")
      return at_line(
          code, loop.begin, "wrong-formula",
          fmt::format("the loop in line {} begins with {} = {}, and a warp of 32 has no lane 32 "
                      "places further: begin with warpSize / 2, which is 16 there and 32 in a warp "
                      "of 64",
                      loop.lines.first, offset->name, value));
  }
  return std::nullopt;
}

Cause single_step_of_tree(const Code& code, const Variables& variables) {
  std::vector<std::size_t> steps;
  for (std::size_t name = 0; name < code.size(); ++name) {
    const std::size_t sign = code.after_bracket(name + 1), length = sign - name, other = sign + 2;
    if (is_shared_element(code, variables, name) && source::is_operation(code, sign, "+=") &&
        code.text(other + length - 1) == "+" && has_word(code, "threadIdx", name, sign) &&
        code.text_between(name, sign - 1) == code.text_between(other, other + length - 1))
      steps.push_back(name);
  }
  if (steps.size() != 1 || !source::loops_around(code, {code[steps[0]].line}).empty()) return std::nullopt;
  return at_line(
      code, steps[0], "skipped-elements",
      fmt::format("line {} adds one half of '{}' to the other once, and no loop repeats it with the "
                  "half that is left",
                  code[steps[0]].line, code.text(steps[0])));
}

Cause counts_for_each_element(const Code& code, const Variables& variables) {
  // atomicAdd(&output[input[i]], counts[input[i]])
  for (std::size_t at = 0; at + 4 < code.size(); ++at) {
    const std::size_t target = at + 3, comma = code.after_bracket(target + 1), counts = comma + 1;
    const std::size_t value = target + 2;  // the index
    if (code.text(at) == "atomicAdd" && code.text(at + 2) == "&" && code.text(comma) == "," &&
        source::is_pointer_parameter(code, code.text(target)) && is_shared_element(code, variables, counts) &&
        source::is_pointer_parameter(code, code.text(value)) && code.text(value + 1) == "[" &&
        code.text_between(value, comma - 1) == code.text_between(counts + 2, code.matching(counts + 1)))
      return at_line(
          code, at, "counted-twice",
          fmt::format("line {} adds {} once for each element with that value, and not once for each bin",
                      code[at].line, code.text_between(counts, code.after_bracket(counts + 1))));
  }
  return std::nullopt;
}

}  // namespace gpulab::check
