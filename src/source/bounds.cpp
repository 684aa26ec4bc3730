#include "source/bounds.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <regex>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "source/grid_index.hpp"
#include "source/shared_arrays.hpp"
#include "source/source_parts.hpp"

namespace gpulab::source {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns n for the last "name < n" or "name >= n" before a token.
std::string_view bound_before(const Code& code, std::string_view name, std::size_t token) {
  for (std::size_t i = token; i-- > 0;) {
    if (code.text(i) != name || (i > 0 && is_one_of(code.text(i - 1), {".", "+"}))) continue;
    if (!is_operation(code, i + 1, ">=") && code.text(i + 1) != "<") continue;
    const std::size_t bound = code.text(i + 1) == "<" ? i + 2 : i + 3;
    const std::string_view behind = code.text(bound + 1);
    const bool is_whole = is_one_of(behind, {")", "&", "|", ";"});
    if (is_whole && (code.is_word(bound) || is_number(code.text(bound)))) return code.text(bound);
  }
  return {};
}

// Returns the values between <<< and >>>.
std::vector<TokenRange> values_of_launch(const Code& code, std::size_t launch) {
  std::vector<TokenRange> values;
  const std::size_t end = end_of_configuration(code, launch + 3);
  for (std::size_t begin = launch + 3, i = begin; i <= end && end < code.size();) {
    if (i == end || code.text(i) == ",") values.push_back({std::exchange(begin, i + 1), i});
    i = is_one_of(code.text(i), {"(", "[", "{"}) ? code.after_bracket(i) : i + 1;
  }
  return values;
}

std::string type_of_dynamic(const Code& code, std::string_view array) {
  for (const DynamicArray& declared : dynamic_arrays(code))
    if (code.text(declared.name) == array) return code.text_between(declared.type, declared.name);
  return "";
}

// Returns whether the value is certainly not in bytes: it is the number of threads of the block, a literal,
// or a variable set to a literal.
bool is_count(const Code& code, const TokenRange& value, const std::string& threads) {
  const auto& [begin, end] = value;
  if (code.text_between(begin, end) == threads) return true;
  if (end != begin + 1) return false;
  if (is_number(code.text(begin))) return true;
  for (std::size_t i = begin; i-- > 1;)
    if (code.text(i) == code.text(begin) && code.text(i + 1) == "=")
      return is_number(code.text(i + 2)) && end_of_value(code, i + 2) == i + 3;
  return false;
}

// Returns the end of the term at `at`: a comma, a semicolon, a closing bracket, or an operator that binds
// less tightly than *.
std::size_t end_of_term(const Code& code, std::size_t at) {
  constexpr std::string_view ends = ";,)]+-<>=?:";
  while (at < code.size() && ends.find(code.text(at)) == std::string_view::npos)
    at = is_one_of(code.text(at), {"(", "["}) ? code.after_bracket(at) : at + 1;
  return at;
}

// Returns the term without its factor sizeof(...); empty if it has none.
std::string without_size(const Code& code, const TokenRange& term) {
  const auto& [begin, end] = term;
  for (std::size_t i = begin; i < end; ++i) {
    if (code.text(i) != "sizeof" || code.text(i + 1) != "(") continue;
    const std::size_t behind = code.after_bracket(i + 1);
    if (i > begin && code.text(i - 1) == "*")
      return code.text_between(begin, i - 1) + code.text_between(behind, end);
    if (code.text(behind) == "*") return code.text_between(begin, i) + code.text_between(behind + 1, end);
  }
  return "";
}

// Returns the <<< of the only launch in a line, or code.size().
std::size_t launch_in(const Code& code, int line) {
  std::size_t launch = code.size();
  for (auto [i, end] = code.line(line); i < end; ++i) {
    if (!is_operation(code, i, "<<<")) continue;
    if (launch < code.size()) return code.size();
    launch = i;
  }
  return launch;
}

std::string text_of_lines(const Code& code, const LineRange& lines) {
  const auto [begin, end] = code.lines(lines.first, lines.last);
  return in_one_line(code, begin, end);
}

bool is_cast(const Code& code, std::size_t pointer) {
  return pointer > 2 && code.text(pointer - 1) == ")" && code.text(pointer - 2) == "*";
}

// Returns the type of the pointer's elements, as it is cast there or declared; empty if it is no pointer.
std::string element_type(const Code& code, std::size_t pointer) {
  if (is_cast(code, pointer)) return std::string(code.text(pointer - 3));
  const DeclaredType declared = declared_type(code, code.text(pointer), pointer);
  return declared.is_pointer ? declared.type : "";
}

}  // namespace

