#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "run/run_options.hpp"
#include "source/source_parts.hpp"

namespace gpulab::check {

// Changes of what the starter gives: the order of the parameters, which of them are inputs, and the names of
// variables that the host fills. Also the lines that read and store the parameters.

using source::Code;

namespace {

struct Parameter {
  std::size_t name = 0;  // token
  bool is_const = false;
};

// Returns the parameters of a file's only kernel; none if the file has no kernel, or several.
std::vector<Parameter> parameters_of(const Code& code) {
  const std::vector<std::size_t> marks = source::uses_between(code, "__global__", 0, code.size());
  if (marks.size() != 1) return {};
  const std::size_t open = source::start_of_parameters(code, marks.front());
  std::vector<Parameter> parameters;
  bool is_const = false;
  for (std::size_t at = open; at < code.matching(open); ++at) {
    is_const |= code.text(at) == "const";
    if (code.text(at + 1) != "," && at + 1 != code.matching(open)) continue;
    if (!code.is_word(at)) return {};  // an array, or nothing
    parameters.push_back({at, is_const});
    is_const = false;
  }
  return parameters;
}

std::vector<std::string_view> names_of(const Code& code, const std::vector<Parameter>& parameters) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters) names.push_back(code.text(parameter.name));
  return names;
}

// Returns the solution's kernel, with what it uses.
Code solution_of(const Lesson& lesson) {
  const Variant& solution = run::find_variant(lesson, lesson.solution);
  const std::string text = run::KernelFiles(lesson, std::nullopt).of(solution).text;
  return Code(source::source_with_used_parts(text, {solution.kernel}));
}

bool is_read_nowhere(const Code& code, std::string_view name) {
  return std::ranges::count(code.tokens(), name, &source::CodeToken::text) == 1;
}

}  // namespace

std::string starter_of(const Lesson& lesson) {
  for (const Exercise& exercise : all_exercises())
    if (exercise.lesson == lesson.name && exercise.kind == ExerciseKind::kernel) return exercise.starter;
  return "";
}

bool solution_adds_up(const Lesson& lesson) {
  constexpr std::string_view sums[] = {"atomicAdd", "fma", "fmaf", "__fmaf_rn", "__reduce_add_sync"};
  const Code code = solution_of(lesson);
  const std::vector<source::Loop> loops = source::all_loops(code);
  for (std::size_t at = 1; at < code.size(); ++at) {
    const bool is_in_head = std::ranges::any_of(loops, [&](const source::Loop& loop) {
      return code.text(loop.begin) == "for" && loop.begin < at && at < code.matching(loop.begin + 1);
    });
    const bool is_sum_of_itself =
        is_plain_assignment(code, at) && code.text(at + 1) == code.text(at - 1) && code.text(at + 2) == "+";
    if (std::ranges::find(sums, code.text(at)) != std::end(sums) ||
        (!is_in_head && (source::is_operation(code, at, "+=") || is_sum_of_itself)))
      return true;
  }
  return false;
}

Cause parameters_in_other_order(const Lesson& lesson, const Code& code) {
  const Code starter(starter_of(lesson));
  const std::vector<Parameter> parameters = parameters_of(code);
  const std::vector<std::string_view> names = names_of(code, parameters),
                                      in_starter = names_of(starter, parameters_of(starter));
  if (names == in_starter || !std::ranges::is_permutation(names, in_starter)) return std::nullopt;
  std::size_t first = 0;
  while (names[first] == in_starter[first]) ++first;
  return at_line(code, parameters[first].name, "wrong-parameters",
                 fmt::format("parameter {} is '{}', and the starter's is '{}': keep the order ({})",
                             first + 1, names[first], in_starter[first], fmt::join(in_starter, ", ")));
}

Cause store_to_input(const Lesson& lesson, const Code& code) {
  const Code starter(starter_of(lesson));
  const std::vector<Parameter> parameters = parameters_of(code), in_starter = parameters_of(starter);
  if (parameters.size() != in_starter.size()) return std::nullopt;
  for (std::size_t i = 0; i < in_starter.size(); ++i) {
    if (!in_starter[i].is_const || parameters[i].is_const) continue;
    const std::string_view name = code.text(parameters[i].name);
    for (const std::size_t use : source::uses_between(code, name, parameters[i].name + 1, code.size())) {
      const source::VariableUse kind = source::use_at(code, use);
      if (code.text(use + 1) == "[" &&
          (kind == source::VariableUse::set || kind == source::VariableUse::changed))
        return at_line(code, use, "stores-to-const",
                       fmt::format("line {} stores in '{}', which is an input: inputs are only read",
                                   code[use].line, name));
    }
  }
  return std::nullopt;
}

