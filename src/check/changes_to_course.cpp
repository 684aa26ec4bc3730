#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "check/causes.hpp"
#include "run/run_lesson.hpp"
#include "source/source_parts.hpp"

namespace gpulab::check {

// Changes of a line to what the starter, or the course's solution, has there, and when any change is tried.

using source::Code, source::LocalVariable;

Code solution_beside(const Lesson& lesson, const Code& code) {
  const std::string text =
      run::KernelFiles(lesson, std::nullopt).of(run::find_variant(lesson, lesson.solution)).text;
  return Code(source::source_with_used_parts(text, source::kernel_names(code.whole())));
}

std::set<std::string> lines_in(const Code& code) {
  std::set<std::string> lines;
  for (std::size_t at = 0, end = 0; at < code.size(); at = end) {
    end = code.first_from_line(code[at].line + 1);
    lines.insert(source::in_one_line(code, at, end));
  }
  return lines;
}

namespace {

// Returns the tokens of each line that the other text lacks. Leaves out lines that are to be done.
std::vector<std::pair<std::size_t, std::size_t>> lines_beside(const Code& code, const Code& other) {
  const std::set<std::string> known = lines_in(other);
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  for (std::size_t at = 0, end = 0; at < code.size(); at = end) {
    end = code.first_from_line(code[at].line + 1);
    if (!known.contains(source::in_one_line(code, at, end)) &&
        line_of(code.whole(), code[at].line).find("TODO") == std::string::npos)
      lines.emplace_back(at, end);
  }
  return lines;
}

// Returns whether each bracket between the tokens has its partner there.
bool is_balanced(const Code& code, std::size_t begin, std::size_t end) {
  int open = 0;
  for (; begin < end && open >= 0; ++begin)
    if (std::string_view("([{").find(code.text(begin).front()) < 3)
      ++open;
    else if (std::string_view(")]}").find(code.text(begin).front()) < 3)
      --open;
  return open == 0;
}

// Returns whether the token is a variable whose declaration is no line of the solution, and may be wrong.
bool is_declared_beside(const Code& code, std::size_t at, const Code& solution) {
  const Variables variables = source::local_variables(code);
  const LocalVariable* const local = initialized_variable(code, variables, at);
  return local && std::ranges::any_of(lines_beside(code, solution), [&](const auto& line) {
           return line.first <= local->at && local->at < line.second;
         });
}

// Returns whether a line of the solution may be meant: most of the tokens are equal, and its names are known.
bool may_be_meant(const Code& code, std::size_t first, std::size_t last, const Code& solution,
                  std::size_t meant, std::size_t meant_end) {
  std::multiset<std::string_view> tokens, in_solution, common;
  for (std::size_t at = first; at < last; ++at) tokens.insert(code.text(at));
  for (std::size_t at = meant; at < meant_end; ++at) {
    in_solution.insert(solution.text(at));
    const bool is_known = is_name_of_builtin(solution.text(at)) || solution.text(at) == "if" ||
                          solution.text(at - 1) == "." || has_word(code, solution.text(at), 0, code.size());
    if (solution.is_word(at) && !is_known) return false;
  }
  std::ranges::set_intersection(tokens, in_solution, std::inserter(common, common.end()));
  return 5 * common.size() >= 3 * std::max(tokens.size(), in_solution.size());
}

}  // namespace

std::vector<Change> changes_to_course(const Code& code, const Code& starter, const Code& solution) {
  const std::string of_solution = source::in_one_line(solution, 0, solution.size());
  std::vector<Change> changes;
  for (const Code* const course : {&starter, &solution}) {
    const auto lines_of_code = lines_beside(code, *course);
    for (const auto& [course_first, course_last] : lines_beside(*course, code))
      for (const auto& [first, last] : lines_of_code) {
        const std::string line = source::in_one_line(*course, course_first, course_last);
        const std::size_t least_alike = course->text(course_first) == "extern" ? 2 : 3;  // tokens
        if (course == &starter ? of_solution.find(line) == of_solution.npos
                               : !may_be_meant(code, first, last, solution, course_first, course_last))
          continue;
        std::size_t begin = first, end = last, other = course_first, other_end = course_last;
        while (begin < end && other < other_end && code.text(begin) == course->text(other)) ++begin, ++other;
        if (course == &starter && (begin < first + least_alike || (begin == last && other == course_last)))
          continue;
        while (begin < end && other < other_end && code.text(end - 1) == course->text(other_end - 1))
          --end, --other_end;
        if (course == &solution && begin + 1 == end && is_declared_beside(code, begin, solution)) continue;
        if (begin == end || !is_balanced(code, begin, end))
          begin = first, end = last, other = course_first, other_end = course_last;
        const std::size_t widened = begin > first && code.text(begin - 1) == "." ? 2 : 0;
        changes.push_back({.begin = begin - widened,
                           .end = end,
                           .text = course->text_between(other - widened, other_end),
                           .says = course == &starter ? fmt::format("the starter has '{}' there", line) : "",
                           .is_of_course = true});
      }
  }
  return changes;
}

bool may_be_one_change(const Lesson& lesson, const Code& code, const CheckResult& result,
                       bool is_result_wrong) {
  if (is_result_wrong) return result.line == 0 && result.pattern != unset_variable;
  const std::string_view any_lines[] = {"uninitialised-shared", "uninitialised-global",
                                        name_of(DefectKind::not_enough_shared),
                                        name_of(DefectKind::division_by_zero)};
  constexpr std::string_view one_line[] = {"race-global",       "race-shared",      "race-shared-line",
                                           "race-shared-index", "race-shared-loop", "race-global-update"};
  const bool is_in_one_line =
      result.defect && result.defect->other && result.defect->other->line == result.defect->party.line;
  const bool is_of_one_variable =
      result.pattern == "race-shared" && result.defect &&
      std::ranges::any_of(source::local_variables(code), [&](const LocalVariable& local) {
        return local.is_shared && !local.is_array && local.name == result.defect->memory.variable;
      });
  return result.pattern.starts_with("out-of-bounds") || is_of_one_variable ||
         is_race_of_lines(code, result) ||
         (result.pattern.starts_with("race-global") && !lesson.has_size()) ||
         std::ranges::find(any_lines, result.pattern) != std::end(any_lines) ||
         (is_in_one_line && std::ranges::find(one_line, result.pattern) != std::end(one_line));
}

}  // namespace gpulab::check
