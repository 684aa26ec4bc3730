#include <fmt/format.h>
#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "run/problems.hpp"
#include "run/validate/evidence.hpp"
#include "run/watched_run.hpp"
#include "source/branches.hpp"
#include "source/shared_arrays.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Judges a watched run of a learner's kernel that is not right.

namespace {

// Number of defects that are reported: further ones say nothing new.
constexpr std::size_t max_defects = 4;

// Returns the tokens of a line that name an array with an index after it.
std::vector<std::size_t> arrays_in_line(const source::Code& code, int line) {
  std::vector<std::size_t> names;
  for (std::size_t at = 0; at < code.size(); ++at)
    if (code[at].line == line && code.is_word(at) && code.text(at + 1) == "[") names.push_back(at);
  return names;
}

// Returns whether the line stores to an element of the array or, if the array's name is empty, of any array
// that is no pointer parameter: the compiler checks no indices of pointers. If the line has several elements,
// only the one with the longest index counts, as it is most likely the wrong one: a[i] += a[i + half].
bool stores_to_an_array(const source::Code& code, int line, const std::string& array) {
  std::size_t longest = 0;
  bool is_stored = false;
  for (const std::size_t name : arrays_in_line(code, line)) {
    if (array.empty() ? source::is_pointer_parameter(code, code.text(name)) : code.text(name) != array)
      continue;
    const source::VariableUse use = source::use_at(code, name);
    const bool stores = use == source::VariableUse::set || use == source::VariableUse::changed;
    const std::size_t length = code.after_bracket(name + 1) - name;
    if (length > longest || (length == longest && stores)) is_stored = stores;
    longest = std::max(longest, length);
  }
  return is_stored;
}

// Names memory by the parameter in the defect's line instead of the array: the host may give the parameter
// another array in a later launch than in the first.
MemoryName as_in_line(MemoryName memory, const source::Code& code, const Defect& defect) {
  if (!defect.party.file.empty()) return memory;
  const std::size_t bracket = memory.element.find('[');
  const std::string array = memory.element.substr(0, bracket);
  std::string_view parameter;
  for (const std::size_t name : arrays_in_line(code, defect.party.line)) {
    const bool is_stored = source::use_at(code, name) == source::VariableUse::set;
    if (is_stored != (defect.party.access == DefectAccess::store) ||
        !source::is_pointer_parameter(code, code.text(name)))
      continue;
    const bool has_two_parameters = !parameter.empty() && parameter != code.text(name);
    if (code.text(name) == array || has_two_parameters) return memory;
    parameter = code.text(name);
  }
  if (parameter.empty() || bracket == std::string::npos) return memory;
  const std::string remark = fmt::format("this launch passes {} for {}", array, parameter);
  memory.element = std::string(parameter) + memory.element.substr(bracket);
  memory.where = memory.where.empty() ? "where " + remark : fmt::format("{} ({})", memory.where, remark);
  return memory;
}

// Returns "atomicAdd adds to it" if the line calls that for an element of the array, or of any array if the
// name is empty; empty otherwise.
std::string atomic_access_in(const std::string& line, const std::string& array) {
  const source::Code code(line);
  for (std::size_t at = 0; at < code.size(); ++at)
    if (code.text(at).starts_with("atomic") && code.text(at + 2) == "&" && code.text(at + 4) == "[" &&
        (array.empty() || code.text(at + 3) == array))
      return std::string(code.text(at)) + (code.text(at) == "atomicAdd" ? " adds to it" : " updates it");
  return "";
}

// Returns whether a launch ended for lack of shared memory. Such a defect matters more than all others.
bool is_shared_shortage(const Defect& defect) {
  return defect.ends_launch && pattern_of(defect) == "not-enough-shared";
}

void judge_failure(const VariantResult& run, CheckResult& result) {
  result.pattern = name_of(run.failure->kind);
  result.summary = run.explanation;
  result.fact = run.failure->complaint;
  result.line = run.failure->line;
}

void judge_compile_error(const VariantResult& run, const std::string& text, CheckResult& result) {
  result.verdict = Verdict::does_not_compile;
  judge_failure(run, result);
  result.compiler_log = run.compiler_log;
  const RefusalInSource refusal = refusal_in_source(*run.failure, text);
  result.pattern = refusal.pattern;
  if (!refusal.text.empty()) result.summary = refusal.text, result.line = refusal.line;
  if (source::Code(text).size() == 0)
    result.summary = fmt::format("the file is empty: gpulab start {} --again", result.exercise);
}

void add_other_side(const Defect& defect, CheckResult& result) {
  if (const std::string side = text_of_other_party(defect); !side.empty())
    result.related.push_back({.line = defect.other->line, .text = side});
}

// Adds the line of the condition that keeps threads from a barrier.
void add_condition_of_barrier(const Defect& defect, const source::Code& code, CheckResult& result) {
  if (defect.kind != DefectKind::missed_barrier && defect.kind != DefectKind::divergent_barrier) return;
  const int barrier = defect.party.line;
  for (const source::Loop& loop : source::loops_around(code, {barrier}))
    for (std::size_t at = loop.condition_end; at < loop.end; ++at)
      if (code.text(at) == "break" &&
          source::loops_around(code, {code[at].line}).back().begin == loop.begin) {
        result.related.push_back(
            {.line = code[at].line,
             .text = fmt::format("some threads leave the loop by the break in line {}", code[at].line)});
        result.summary += "; " + result.related.back().text;
        return;
      }
  const source::Branch branch = source::branch_around(code, barrier, barrier);
  if (branch.arrivals == source::Arrivals::all || branch.line == barrier) return;
  const bool is_around = source::lines_of_statement(code, code.first_from_line(branch.line)).has(barrier);
  const std::string remark =
      is_around ? "not all threads meet the condition in line " : "some threads return in line ";
  result.related.push_back({.line = branch.line, .text = remark + std::to_string(branch.line)});
  result.summary += "; " + result.related.back().text;
}

void add_further(const Defect& defect, const source::Code& code, CheckResult& result) {
  if (defect.party.line == 0) return;
  const std::string in_source = race_in_source(defect, code).pattern;
  result.related.push_back({.line = defect.party.line,
                            .pattern = in_source.empty() ? pattern_of(defect) : in_source,
                            .text = result.details.back()});
  add_other_side(defect, result);
}

// Returns the pattern of the first defect. If a line reads and writes out of bounds, only its read is
// reported: then the pattern is a write if the line has damaged a guard zone or assigns to an element.
std::string pattern_of_first(const Defect& defect, const VariantResult& run, const source::Code& code) {
  const std::string pattern = pattern_of(defect);
  const int line = defect.party.line;
  const bool assigns = defect.kind == DefectKind::array_index &&
                       (stores_to_an_array(code, line, defect.memory.variable) ||
                        !atomic_access_in(line_of(code.whole(), line), defect.memory.variable).empty());
  const bool writes = pattern == "out-of-bounds-read" && (assigns || run.observed == Outcome::out_of_bounds);
  return writes ? "out-of-bounds-write" : pattern;
}

// Compares the numbers of a shared array's elements and of a block's threads, if an index went beyond the
// array, or an element was uninitialised. Returns an empty text if that does not explain the defect.
std::string size_explanation(const Defect& defect, const source::Code& code, const LaunchConfig& launch) {
  using enum DefectKind;
  const bool is_unset = defect.kind == shared_uninitialised;
  if (!is_unset && defect.kind != array_index && defect.kind != shared_out_of_bounds) return "";
  const Defect::Memory& memory = defect.memory;
  std::size_t elements = memory.dimensions.size() == 1 ? memory.dimensions.front() : 0;
  for (const source::SharedArray& array : source::shared_arrays(code))
    if (array.name == memory.variable && !array.dimensions.empty()) elements = array.elements();
  const std::size_t threads = launch.block.volume();
  const bool is_explained = elements > 0 && (is_unset ? elements > threads : elements < threads);
  if (!is_explained) return "";
  if (is_unset && conditional_store(code, source::local_variables(code), defect)) return "";
  return fmt::format("; '{}' has {} places, and the block {} threads{}", memory.variable, grouped(elements),
                     grouped(threads), is_unset ? ": which of them fills this one?" : "");
}

void judge_defects(const run::WatchedRun& watched, const run::DeviceArrays& arrays, const source::Code& code,
                   CheckResult& result) {
  const VariantResult& run = watched.result;
  const std::vector<Defect>& defects = watched.defects;
  const auto explained = [&](const Defect& defect) {
    return explanation_of(source::with_dynamic_name(defect, code), [&](std::uintptr_t address) {
      return as_in_line(arrays.element_at(address, defect.memory.begin), code, defect);
    });
  };
  result.defect = defects.front();
  result.line = defects.front().party.line;
  result.pattern = std::ranges::any_of(defects, is_shared_shortage)
                       ? "not-enough-shared"
                       : pattern_of_first(defects.front(), run, code);
  result.summary = explained(defects.front());
  if (const std::string atomic =
          atomic_access_in(line_of(code.whole(), result.line), defects.front().memory.variable);
      defects.front().kind == DefectKind::array_index && !atomic.empty())
    result.summary += "; " + atomic;
  if (run.launch)
    result.summary += size_explanation(source::with_dynamic_name(defects.front(), code), code, *run.launch);
  add_other_side(defects.front(), result);
  add_condition_of_barrier(defects.front(), code, result);
  const RaceInSource race = race_in_source(defects.front(), code);
  if (!race.pattern.empty()) result.pattern = race.pattern;
  if (!race.remark.empty()) {
    result.fact = result.summary;
    result.summary += "; " + race.remark;
  }
  for (std::size_t i = 1; i < std::min(defects.size(), max_defects); ++i) {
    result.details.push_back(explained(defects[i]));
    add_further(defects[i], code, result);
  }
  // A defect that has ended the launch is the explanation.
  if (run.explanation.empty() || std::ranges::any_of(defects, &Defect::ends_launch)) return;
  result.details.push_back(run.explanation);
  // If the line also writes out of bounds, the run's explanation, of the damaged guard zone, is the summary,
  // and the defect, of the line's read, is a detail.
  const bool is_write = run.observed == Outcome::out_of_bounds && result.pattern == "out-of-bounds-write";
  if (is_write && defects.front().party.access == DefectAccess::load)
    std::swap(result.summary, result.details.back());
}

// Returns whether a wrong element is the value of an unset variable: a check's compiler fills such variables
// with bytes 0xFE.
bool has_unset_value(const std::vector<Difference>& differences) {
  constexpr std::uint32_t filling = 0xFEFEFEFE;
  return std::ranges::any_of(differences, [=](const Difference& difference) {
    return difference.actual == static_cast<double>(std::bit_cast<float>(filling)) ||
           difference.actual == static_cast<double>(std::bit_cast<std::int32_t>(filling));
  });
}

}  // namespace