Cause renamed_variable(const Lesson& lesson, const Code& code) {
  for (const Symbol& filled : run::find_variant(lesson, lesson.solution).symbols) {
    if (has_word(code, filled.name, 0, code.size())) continue;
    for (std::size_t at = 0; at < code.size(); ++at) {
      if (code.text(at) != "__constant__") continue;
      while (at < code.size() && code.text(at) != "[" && code.text(at) != ";") ++at;
      return at_line(code, at - 1, "renamed-variable",
                     fmt::format("line {} calls it '{}', and the host fills '{}': keep that name",
                                 code[at - 1].line, code.text(at - 1), filled.name));
    }
  }
  return std::nullopt;
}

Cause symbol_of_other_type(const Lesson& lesson, const Code& code) {
  const Code starter(starter_of(lesson));
  for (const Symbol& filled : run::find_variant(lesson, lesson.solution).symbols) {
    const std::string type = source::declared_type(code, filled.name, code.size()).type,
                      in_starter = source::declared_type(starter, filled.name, starter.size()).type;
    const auto at = static_cast<std::size_t>(
        std::ranges::find(code.tokens(), filled.name, &source::CodeToken::text) - code.tokens().begin());
    if (!type.empty() && !in_starter.empty() && type != in_starter)
      return at_line(
          code, at, "wrong-type",
          fmt::format("line {0} declares '{1}' as {2}, and the host fills it with {3}: declare it as {3}",
                      code[at].line, filled.name, type, in_starter));
  }
  return std::nullopt;
}

Cause unread_input(const Lesson& lesson, const Code& code) {
  std::vector<std::size_t> inputs;
  const bool is_own = !lesson.kernels_text.empty();
  const Code solution = solution_of(lesson);
  const std::vector<Parameter> parameters = parameters_of(code), of_solution = parameters_of(solution);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_array = source::is_pointer_parameter(code, code.text(parameters[i].name));
    const bool is_needed =
        i >= of_solution.size() || !is_read_nowhere(solution, solution.text(of_solution[i].name));
    if (is_needed && (is_array ? parameters[i].is_const : is_own)) inputs.push_back(parameters[i].name);
  }
  for (const std::size_t mark : source::uses_between(code, "__constant__", 0, code.size())) {
    std::size_t at = mark;
    while (at < code.size() && code.text(at) != "[" && code.text(at) != ";" && code.text(at) != "=") ++at;
    inputs.push_back(at - 1);
  }
  for (const std::size_t input : inputs)
    if (is_read_nowhere(code, code.text(input)))
      return at_line(code, input, "wrong-formula", fmt::format("nothing reads '{}'", code.text(input)));
  return std::nullopt;
}

Cause unstored_output(const Code& code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t open = source::start_of_parameters(code, at), body = code.after_bracket(open);
    for (std::size_t name = open + 3; code.text(at) == "__global__" && name < body; ++name)
      if (code.text(name - 1) == "*" && code.is_word(name) && code.text(name - 3) != "const" &&
          uses_between(code, code.text(name), body, code.after_bracket(body)).empty())
        return at_line(code, name, "zero-everywhere", fmt::format("nothing stores in '{}'", code.text(name)));
  }
  return std::nullopt;
}

namespace {

// Returns whether the variable at that token is blockIdx.x * blockDim.x + threadIdx.x, in any order.
bool is_index_in_grid(const Code& code, std::size_t at) {
  std::size_t factor = 0;
  std::multiset<std::string_view> words;
  for (at += 2; at < code.size() && code.text(at) != ";"; ++at) {
    if (code.text(at) == "*") factor = at;
    words.insert(code.text(at));
  }
  const std::multiset<std::string_view> wanted{"blockIdx", "blockDim", "threadIdx", "x", "x", "x",
                                               ".",        ".",        ".",         "*", "+"};
  const bool multiplies_thread =
      code.text(factor + 1) == "threadIdx" || code.text(factor - 3) == "threadIdx";  // threadIdx . x *
  return words == wanted && !multiplies_thread;
}

// Returns the token that decides which elements the kernel stores: the index of its stores or, if that is the
// thread's index in the grid, a guard that does more than compare the index with a size. Returns code.size()
// if different tokens decide on different stores.
std::size_t token_deciding_stores(const Code& code) {
  std::set<std::size_t> found;
  const Variables variables = source::local_variables(code);
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code.text(at + 1) != "[" || source::use_at(code, at) == source::VariableUse::read ||
        !source::is_pointer_parameter(code, code.text(at)))
      continue;
    const source::LocalVariable* const index =
        code.text(at + 3) == "]" ? initialized_variable(code, variables, at + 2) : nullptr;
    const std::size_t guard =
        index && is_index_in_grid(code, index->at) ? unusual_guard(code, at) : code.size();
    const std::size_t index_or_store = index ? index->at : at;
    found.insert(guard < code.size() ? guard : index_or_store);
  }
  return found.size() == 1 ? *found.begin() : code.size();
}

// Returns the tokens that name the array before an index.
std::vector<std::size_t> elements_of(const Code& code, const std::string& array) {
  std::vector<std::size_t> found = source::uses_between(code, array, 0, code.size());
  std::erase_if(found, [&](std::size_t at) { return code.text(at + 1) != "["; });
  return found;
}