std::string missing_condition(const Code& code, int line, bool is_before, std::size_t elements_outside,
                              std::size_t length) {
  std::string condition;
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i) {
    // The sign stands after a variable, or after a member such as threadIdx.x.
    const bool is_member = code.text(i + 2) == "." && code.is_word(i + 3);
    const std::size_t sign = is_member ? i + 4 : i + 2;
    const bool is_index = code.text(i) == "[" && code.is_word(i + 1) && is_number(code.text(sign + 1)) &&
                          code.text(sign + 2) == "]" && code.text(sign) == (is_before ? "-" : "+");
    const auto step =
        static_cast<std::size_t>(is_index ? std::atoi(std::string(code.text(sign + 1)).c_str()) : 0);
    if (!is_index || elements_outside > step) continue;
    const std::string variable = code.text_between(i + 1, sign), index = code.text_between(i + 1, sign + 2);
    const bool needs_bound = !is_before && length == 0;
    const std::string_view bound =
        needs_bound && !is_member ? bound_before(code, code.text(i + 1), i) : std::string_view();
    if (needs_bound && bound.empty()) return "";
    const std::string limit = length > 0 ? std::to_string(length) : std::string(bound);
    const std::string wanted =
        is_before ? variable + " >= " + std::string(code.text(sign + 1)) : index + " < " + limit;
    if (!condition.empty() && condition != wanted) return "";
    condition = wanted;
  }
  return condition;
}

std::string condition_without_end(const Code& code, int line) {
  const auto [begin, end] = code.line(line);
  for (std::size_t loop = 0; loop < end; ++loop) {
    if (code.text(loop) != "for" || !lines_of_statement(code, loop).has(line)) continue;
    std::size_t name = loop;  // of the variable, after the first semicolon
    while (name < code.size() && code.text(name++) != ";") {
    }
    if (!is_operation(code, name + 1, "<=") || !code.is_word(name + 3) || code.text(name + 4) != ";")
      continue;
    for (std::size_t i = std::max(name, begin); i < end; ++i)
      if (code.text(i) == "[" && code.text(i + 1) == code.text(name) && code.text(i + 2) == "]")
        return fmt::format("{} < {}", code.text(name), code.text(name + 3));
  }
  return "";
}

std::string elements_of_offsets(const Code& code, int line) {
  for (auto [i, end] = code.line(line); i < end; ++i) {
    if (code.text(i + 2) != "[" || code.text(i + 4) != "+" || !is_number(code.text(i + 5)) ||
        code.text(i + 6) != "]")
      continue;
    bool ends_loop = code.text(i) == "<";
    for (std::size_t use = i; code.text(i) == "=" && use < code.size(); ++use)
      ends_loop = ends_loop || (code.text(use) == "<" && code.text(use + 1) == code.text(i - 1));
    const std::string_view bound = bound_before(code, code.text(i + 3), i);
    if (ends_loop && !bound.empty()) return fmt::format("{} + {}", bound, code.text(i + 5));
  }
  return "";
}

bool is_dynamic_array(const Code& code, std::string_view array) {
  return !type_of_dynamic(code, array).empty();
}

std::string launch_in_bytes(const Code& code, int line, std::string_view array) {
  const std::string type = type_of_dynamic(code, array);
  const auto values = values_of_launch(code, launch_in(code, line));
  if (type.empty() || values.size() < 3) return "";
  const auto text = [&](std::size_t value) {
    return code.text_between(values[value].begin, values[value].end);
  };
  if (!is_count(code, values[2], text(1))) return "";
  std::string configuration = fmt::format("<<<{}, {}, {} * sizeof({})", text(0), text(1), text(2), type);
  for (std::size_t value = 3; value < values.size(); ++value) configuration += ", " + text(value);
  return configuration + ">>>";
}

