#include "report/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/number_text.hpp"
#include "report/check_commands.hpp"
#include "report/gpu_check_table.hpp"
#include "report/paragraphs.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"
#include "report/text_layout.hpp"

namespace gpulab {
namespace {

Cell verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return {"PASSED", Ink::green};
    case Verdict::defect:
      return {"DEFECT", Ink::red};
    case Verdict::wrong:
      return {"WRONG", Ink::red};
    case Verdict::does_not_compile:
      break;
  }
  return {"REFUSED", Ink::red};
}

std::string heading(const CheckResult& result, const TextStyle& style) {
  const Cell verdict = verdict_word(result.verdict);
  std::string text =
      paragraph(fmt::format("{}  {} · {}", verdict.text, result.exercise, result.file), Ink::plain, style);
  return text.replace(0, verdict.text.size(), painted(verdict.text, verdict.ink, style));
}

// Of the simulator, which does not run threads side by side.
std::string order_in_words(const std::string& schedule) {
  if (schedule == "forward") return "its threads in order";
  if (schedule == "reverse") return "its threads in reverse order";
  return "its threads interrupted in between";
}

// "at 1 000 work items in blocks of 256 threads, with --values zero, on the simulator, its threads in order"
std::string circumstances(const CheckResult& result) {
  if (result.verdict == Verdict::does_not_compile) return "";
  std::string text;
  if (result.size > 0) text += fmt::format(" at {} work items", grouped(result.size));
  if (result.block_size > 0) text += fmt::format(" in blocks of {} threads", result.block_size);
  if (result.tried_with && !result.tried_with->options.empty()) {
    text += ", with";
    for (const auto& [name, word] : result.tried_with->options) text += fmt::format(" --{} {}", name, word);
  }
  if (!result.schedule.empty()) text += ", on the simulator, " + order_in_words(result.schedule);
  return text.empty() ? "" : "shown" + text;
}

std::string source_line(const CheckResult& result, const TextStyle& style) {
  if (result.line == 0) return "";
  return painted(fmt::format("{}:{}:", result.file, result.line), Ink::bold, style) + " " + result.source +
         "\n";
}

std::string indented(const std::string& text, const TextStyle& style) {
  constexpr std::size_t indent = 2;
  std::string result;
  for (const std::string& line : wrapped(text, style.width - indent, 2))
    result += std::string(indent, ' ') + line + "\n";
  return result;
}

// "[5] expected 3.5 (A[5] = 1.25, B[5] = 2.25), got 0"; "[6] expected 4, not written"
std::string difference_text(const Difference& difference) {
  std::string from;
  for (const auto& [array, index, value] : difference.inputs)
    from += fmt::format("{}{}[{}] = {}", from.empty() ? " (" : ", ", array, index, element_text(value));
  return fmt::format("[{}] expected {}{}, {}", difference.index, element_text(difference.expected),
                     from.empty() ? "" : from + ")", actual_text(difference));
}

std::string evidence(const CheckResult& result, const TextStyle& style) {
  std::string text = source_line(result, style);
  for (const std::string& detail : result.details) text += indented(detail, style);
  for (const Difference& difference : result.first_differences)
    text += indented(difference_text(difference), style);
  if (const std::string where = circumstances(result); !where.empty()) text += indented(where, style);
  return text;
}

std::string remarks(const CheckResult& result, const TextStyle& style) {
  std::string text;
  if (result.verdict == Verdict::defect)
    text +=
        paragraph("It came out right on the simulator; with a defect it does not pass.", Ink::plain, style);
  if (!result.hint.empty()) text += labelled("hint", Ink::yellow, result.hint, style);
  for (const std::string& note : result.notes) text += labelled("note", Ink::blue, note, style);
  if (const std::string again = reproduce_command(result); !again.empty())
    text += painted("again", Ink::bold, style) + ": " + again + "\n";
  return text;
}

std::string with_line_end(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace

std::string check_text(const CheckResult& result, const TextStyle& style) {
  std::string text = heading(result, style);
  if (!result.summary.empty()) text += paragraph(result.summary, Ink::plain, style);
  for (const std::string& block :
       {evidence(result, style), with_line_end(result.compiler_log), gpu_check_table(result.on_gpu, style),
        remarks(result, style), next_commands(result, style)})
    if (!block.empty()) text += "\n" + block;
  return text;
}

std::string check_line(const CheckResult& result, const TextStyle& style) {
  return heading(result, style);
}

std::string checks_summary(const std::vector<CheckResult>& results) {
  const auto has_passed = [](const CheckResult& result) { return result.verdict == Verdict::right; };
  const auto passed = std::ranges::count_if(results, has_passed);
  const auto first = std::ranges::find_if_not(results, has_passed);
  std::string text = fmt::format("{} of {} passed", passed, results.size());
  if (first != results.end()) text += ", the first that has not: " + check_command(*first);
  return text + "\n";
}

}  // namespace gpulab
