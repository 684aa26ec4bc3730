#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>

#include "base/table.hpp"
#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "check/explanations.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"

namespace gpulab::check {

std::string quoted(const std::string& word) {
  constexpr const char* harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Returns whether gpulab can tell the exercise by the name of the file: shared_histogram.cu,
// shared_histogram.1.cu; streams.1.cu of the exercise streams.cu.
bool names_its_exercise(const CheckResult& result) {
  const std::string stem = replaced(result.exercise.substr(0, result.exercise.find('.')), '-', '_');
  return file_name(result.file).starts_with(stem + ".");
}

// Breaks a command into lines as a shell reads them.
std::string command_lines(const std::string& command, std::size_t width) {
  constexpr std::size_t indent = 4, continuation = 2;
  if (display_width(command) <= width) return command;
  std::string text;
  for (const std::string& line : wrapped(command, width - continuation, indent))
    text += (text.empty() ? "" : " \\\n") + line;
  return text;
}

}  // namespace

std::string check_command(const CheckResult& result) {
  if (result.exercise.empty() && (result.is_program || result.verdict != Verdict::not_checked))
    return "gpulab run " + quoted(result.file);
  const std::string command = "gpulab check " + quoted(result.file);
  return result.exercise.empty() || names_its_exercise(result) ? command
                                                               : command + " --exercise " + result.exercise;
}

std::string reproduce_command(const CheckResult& result) {
  if (!result.tried_with) return "";
  if (result.is_program)
    return fmt::format("gpulab run {} -- {}", quoted(result.file), result.tried_with->size);
  const auto& [size, seed, options, edge_inputs] = *result.tried_with;
  std::string command = check_command(result) + " --device simulator";
  if (size > 0) command += fmt::format(" --size {}", size);
  for (const auto& [name, word] : options) command += fmt::format(" --{} {}", name, quoted(word));
  if (edge_inputs) command += " --inputs edge";
  return command + fmt::format(" --block-size {} --seed {}", result.block_size, seed);
}

std::string next_commands(const CheckResult& result, const TextStyle& style, Detail detail) {
  constexpr std::size_t label_width = 8;
  const auto line = [&](const char* label, const std::string& text) {
    return painted(fmt::format("{:<{}}", label, label_width), Ink::faint, style) +
           command_lines(text, style.width - label_width) + "\n";
  };
  const bool is_program = result.exercise.empty();
  if (result.verdict == Verdict::right)
    return is_program ? "" : line("compare", "gpulab diff " + result.exercise) + line("next", "gpulab next");
  const PatternHint* const pattern = find_pattern(result.pattern);
  const bool has_example = pattern && !pattern->wrong_line.empty();  // more than the hint in the report
  const bool has_more = detail == Detail::brief && result.verdict != Verdict::not_checked;
  return (is_program ? "" : line("help", "gpulab hint " + result.exercise)) +
         (has_example ? line("explain", "gpulab explain " + result.pattern) : "") +
         line(has_more ? "more" : "then", check_command(result) + (has_more ? " --verbose" : ""));
}

namespace {

void add_row(Table& table, const VariantResult& variant, const VariantResult& yours) {
  std::vector<Cell> cells = {{variant.name, &variant == &yours ? Ink::bold : Ink::plain},
                             result_cell(variant)};
  if (!variant.kernel_cold) return table.add(std::move(cells), outcome_and_reason(variant, variant.size));
  const Timing& timing = *variant.kernel_cold;
  cells.push_back({duration_text(timing.median_s)});
  const auto half_width = timing.relative_half_width();
  cells.push_back({half_width ? "± " + percent_text(*half_width) : "", Ink::faint});
  if (yours.kernel_cold) cells.push_back({factor_text(yours.kernel_cold->median_s / timing.median_s)});
  table.add(std::move(cells));
}

}  // namespace

std::string gpu_check_table(const std::vector<VariantResult>& on_gpu, const TextStyle& style) {
  if (on_gpu.empty()) return "";
  Table table({{"on the GPU"},
               {"result"},
               {.title = "kernel, cold",
                .align = Align::right,
                .priority = 1,
                .legend = "cold: caches evicted before each launch, median"},
               {.title = "", .align = Align::right, .priority = 3},
               {.title = "against yours",
                .align = Align::right,
                .priority = 2,
                .legend = "x: times as fast as your kernel"}});
  for (const VariantResult& variant : on_gpu) add_row(table, variant, on_gpu.front());
  return table.text(style) + "\n" + paragraph(table.legend(style), Ink::faint, style);
}

std::string verdict_word(Verdict verdict, const std::string& pattern) {
  return pattern == name_of(DefectKind::missing_kernel) ? verdict_of_no_such_kernel : identifier(verdict);
}

namespace {

// Returns "DOES NOT COMPILE": the verdict in capitals, to be seen from afar.
Cell verdict_in_capitals(const CheckResult& result) {
  const Verdict verdict = result.verdict;
  std::string word = verdict_word(verdict, result.pattern);
  for (char& letter : word)
    letter = letter == '_' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  if (verdict == Verdict::right) return {word, Ink::green};
  const bool is_undecided = verdict == Verdict::unanswered || verdict == Verdict::not_checked;
  return {word, is_undecided ? Ink::yellow : Ink::red};
}

std::string heading(const CheckResult& result, const TextStyle& style) {
  const Cell verdict = verdict_in_capitals(result);
  const std::string pattern = replaced(result.pattern, '-', '_');
  const bool has_pattern = !pattern.empty() && pattern != identifier(result.verdict);
  std::string text = paragraph(
      fmt::format("{}  {}{}{}", verdict.text, result.exercise.empty() ? "" : result.exercise + " · ",
                  result.file, has_pattern ? " · " + result.pattern : ""),
      Ink::plain, style);
  return text.replace(0, verdict.text.size(), painted(verdict.text, verdict.ink, style));
}

// Describes the order in which the simulator runs the threads: one after another, not at the same time.
std::string order_in_words(const std::string& schedule) {
  if (schedule == "forward") return "its threads in order";
  if (schedule == "reverse") return "its threads in reverse order";
  return "its threads interrupted in between";
}

// Returns "at 1 000 work items in blocks of 256 threads, on the simulator, its threads in order".
std::string circumstances(const CheckResult& result, Detail detail) {
  if (result.verdict == Verdict::does_not_compile || result.verdict == Verdict::not_checked) return "";
  std::string text;
  if (result.size > 0)
    text += fmt::format(" at {} work item{}", grouped(result.size), result.size == 1 ? "" : "s");
  if (result.block_size > 0) text += fmt::format(" in blocks of {} threads", result.block_size);
  if (result.tried_with && !result.tried_with->options.empty()) {
    text += ", with";
    for (const auto& [name, word] : result.tried_with->options) text += fmt::format(" --{} {}", name, word);
  }
  if (result.tried_with && result.tried_with->edge_inputs) text += ", with edge inputs";
  if (!result.schedule.empty() && detail == Detail::all)
    text += ", on the simulator, " + order_in_words(result.schedule);
  return text.empty() ? "" : "shown" + text;
}

}  // namespace

std::string place_text(const std::string& file, int line, const std::string& source, const TextStyle& style,
                       std::size_t margin) {
  constexpr std::size_t indent = 4;
  const std::string where = fmt::format("{}:{}:", file, line), left(margin, ' ');
  std::string text;
  for (const std::string& part :
       wrapped(source.empty() ? where : where + " " + source, style.width - margin, indent))
    text += left + part + "\n";
  const bool is_whole = text.starts_with(left + where);  // not where a long path continues in the next line
  return is_whole ? text.replace(0, (left + where).size(), painted(left + where, Ink::bold, style)) : text;
}

namespace {

// Returns the line that the check is about, and the line of the other thread. Empty if a compiler's log shows
// the line anyway.
std::string places_text(const CheckResult& result, const TextStyle& style) {
  const bool does_summary_suffice = result.pattern == "not-begun";  // no line has a mistake
  if (result.line == 0 || !result.compiler_log.empty() || does_summary_suffice) return "";
  const std::string text = place_text(result.file, result.line, result.source, style);
  const CheckPlace* const other = result.related.empty() ? nullptr : &result.related.front();
  const bool has_other = other && other->pattern.empty() && other->line > 0 && other->line != result.line;
  return has_other ? text + place_text(result.file, other->line, other->source, style) : text;
}

std::string indented(const std::string& text, const TextStyle& style) {
  constexpr std::size_t indent = 2;
  std::string result;
  for (const std::string& line : wrapped(text, style.width - indent, 2))
    result += std::string(indent, ' ') + line + "\n";
  return result;
}

// Returns "[5] expected 3.5 (A[5] = 1.25, B[5] = 2.25), got 0" or "[6] expected 4, not written".
std::string difference_text(const Difference& difference) {
  const auto [expected, actual] = distinguishable(difference.expected, difference.actual);
  // Formats a number as distinguishable() does, with at least four digits.
  const auto input_text = [](double value) { return distinguishable(value, 0).expected; };
  std::string from;
  for (const InputValue& input : difference.inputs)
    from += fmt::format("{}{}{} = {}", from.empty() ? " (" : ", ", input.array,
                        index_text(input.index, input.row_length), input_text(input.value));
  return fmt::format("{} expected {}{}, {}", index_text(difference.index, difference.row_length), expected,
                     from.empty() ? "" : from + ")", actual_text(difference, actual));
}

// How many details and wrong elements a report shows.
struct Shown {
  std::size_t details = SIZE_MAX, differences = SIZE_MAX;
};

// Returns how much is shown. If a line is to blame, a brief report leaves out the wrong elements, as the line
// explains more. It keeps details of a program, which say what to write instead, and all details of a sheet,
// which say which answers are right.
Shown shown_in(const CheckResult& result, Detail detail) {
  // If the result is one number, the summary has it already, in fewer digits.
  const std::vector<Difference>& wrong = result.first_differences;
  const bool is_in_summary = wrong.size() == 1 && wrong.front().index == 0 && wrong.front().inputs.empty() &&
                             !wrong.front().is_poison;
  const std::size_t differences = is_in_summary ? 0 : wrong.size();
  if (detail == Detail::all || result.questions > 0) return {.differences = differences};
  if (result.is_program) return {.details = 2, .differences = differences};
  return {.details = 0, .differences = result.line > 0 ? 0 : std::min<std::size_t>(differences, 3)};
}

std::string evidence(const CheckResult& result, const TextStyle& style, Detail detail) {
  const Shown shown = shown_in(result, detail);
  std::string text;
  for (std::size_t i = 0; i < std::min(shown.details, result.details.size()); ++i)
    text += indented(result.details[i], style);
  for (std::size_t i = 0; i < std::min(shown.differences, result.first_differences.size()); ++i)
    text += indented(difference_text(result.first_differences[i]), style);
  if (const std::string where = circumstances(result, detail); !where.empty()) text += indented(where, style);
  if (!result.where.empty()) text += indented(result.where, style);
  return text;
}

std::string printed_lines(const CheckResult& result, const TextStyle& style, Detail detail) {
  constexpr std::size_t max_lines = 20;
  const std::size_t brief_lines = result.is_program ? 2 : 5;
  return printed_text(result.is_program ? "the program" : "the kernel", result.printed,
                      detail == Detail::all ? max_lines : brief_lines, style);
}

std::string remarks(const CheckResult& result, const TextStyle& style, Detail detail) {
  std::string text;
  if (result.verdict == Verdict::defect && !result.exercise.empty())
    text +=
        paragraph(fmt::format("The result is right on the simulator, but a {} with a defect does not pass.",
                              result.is_program ? "program" : "kernel"),
                  Ink::plain, style);
  if (!result.hint.empty()) text += labelled("hint", Ink::yellow, result.hint, style);
  // A brief report of a program has to fit 24 rows: it leaves out notes, which follow from what is wrong.
  const bool is_wrong = result.verdict == Verdict::wrong || result.verdict == Verdict::defect;
  if (!(result.is_program && is_wrong && detail == Detail::brief))
    for (const std::string& note : result.notes) text += labelled("note", Ink::blue, note, style);
  constexpr std::size_t label_width = std::string_view("again: ").size();
  if (const std::string again = reproduce_command(result); !again.empty() && detail == Detail::all)
    text += fmt::format("{}: {}\n", painted("again", Ink::bold, style),
                        command_lines(again, style.width - label_width));
  return text;
}

// Removes control characters from what a learner has written: an instructor's terminal must not obey them.
CheckResult with_printable_texts(CheckResult result) {
  result.file = printable(result.file);
  for (std::string* text : {&result.summary, &result.source, &result.compiler_log})
    *text = printable_lines(*text);
  for (std::string& detail : result.details) detail = printable_lines(detail);
  return result;
}

// Leaves out the begin of long lines of source, and of the lines below that point into them.
std::vector<std::string> excerpts_around_carets(std::vector<std::string> lines, std::size_t width) {
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::size_t bar = lines[i].find(" | "), caret = lines[i + 1].find('^');
    if (!lines[i].starts_with(' ') || bar > caret || caret == std::string::npos || caret + 8 < width)
      continue;
    const std::size_t left_out = caret - width / 2;
    lines[i].replace(bar + 3, left_out + 3, "...");
    lines[i + 1].erase(bar + 3, left_out);
  }
  return lines;
}

}  // namespace