// Returns the name of the lesson's only input; empty if it has several.
std::string only_input(const Lesson& lesson) {
  std::string name;
  for (const SizedArray& array : lesson.problem(lesson.default_settings()).arrays) {
    if (array.role != Role::input) continue;
    if (!name.empty()) return "";
    name = array.name;
  }
  return name;
}

// Finds the only element that a thread reads of a row, if the kernel is wrong where rows are longer than a
// block, and right elsewhere.
Cause one_element_of_row(const Lesson& lesson, const Code& code, const std::vector<TriedSettings>& tried,
                         std::size_t threads) {
  const Variables variables = source::local_variables(code);
  const bool fits = std::ranges::any_of(sizes_and_counts(lesson), [&](const SizeOrCount& width) {
    return std::ranges::count(tried, true, &TriedSettings::right) > 1 &&
           std::ranges::all_of(tried, [&](const TriedSettings& one) {
             return (width.of(one.settings) > threads) != one.right;
           });
  });
  for (std::size_t at = 0; at < code.size() && fits; ++at)
    if (code.text(at) == "[" && source::is_pointer_parameter(code, code.text(at - 1)) &&
        source::use_at(code, at - 1) != source::VariableUse::set &&
        depends_on(code, variables, "threadIdx", at, code.matching(at)) &&
        source::loops_around(code, {code[at].line}).empty())
      return at_line(code, at, "skipped-elements",
                     fmt::format("line {} reads one element of {} in each of the {} threads, and a row with "
                                 "more needs a loop",
                                 code[at].line, code.text(at - 1), threads));
  return std::nullopt;
}

}  // namespace

bool name_index(const Lesson& lesson, const Code& code, const std::vector<TriedSettings>& tried,
                CheckResult& result) {
  const std::vector<std::string> starter = lines_of(starter_of(lesson)), lines = lines_of(code.whole());
  for (std::size_t i = 0; i < lines.size() && lines != starter; ++i) {
    if (lines[i].find(";  // TODO") == std::string::npos ||
        std::ranges::find(starter, lines[i]) == starter.end())
      continue;
    result.line = static_cast<int>(i) + 1;
    result.source = line_of(code.whole(), result.line);
    result.summary = fmt::format("line {} still has its TODO; {}", result.line, result.summary);
    return true;
  }
  const bool is_unwritten = !result.first_differences.empty() && result.first_differences.front().is_poison;
  const bool is_own = !lesson.kernels_text.empty();
  const std::set<std::string> of_solution = lines_in(solution_beside(lesson, Code(starter_of(lesson))));
  for (std::size_t i = 0; i + 1 < starter.size() && !is_own && !is_unwritten; ++i) {
    const auto line = std::ranges::find(lines, starter[i + 1]);  // the one to be done
    const Code done(starter[i + 1]);
    if (starter[i].find("// TODO") == std::string::npos || !starter[i + 1].ends_with(';') ||
        line == lines.end() || of_solution.contains(source::in_one_line(done, 0, done.size())))
      continue;
    result.line = static_cast<int>(line - lines.begin()) + 1;
    result.source = line_of(code.whole(), result.line);
    result.summary +=
        fmt::format("; line {} is still the starter's, and the exercise asks for another", result.line);
    return true;
  }
  const Cause unread = unread_input(lesson, code);
  Cause found = is_own && !is_unwritten && result.pattern != "input-index" ? unread : std::nullopt;
  if (found) found->pattern = result.pattern;
  if (!found && is_own && leaves_cause_open(result, true) && !is_unwritten)
    found = one_element_of_row(lesson, code, tried, result.block_size);
  if (found) {
    const std::string where = result.where;
    blame(*found, code, result);
    result.where = where;
    return true;
  }
  std::size_t at = code.size();
  std::string line_does = "computes which element a thread stores";
  if (is_unwritten && result.pattern != "unwritten-everywhere") at = token_deciding_stores(code);
  if (code.text(at) == "(") {
    line_does = "decides which threads store";
    const auto* const flag = initialized_variable(code, source::local_variables(code), at + 1);
    if (flag && code.matching(at) == at + 2) at = flag->at;
  }
  if (const std::string input = only_input(lesson); result.pattern == "input-index" && !input.empty()) {
    const std::vector<std::size_t> reads = elements_of(code, input);
    if (reads.size() == 1) at = reads.front();
    if (unread) {
      if (is_own) result.pattern = unread->pattern;  // no result of the course's
      result.summary += "; " + unread->text;
      return true;
    }
    line_does = "reads " + input;
  }
  if (at == code.size()) return false;
  result.line = code[at].line;
  result.source = line_of(code.whole(), result.line);
  result.summary += fmt::format("; line {} {}", result.line, line_does);
  return true;
}

}  // namespace gpulab::check