std::optional<ScaledStep> scaled_step(const Code& code, const LineRange& lines) {
  for (std::size_t i = 0; i + 2 < code.size() && code[i].line <= lines.last; ++i) {
    const bool is_index = code.text(i + 1) == "[",
               is_sum = code.text(i + 1) == "+" && !is_one_of(code.text(i + 2), {"+", "="});
    if (!lines.has(code[i].line) || !code.is_word(i) || (!is_index && !is_sum)) continue;
    const std::size_t end = is_index ? code.matching(i + 1) : end_of_term(code, i + 2);
    const std::string term = without_size(code, {i + 2, end});
    if (term.empty()) continue;
    const std::string type = element_type(code, i);
    if (type.ends_with("char") || is_one_of(type, {"", "bool", "void", "byte", "uint8_t", "int8_t"}))
      continue;
    const std::size_t begin = is_cast(code, i) ? code.matching(i - 1) : i;
    const std::string name = code.text_between(begin, i + 1);
    return ScaledStep{code[i].line, code.text_between(begin, is_index ? end + 1 : end),
                      is_index ? fmt::format("{}[{}]", name, term) : name + " + " + term};
  }
  return std::nullopt;
}

std::optional<ScaledStep> size_as_argument(const Code& code, int line, int allocation) {
  const auto count_in = [&](const TokenRange& argument) {
    const auto& [begin, end] = argument;
    std::string count = without_size(code, argument);
    if (count.empty() && code.text(begin) == "sizeof" && code.text(begin + 1) == "(") {
      const std::string array = in_one_line(code, begin + 2, end - 1);
      count = fmt::format("sizeof({0}) / sizeof(*{0})", array);
    }
    for (const LocalVariable& local : local_variables(code))
      if (end == begin + 1 && local.has_initializer && local.is_meant_at(code, begin))
        count = without_size(code, {local.at + 2, end_of_value(code, local.at + 2)});
    return count;
  };
  std::size_t allocator = code.first_from_line(allocation);
  while (!code.text(allocator).starts_with("cudaMalloc") && allocator < code.size()) ++allocator;
  if (count_in(argument_tokens(code, allocator, 1)).empty()) return std::nullopt;
  const std::size_t call = end_of_configuration(code, launch_in(code, line) + 3) + 2;
  for (std::size_t number = 0;; ++number) {
    const TokenRange argument = argument_tokens(code, call, number);
    if (argument.size() == 0) return std::nullopt;
    if (const std::string count = count_in(argument); !count.empty())
      return ScaledStep{line, in_one_line(code, argument.begin, argument.end), count};
  }
}

std::string pitch_in_elements(const Code& code, int line) {
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i) {
    if (!code.is_word(i) || code.text(i + 1) != "[") continue;
    const std::size_t end = code.after_bracket(i + 1);
    if (has_word(code, "sizeof", i, end)) continue;
    for (std::size_t k = i + 2; k < end; ++k) {
      const std::string name(code.text(k));
      const bool is_pitch = code.is_word(k) && name.find("itch") != std::string::npos;  // or Pitch
      if (is_pitch && (code.text(k - 1) == "*" || code.text(k + 1) == "*"))
        return fmt::format("{} / sizeof(*{}) in place of {}", name, code.text(i), name);
    }
  }
  return "";
}

std::string pointer_type_in_size(const Code& code, int line) {
  for (std::size_t i = code.first_from_line(line); i < code.size() && code[i].line == line; ++i)
    if (code.text(i) == "sizeof" && code.text(i + 1) == "(" && code.is_word(i + 2) &&
        code.text(i + 3) == "*" && code.text(i + 4) == ")")
      return std::string(code.text(i + 2));
  return "";
}