std::string compiler_lines(const std::string& log, const TextStyle& style, Detail detail) {
  constexpr std::size_t indent = 4;
  std::string text;
  std::size_t errors = 0;
  for (const std::string& line : excerpts_around_carets(lines_of(log), style.width)) {
    errors += line.find("error: ") != std::string::npos;
    if (line.find("is defined in header") != std::string::npos) break;  // a header of the host, for a kernel
    if ((errors > 1 && detail == Detail::brief) || line.find(": In function ") != std::string::npos) continue;
    const bool is_excerpt = line.starts_with(' ');
    for (const std::string& part :
         is_excerpt ? std::vector{cut(line, style.width)} : wrapped(line, style.width, indent))
      text += part + "\n";
  }
  return text;
}

std::string check_text(const CheckResult& as_found, const TextStyle& style, Detail detail) {
  const CheckResult result = with_printable_texts(as_found);
  std::string text = heading(result, style);
  if (!result.summary.empty()) text += paragraph(result.summary, Ink::plain, style);
  const std::string predicted = result.predicted ? run::predicted_text(*result.predicted) : "";
  if (!predicted.empty()) text += paragraph(predicted, Ink::plain, style);
  for (const std::string& block :
       {places_text(result, style) + evidence(result, style, detail), printed_lines(result, style, detail),
        compiler_lines(result.compiler_log, style, detail), gpu_check_table(result.on_gpu, style),
        remarks(result, style, detail), next_commands(result, style, detail)})
    if (!block.empty()) text += "\n" + block;
  return text;
}