bool leaves_cause_open(const CheckResult& result, bool is_result_wrong) {
  const std::string& pattern = result.pattern;
  if (!is_result_wrong)
    return pattern.starts_with("out-of-bounds") || pattern == name_of(DefectKind::not_enough_shared) ||
           (result.defect && result.defect->kind == DefectKind::too_many_accesses);
  return pattern == "still-zero" || pattern.starts_with("unwritten") || result.first_differences.empty() ||
         run::validate::specificity_of(pattern) < run::validate::Specificity::kind;
}

void judge_wrong_result(const Explanation& wrong, CheckResult& result) {
  result.summary = wrong.text();
  result.pattern = wrong.pattern;
  result.fact = wrong.guess.empty() ? "" : wrong.fact;
  // Every access was watched, and no race was seen, so no update was lost: elements were not counted.
  if (!wrong.fact_without_race.empty()) result.summary = wrong.fact_without_race;
  if (wrong.pattern == "lost-updates") result.pattern = "too-few";
}

void judge_later_launch(bool is_first_right_again, CheckResult& result) {
  if (is_first_right_again) {
    result.summary += "; right with its threads in order, so it depends on an order that no GPU keeps";
    if (result.pattern != "too-few") return;
    result.pattern = "lost-updates";
    result.summary =
        "too few in one order of threads, and no access races: consistent with an update that comes between another thread's reading a word and its storing it; " +
        result.summary;
    return;
  }
  result.pattern = "state-between-launches";
  result.summary =
      "the first launch was right, and the same launch later is not: a variable of the file keeps its value from one launch to the next; " +
      result.summary;
}