std::size_t element_bytes_of(const Code& code, std::string_view call, int line) {
  constexpr std::pair<std::string_view, std::size_t> sizes[] = {{"char", 1},   {"bool", 1},   {"short", 2},
                                                                {"half", 2},   {"double", 8}, {"long", 8},
                                                                {"size_t", 8}, {"", 4}};
  for (std::size_t i = 0; i + 1 < code.size() && code[i].line <= line; ++i) {
    const std::size_t end = code.text(i) == call ? code.matching(i + 1) : code.size();
    if (end >= code.size() || code[end].line < line) continue;
    const auto [begin, behind] = argument_tokens(code, i, 0);
    std::size_t name = begin;
    for (std::size_t at = begin; at < behind && code.text(at) != "["; ++at)
      if (code.is_word(at)) name = at;
    const DeclaredType declared = declared_type(code, code.text(name), name);
    for (std::size_t at = 2; at < name; ++at)  // a pointer to pointers
      if (code.text(at) == code.text(name) && code.text(at - 1) == "*" && code.text(at - 2) == "*") return 0;
    for (const auto& [word, bytes] : sizes)
      if (declared.is_pointer && declared.type.find(word) != std::string::npos) return bytes;
  }
  return 0;
}

namespace {

// Returns whether threads of the kernel get their indices from blockIdx and threadIdx alone, in its own text.
bool has_plain_indices(const Code& code, const std::vector<PartLines>& parts, const PartLines& kernel) {
  const auto is_plain = [&](const CodeToken& token) {
    const bool is_index = token.text == "blockIdx" || token.text == "threadIdx";
    const bool is_inside = kernel.has(token.line);
    const bool is_in_kernel = std::ranges::any_of(
        parts, [&](const PartLines& part) { return part.is_kernel && part.has(token.line); });
    if (token.kind == TokenKind::directive) return token.text.find("Idx") == token.text.npos;
    constexpr std::string_view before_statement = ";{})";  // then nothing uses the atomic's result
    const bool is_result =
        is_inside && token.text.starts_with("atomic") &&
        before_statement.find(code.text(static_cast<std::size_t>(&token - code.tokens().data()) - 1)) ==
            before_statement.npos;
    const bool is_other_way =
        is_one_of(token.text, {"this_grid", "this_thread_block", "asm", "cub", "hipcub", "fetch_add"});
    return !is_other_way && !is_result && (!is_index || is_in_kernel);
  };
  return std::ranges::all_of(code.tokens(), is_plain);
}

// Returns the name of a kernel without its namespace and its template arguments.
std::string_view plain_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  return kernel.substr(kernel.rfind(':') + 1);  // npos + 1 is 0
}

std::optional<PartLines> kernel_of_name(const Code& code, std::string_view kernel) {
  const auto parts = lines_of_parts(code);
  const auto part = std::ranges::find(parts, plain_name(kernel), &PartLines::name);
  return part != parts.end() && part->is_kernel ? std::optional(*part) : std::nullopt;
}

// Returns whether the kernel reads an element of a pointer that it is given.
bool reads_parameter(const Code& code, const LineRange& kernel) {
  for (auto [at, end] = code.lines(kernel.first, kernel.last); at < end; ++at)
    if (code.text(at + 1) == "[" && is_pointer_parameter(code, code.text(at)) &&
        use_at(code, at) == VariableUse::read)
      return true;
  return false;
}

}  // namespace

std::string bound_of_guard(const Code& code, std::string_view kernel, int line) {
  static const std::regex index(
      R"((\w+) ?= ?(blockIdx\.x ?\* ?blockDim\.x|blockDim\.x ?\* ?blockIdx\.x|threadIdx\.x) ?\+ ?)"
      R"((threadIdx\.x|blockIdx\.x ?\* ?blockDim\.x|blockDim\.x ?\* ?blockIdx\.x) ?[;,])");
  const std::optional<PartLines> part = kernel_of_name(code, kernel);
  if (!part) return "";
  const auto [begin, end] = code.lines(part->first, part->last);
  const std::string text = in_one_line(code, begin, end);
  std::smatch found;
  if (!std::regex_search(text, found, index)) return "";
  for (std::size_t at = begin; at < end; ++at) {
    const bool is_return = is_operation(code, at + 3, ">=");
    const std::size_t bound = at + (is_return ? 5 : 4);
    if (code.text(at) != "if" || code.text(at + 2) != found.str(1) || code.text(bound + 1) != ")" ||
        (!is_return && code.text(at + 3) != "<"))
      continue;
    const LineRange guarded = lines_of_statement(code, at);
    if (line == 0 || (is_return ? guarded.last <= line : guarded.has(line)))
      return std::string(code.text(bound));
  }
  return "";
}