std::string check_line(const CheckResult& result, const TextStyle& style) {
  std::string text = heading(result, style);
  for (const std::string& note : result.notes) text += labelled("note", Ink::blue, note, style);
  return text;
}

std::string checks_text(const std::vector<CheckResult>& results, const TextStyle& style, Detail detail) {
  if (results.size() == 1) return check_text(results.front(), style, detail);
  std::string text;
  for (const CheckResult& result : results) text += check_line(result, style);
  const auto failed = std::ranges::find_if(
      results, [](const CheckResult& result) { return result.verdict != Verdict::right; });
  return failed == results.end() ? text : text + "\n" + check_text(*failed, style, detail);
}

std::string checks_summary(const std::vector<CheckResult>& results) {
  const auto has_passed = [](const CheckResult& result) { return result.verdict == Verdict::right; };
  const auto passed = std::ranges::count_if(results, has_passed);
  const auto first = std::ranges::find_if_not(results, has_passed);
  std::string text = fmt::format("{} of {} passed", passed, results.size());
  const auto is_exercise = [](const CheckResult& result) { return !result.exercise.empty(); };
  if (first != results.end())
    text += ", the first that has not: " + check_command(*first);
  else if (std::ranges::all_of(results, is_exercise))
    text += ", next: gpulab next";
  return text + "\n";
}