Explanation best_fitting(const Explanation& wrong, const std::vector<Explanation>& all_wrong) {
  std::vector<Explanation> all = wrong.others;
  all.insert(all.begin(), wrong);
  const Explanation* best = nullptr;
  std::ptrdiff_t most_fitting = 1;  // so that a cause has to fit more than one result
  for (const Explanation& explanation : all) {
    const bool has_cause = !explanation.model.empty();
    if (!has_cause && best) continue;
    if (!has_cause) return explanation;
    const auto fitting = std::ranges::count_if(
        all_wrong, [&](const Explanation& other) { return other.allows(explanation.model); });
    const bool fits_better = fitting > most_fitting && 2 * fitting >= std::ssize(all_wrong);
    if (!fits_better) continue;
    best = &explanation;
    most_fitting = fitting;
  }
  return best ? *best : wrong;
}

namespace {

void judge_result(const VariantResult& run, CheckResult& result) {
  judge_wrong_result(run.wrong, result);
  if (run.wrong.pattern.empty()) {
    result.summary = run.explanation;
    result.pattern = run.pattern;
  }
  if (run.observed == Outcome::out_of_bounds) result.pattern = "out-of-bounds-write";
  if (has_unset_value(run.first_differences)) {
    result.pattern = unset_variable;
    result.summary += "; here, that is the value of a variable that was never set";
  }
  if (!run.failure) return;
  judge_failure(run, result);
  if (!result.fact.empty()) result.summary = result.fact;  // without the call of the host that returned it
}

}  // namespace