std::size_t elements_per_thread(const Code& code, std::string_view kernel) {
  static const std::regex index(
      R"((\w+) ?= ?blockIdx\.x ?\* ?\(? ?(?:blockDim\.x ?\* ?([248])|([248]) ?\* ?blockDim\.x) ?\)? ?\+ ?\w)");
  const std::optional<PartLines> part = kernel_of_name(code, kernel);
  const std::string text = part ? text_of_lines(code, *part) : "";
  std::smatch found;
  if (!std::regex_search(text, found, index) ||
      !std::regex_search(text, std::regex("if ?\\( ?" + found.str(1) + " ?< ?\\w+ ?\\)")))
    return 0;
  return static_cast<std::size_t>((found.str(2) + found.str(3)).front() - '0');
}

std::optional<LaunchedPart> launched_part(const Code& code, int launch, int line, std::size_t most) {
  const std::string kernel = kernel_around(code, line).name;
  const std::string bound = bound_of_guard(code, kernel, line);
  const std::size_t called = end_of_configuration(code, launch_in(code, launch) + 3) + 2;
  std::size_t parameters = 0;  // their bracket
  for (std::size_t at = 0; at < code.size() && code.text(parameters - 1) != kernel; ++at)
    if (code.text(at) == "__global__") parameters = start_of_parameters(code, at);
  LaunchedPart part;
  std::string right = grouped(most);
  for (std::size_t number = 0;; ++number) {
    auto [begin, end] = argument_tokens(code, called, number);
    if (begin == end) break;
    const std::size_t name = argument_tokens(code, parameters - 1, number).end - 1;
    const std::string argument = in_one_line(code, begin, end);
    if (code.text(name) == bound) part.count = argument;
    const bool is_sum = code.text(begin + 1) == "+", is_address = code.text(begin) == "&";
    if (code.is_word(name - 1) || !part.pointer.empty() || (!is_sum && !is_address)) continue;
    part.pointer = argument;
    end -= is_address;
    const auto counts = [&](std::size_t use) { return is_operation(code, use + 1, "++"); };  // d + half * k
    if (code.text(end - 2) == "*" &&
        std::ranges::none_of(uses_between(code, code.text(end - 1), 0, called), counts))
      right = code.text(end - 1);
  }
  if (bound.empty() || part.count.empty() || part.pointer.empty()) return std::nullopt;
  for (std::size_t copy = 0; copy < code.size(); ++copy) {
    const auto [begin, end] = argument_tokens(code, copy, 2);
    const std::string call = in_one_line(code, copy, begin);  // "cudaMemcpyAsync(d + off, h + off,"
    const bool is_of_part = call.starts_with("cudaMemcpy") && call.find(part.pointer + ",") != call.npos;
    if (const std::string count = without_size(code, {begin, end}); is_of_part && !count.empty())
      right = count;
  }
  if (right == part.count || right == "0") return std::nullopt;
  part.correction = right + " in place of " + part.count + " in the launch";
  return part;
}

std::optional<WrongIndex> wrong_index(const Code& code, std::string_view kernel, const LaunchConfig& launch) {
  kernel = plain_name(kernel);
  const auto parts = lines_of_parts(code);
  const std::optional<PartLines> part = kernel_of_name(code, kernel);
  if (!part || std::ranges::count(parts, kernel, &PartLines::name) > 1 ||
      !has_plain_indices(code, parts, *part))
    return std::nullopt;
  const auto [begin, end] = code.lines(part->first, part->last);
  const auto formula = wrong_index_formula(code, begin, end, std::nullopt);
  struct Axis {
    const char* component;
    unsigned blocks, threads;
  };
  for (const auto& [axis, blocks, threads] :
       {Axis{"x", launch.grid.x, launch.block.x}, Axis{"y", launch.grid.y, launch.block.y},
        Axis{"z", launch.grid.z, launch.block.z}}) {
    const std::string right = fmt::format("blockIdx.{0} * blockDim.{0} + threadIdx.{0}", axis);
    const auto has = [&](std::string_view variable) {
      for (std::size_t at = begin; at < end; ++at)
        if (component_of(code, at, variable) == axis) return true;
      return false;
    };
    if (blocks > 1 && !has("blockIdx"))
      return WrongIndex{
          fmt::format("{} has no blockIdx.{}, so its blocks along {} all do the same", kernel, axis, axis),
          right};
    if (threads > 1 && !has("threadIdx"))
      return WrongIndex{
          fmt::format("{} has no threadIdx.{}, so the {} threads of a block along {} all do the same", kernel,
                      axis, grouped(threads), axis),
          right};
    // With as many blocks as threads in a block, an exchange of the two leaves out no element.
    if (formula && formula->component == axis && blocks > 1 && threads > 1 &&
        (blocks != threads || formula->is_sum))
      return WrongIndex{formula->text, right};
  }
  return std::nullopt;
}

