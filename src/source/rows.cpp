#include <fmt/format.h>
#include <regex>
#include <vector>

#include "base/words.hpp"
#include "source/bounds.hpp"
#include "source/source_parts.hpp"

namespace gpulab::source {
namespace {

// The element array[row * length + column].
struct ElementOfRows {
  std::string array, row, length, column;
  std::size_t at = 0;
  int guard = 0;  // line of an if around it: if (row < row_bound && column < column_bound)
  std::string row_bound = {}, column_bound = {};

  bool is_crossed() const { return guard > 0 && row_bound == length && column_bound != length; }
  WrongIndex wrong_guard() const {
    return {
        fmt::format("{} goes up to {}, and a row of {} has {} elements", column, column_bound, array, length),
        fmt::format("if ({} < {} && {} < {}) in line {}", row, column_bound, column, row_bound, guard)};
  }
  std::string with_length(const std::string& other) const {
    const std::string factor = row.find('+') == row.npos ? row : "(" + row + ")";
    return fmt::format("{}[{} * {} + {}]", array, factor, other, column);
  }
};

void read_guard(const Code& code, std::size_t begin, ElementOfRows& element) {
  static const std::regex plane(R"((\w+(?: ?\+ ?\w+)?) ?< ?(\w+) ?&& ?(\w+(?: ?\+ ?\w+)?) ?< ?(\w+))");
  for (std::size_t i = begin; i < element.at; ++i) {
    if (code.text(i) != "if" || end_of_statement(code, i) <= element.at) continue;
    const std::string condition = in_one_line(code, i + 2, code.matching(i + 1));
    std::smatch found;
    if (!std::regex_match(condition, found, plane)) continue;
    const int row = found[1] == element.row ? 1 : 3, column = 4 - row;
    if (found[row] != element.row || found[column] != element.column) continue;
    element.guard = code[i].line;
    element.row_bound = found[row + 1];
    element.column_bound = found[column + 1];
  }
}

std::vector<ElementOfRows> elements_of_rows(const Code& code, const TokenRange& kernel) {
  static const std::regex element(R"((\w+)\[\(?(\w+(?: ?\+ ?\w+)?)\)? ?\* ?(\w+) ?\+ ?(\w+)\])");
  std::vector<ElementOfRows> elements;
  std::smatch found;
  for (std::size_t i = kernel.begin; i < kernel.end; ++i) {
    const std::string text = code.text(i + 1) == "[" ? in_one_line(code, i, code.after_bracket(i + 1)) : "";
    if (!std::regex_match(text, found, element)) continue;
    elements.push_back({found[1], found[2], found[3], found[4], i});
    read_guard(code, kernel.begin, elements.back());
  }
  return elements;
}

// Returns the axes of the grid, or else of the block, from which row and column have their values there:
// "yx".
std::string axes_of(const Code& code, std::size_t begin, const ElementOfRows& element) {
  std::string axes;
  for (const std::string& index : {element.row, element.column}) {
    std::string value;
    for (std::size_t i = begin; i < element.at; ++i)
      if (code.text(i) == index.substr(0, index.find_first_of(" +")) && code.text(i + 1) == "=")
        value = in_one_line(code, i + 2, end_of_value(code, i + 2));
    const std::size_t block = value.find("blockIdx."),
                      at = value.find("Idx.", block == value.npos ? 0 : block);
    axes += at == value.npos ? '?' : value[at + 4];
  }
  return axes;
}

}  // namespace

std::optional<WrongIndex> wrong_row_length(const Code& code, int line, bool is_past_end) {
  const PartLines part = kernel_around(code, line);
  const TokenRange kernel = code.lines(part.first, part.last);
  const std::vector<ElementOfRows> all = elements_of_rows(code, kernel);
  for (const ElementOfRows& element : all) {
    if (code[element.at].line != line || !element.is_crossed()) continue;
    const std::string axes = axes_of(code, kernel.begin, element);
    for (const ElementOfRows& other : all) {  // is one the transpose of the other?
      const std::string &length = other.row_bound, others = axes_of(code, kernel.begin, other);
      const bool is_copied = element.row != other.column || code[other.at].line == line;
      if (!is_one_of(axes, {"xy", "yx"}) || others != std::string(axes.rbegin(), axes.rend()) ||
          element.array == other.array || other.guard == 0 ||
          (!other.is_crossed() && (other.column_bound != other.length || !is_copied)))
        continue;
      if (other.is_crossed() ? other.guard == element.guard : element.length == length)
        return element.wrong_guard();
      if (!other.is_crossed() && element.length == other.length)
        return WrongIndex{fmt::format("{0} is the transpose of {1}, so a row of {0} has {2} elements",
                                      element.array, other.array, length),
                          element.with_length(length)};
    }
    const auto& [array, row, row_length, column, at, guard, row_bound, bound] = element;
    const std::string transposed = fmt::format("{}[{} * {} + {}]", array, column, row_length, row);
    WrongIndex wrong = element.wrong_guard();
    if (!is_past_end)
      wrong = {wrong.text + ", so rows overlap",
               fmt::format("{} if {} is the row, {} if it is {}", transposed, column,
                           element.with_length(bound), row)};
    else if (axes == "xy")
      wrong = {fmt::format("{} is the row, and {} the column", column, row),
               fmt::format("{} for the element in row {} and column {}", transposed, column, row)};
    else
      wrong.right += fmt::format(", or {} if a row has {} elements", element.with_length(bound), bound);
    return wrong;
  }
  return std::nullopt;
}

}  // namespace gpulab::source