namespace {

std::string headed(const std::string& heading, Ink ink, const std::string& text, const TextStyle& style) {
  constexpr std::size_t indent = 2;
  std::string result = painted(heading, ink, style) + "\n";
  for (const std::string& line : wrapped(text, style.width - indent))
    result += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
  return result + "\n";
}

}  // namespace

std::string hint_text(const TakenHint& hint, const TextStyle& style, bool has_passed) {
  const std::size_t total = hint.first + hint.texts.size() - 1 + hint.left;
  std::string text;
  if (!hint.pattern.empty())
    text += headed("the last check showed " + hint.pattern, Ink::yellow, hint.advice, style);
  for (std::size_t i = 0; i < hint.texts.size(); ++i)
    text += headed(fmt::format("{}, hint {} of {}", hint.exercise, hint.first + i, total), Ink::bold,
                   flowing_text(hint.texts[i]), style);
  if (hint.left > 0) return text + fmt::format("{} left: gpulab hint {}\n", hint.left, hint.exercise);
  return text +
         fmt::format("none left: gpulab solution {}{}\n", hint.exercise, has_passed ? "" : " --anyway");
}

namespace {

Cell state_cell(const ExerciseProgress& progress) {
  switch (progress.state) {
    case ExerciseState::not_started:
      return {"-"};
    case ExerciseState::started:
      return {"started", Ink::yellow};
    case ExerciseState::passed:
      break;
  }
  if (progress.read_solution) return {"passed, solution read", Ink::green};
  return {"passed", Ink::green};
}

std::string summary(const std::vector<ExerciseStanding>& standings) {
  std::size_t passed = 0, passed_after_reading = 0;
  for (const ExerciseStanding& standing : standings) {
    if (standing.progress.state != ExerciseState::passed) continue;
    ++passed;
    if (standing.progress.read_solution) ++passed_after_reading;
  }
  std::string text = fmt::format("{} of {} passed", passed, standings.size());
  if (passed_after_reading > 0) text += fmt::format(" ({} after reading the solution)", passed_after_reading);
  if (const ExerciseStanding* next = first_not_passed(standings))
    text += ", next is " + next->exercise.name + ": gpulab next";
  return text + "\n";
}

}  // namespace

std::string progress_text(const std::vector<ExerciseStanding>& standings, const TextStyle& style) {
  Table table({{"exercise"},
               {"state"},
               {"on", Align::left, 3},
               {"checks", Align::right, 1},
               {"hints", Align::right, 2},
               {"last check", Align::left, 4}});
  for (const auto& [exercise, progress] : standings) {
    const bool begun = progress.state != ExerciseState::not_started;
    table.add({{exercise.name, Ink::bold},
               state_cell(progress),
               {progress.passed_on},
               {begun ? std::to_string(progress.checks) : ""},
               {begun ? fmt::format("{} of {}", progress.hints_taken, exercise.hints.size()) : ""},
               {progress.last_pattern}});
  }
  return table.text(style) + "\n" + summary(standings);
}

}  // namespace gpulab::check