std::optional<WrongIndex> repeated_sum(const Code& code, std::string_view kernel,
                                       const LaunchConfig& launch) {
  static const std::regex sum(R"(atomicAdd ?\((&?\w+(\[\d+\])?), ?[A-Za-z_])");
  auto wrong = wrong_index(code, kernel, {.grid = launch.grid, .block = {1, 1, 1}});
  const std::optional<PartLines> part = kernel_of_name(code, kernel);
  const std::string text = part ? text_of_lines(code, *part) : "";
  std::smatch found;
  if (!wrong || !std::regex_search(text, found, sum) || !reads_parameter(code, *part)) return std::nullopt;
  return WrongIndex{wrong->text + ", and each adds it to " + found.str(1),
                    wrong->right + " for the index; in a loop, gridDim.x * blockDim.x for the step"};
}

std::string condition_of_store(const Code& code, std::string_view array, int line) {
  const PartLines part = kernel_around(code, line);
  const std::size_t begin = code.first_from_line(part.first);
  std::vector<std::size_t> stores = uses_between(code, array, begin, code.first_from_line(part.last + 1));
  std::erase_if(stores, [&](std::size_t use) { return use_at(code, use) != VariableUse::set; });
  if (!part.is_kernel || stores.size() != 1) return "";
  for (std::size_t at = begin; at < stores.front(); ++at) {
    const std::size_t end = code.text(at) == "if" ? end_of_statement(code, at) : 0;
    if (end <= stores.front() || code.text(end) == "else" ||
        has_word(code, "threadIdx", at, code.matching(at + 1)))
      continue;
    return fmt::format("; line {} stores in '{}' only if {}, and nothing is stored there otherwise",
                       code[stores.front()].line, array, in_one_line(code, at + 2, code.matching(at + 1)));
  }
  return "";
}

bool has_rows(const Code& code, int line) {
  const PartLines part = kernel_around(code, line);
  return part.is_kernel && text_of_lines(code, part).find("threadIdx.y") != std::string::npos;
}

std::string both_conditions(const Code& code, int line) {
  static const std::regex pair(R"(if ?\((\w+ ?< ?\w+) ?\|\| ?(\w+ ?< ?\w+)\))");
  const PartLines part = kernel_around(code, line);
  const std::string text = text_of_lines(code, {part.first, line});
  std::smatch found;
  if (!part.is_kernel || !std::regex_search(text, found, pair)) return "";
  return fmt::format("if ({} && {})", found.str(1), found.str(2));
}

bool stores_only(const Code& code, int line) {
  const PartLines part = kernel_around(code, line);
  if (!part.is_kernel) return false;
  const std::size_t end = code.first_from_line(part.last + 1);
  std::string_view stored;
  for (std::size_t i = code.first_from_line(line); i < end && code[i].line == line; ++i) {
    const std::size_t after = code.after_bracket(i + 1);
    if (!code.is_word(i) || code.text(i + 1) != "[" || code.text(after) != "=" || code.text(after + 1) == "=")
      continue;
    if (!stored.empty()) return false;
    stored = code.text(i);
  }
  std::size_t uses = 0;
  for (std::size_t i = code.first_from_line(part.first); i < end; ++i) uses += code.text(i) == stored;
  return !stored.empty() && uses == 2;  // one is the parameter
}

}  // namespace gpulab::source