void judge_run(const run::WatchedRun& watched, const run::DeviceArrays& arrays, const std::string& text,
               CheckResult& result) {
  const VariantResult& run = watched.result;
  // That a kernel does not end matters more than what it did before.
  const bool is_stopped = run.failure && run.failure->kind == DefectKind::time_limit &&
                          std::ranges::none_of(watched.defects, &Defect::ends_launch);
  result.first_differences = run.first_differences;
  result.wrong_elements = run.wrong_elements;
  result.verdict = run.observed == Outcome::right ? Verdict::defect : Verdict::wrong;
  if (run.observed == Outcome::fails_to_compile)
    judge_compile_error(run, text, result);
  else if (!watched.defects.empty() && !is_stopped)
    judge_defects(watched, arrays, text, result);
  else
    judge_result(run, result);
  if (is_stopped && !watched.defects.empty()) result.details.push_back("before that: " + watched.worst);
  result.source = line_of(text, result.line);
}

namespace {

// Number of errors that are kept: a missing bracket makes hundreds.
constexpr std::size_t max_errors = 20;

bool is_in_result(const device::Diagnostic& error, const CheckResult& result) {
  return std::ranges::any_of(result.related, [&](const CheckPlace& place) {
    return place.line == error.line && place.text == error.message;
  });
}

// Adds the compiler's errors, and their notes. The result is about the first error, so only the column of
// that is new. A compiler prints a note after the error that it belongs to.
void add_errors(const device::KernelSource& source, CheckResult& result) {
  bool is_first = true;
  for (const device::Diagnostic& diagnostic : device::diagnostics(source.name, result.compiler_log)) {
    const bool is_error = diagnostic.kind == "error";
    if (is_error && is_first) {
      is_first = false;
      if (diagnostic.line == result.line) {
        result.column = diagnostic.column;
        continue;
      }
    }
    const bool belongs_to_error = diagnostic.kind == "note" && !is_first;
    if (!is_error && !belongs_to_error) continue;
    if (is_in_result(diagnostic, result) || result.related.size() >= max_errors) continue;
    result.related.push_back({.line = diagnostic.line,
                              .column = diagnostic.column,
                              .pattern = is_error ? result.pattern : "",
                              .text = diagnostic.message});
  }
}

}  // namespace

void find_places(const device::KernelSource& source, CheckResult& result) {
  result.column = 0;
  if (!result.compiler_log.empty()) add_errors(source, result);
  if (result.column == 0) result.column = column_of(source.text, result.line);
  for (CheckPlace& place : result.related) {
    place.source = line_of(source.text, place.line);
    if (place.column == 0) place.column = column_of(source.text, place.line);
  }
}

bool names_cause(const Explanation& wrong) {
  return run::validate::specificity_of(wrong.pattern) != run::validate::Specificity::kind ||
         !wrong.model.empty() || !wrong.others.empty();
}

bool is_refuted(const Explanation& wrong, const Problem& few, const CheckResult& many) {
  const auto is_input = [](const SizedArray& array) { return array.role == Role::input; };
  return !many.first_differences.empty() && !many.first_differences.front().is_poison &&
         std::ranges::none_of(few.arrays, is_input) &&
         std::ranges::find(few.typically_wrong, wrong.pattern, &TypicalResult::pattern) !=
             few.typically_wrong.end();
}

}  // namespace gpulab::check
