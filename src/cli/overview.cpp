#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <regex>
#include <utility>

#include "base/lists.hpp"
#include "base/output.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "check/explanations.hpp"
#include "check/files.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/documents.hpp"
#include "run/ranks/links.hpp"

namespace gpulab::cli {
namespace {

ExitCode list_patterns(const std::string& format) {
  if (format == "json") throw UsageError("list --patterns prints text only");
  std::string text;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    std::vector<Row> rows;
    for (const check::PatternHint& hint : group.patterns) rows.emplace_back(hint.pattern, hint.hint);
    text += (text.empty() ? "" : "\n") + group.title + ":\n" + rows_text(rows);
  }
  print(text);
  return ExitCode::ok;
}

// Lists each lesson in one line.
std::string titles_text(const std::vector<Lesson>& lessons) {
  std::vector<Row> rows;
  for (const Lesson& lesson : lessons) {
    std::string title = lesson.title;
    for (const std::string& alias : lesson.aliases) title += "; also called " + alias;
    rows.emplace_back(lesson.name, std::move(title));
  }
  return rows_text(rows);
}

}  // namespace

void add_list(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("list", "list the lessons, or the variants of one");
  auto lesson = std::make_shared<std::string>();
  add_value(*command, "lesson", *lesson, "LESSON", "its default size and its variants");
  auto format = std::make_shared<std::string>();
  auto patterns = std::make_shared<bool>(false);
  command->add_flag("--patterns", *patterns,
                    "list the patterns that check may find, in place of the lessons");
  add_format_option(*command, *format);
  set_action(*command, context, [lesson, format, patterns] {
    if (*patterns) return list_patterns(*format);
    const auto lessons = lesson->empty() ? all_lessons() : std::vector{find_lesson(*lesson)};
    if (*format == "json")
      ReportOutput({}).write(run::catalogue_json(lessons));
    else if (lesson->empty())
      print(titles_text(lessons));
    else
      print(run::lesson_entry_text(lessons.front(), style_of_stdout()));
    return ExitCode::ok;
  });
}

namespace {

constexpr std::size_t indent = 2;

// Indents all lines and wraps paragraphs at the width. Lines that are already indented are code: they are not
// wrapped, and empty lines separate them from the paragraphs.
std::string indented(const std::string& text, const TextStyle& style) {
  const std::size_t width = std::max<std::size_t>(style.width, 40) - indent;
  std::string result;
  bool is_after_code = true;
  for (const std::string& line : lines_of(text)) {
    const bool is_code = line.starts_with(' ');
    if (is_code != is_after_code && !result.empty()) result += "\n";
    is_after_code = is_code;
    for (const std::string& part : is_code ? std::vector{line} : wrapped(line, width))
      result += std::string(indent, ' ') + part + "\n";
  }
  return result;
}

std::string without_backticks(std::string text) {
  std::erase(text, '`');
  return text;
}

std::string text_of(const check::GlossaryTerm& term, const TextStyle& style) {
  std::string text = painted(term.name, Ink::bold, style) + "\n";
  if (!term.aliases.empty())
    text += paragraph(fmt::format("also: {}", fmt::join(term.aliases, ", ")), Ink::faint, style);
  text += "\n" + indented(without_backticks(term.text), style) + "\n";
  for (const auto& [label, value] : term.facts) {
    const std::string shown = label == "Kernel" ? "gpulab show " + value : without_backticks(value);
    for (const std::string& line : wrapped(fmt::format("{}: {}", label, shown), style.width, indent))
      text += line + "\n";
  }
  return text;
}

const check::PatternGroup& group_of(const check::PatternHint& pattern) {
  return *std::ranges::find_if(check::pattern_groups(), [&](const check::PatternGroup& group) {
    return std::ranges::any_of(group.patterns, [&](const auto& member) { return &member == &pattern; });
  });
}

// Returns the exercises that have a mistake with that pattern, and the command that shows the first mistake.
std::string exercises_with(const check::PatternHint& pattern) {
  std::vector<std::string> exercises;
  std::string command;
  for (const EmbeddedMistake& mistake : embedded_mistakes()) {
    const std::string expected = check::said_in_mistake(mistake.text, "expect: ");
    if (expected.substr(0, expected.find(' ')) != pattern.pattern) continue;
    if (command.empty() && check::said_in_mistake(mistake.text, "demo: ") != "left out") {
      const std::filesystem::path file = replaced(mistake.name, '_', '-');
      command = fmt::format(": gpulab demo mistakes {} --from {}", mistake.exercise, file.stem().string());
    }
    if (exercises.empty() || exercises.back() != mistake.exercise) exercises.emplace_back(mistake.exercise);
  }
  return fmt::format("{}{}", fmt::join(exercises, ", "), command);
}

std::string text_of(const check::PatternHint& pattern, const TextStyle& style) {
  const check::PatternGroup& group = group_of(pattern);
  std::string text =
      fmt::format("{} (pattern: {}){}{}\n\n{}", painted(pattern.pattern, Ink::bold, style), group.title,
                  pattern.summary.empty() ? "" : "\n", pattern.summary, indented(pattern.hint, style));
  if (!pattern.wrong_line.empty())
    text += fmt::format("\n  {}  {}\n  {}  {}\n", painted("wrong", Ink::red, style), pattern.wrong_line,
                        painted("right", Ink::green, style), pattern.right_line);
  text += "\n" + indented("Found " + group.found + ".", style);
  const std::string exercises = exercises_with(pattern);
  return exercises.empty() ? text : text + indented("In " + exercises, style);
}

// Lists words under a title, as many in a line as fit.
std::string words_text(const std::string& title, const std::vector<std::string>& words,
                       const TextStyle& style) {
  std::string text = title + ":\n";
  for (const std::string& line : wrapped(fmt::format("{}", fmt::join(words, ", ")), style.width - indent))
    text += std::string(indent, ' ') + line + "\n";
  return text;
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

// Lists the terms and the groups of patterns: all patterns would fill several screens.
ExitCode list_words(const TextStyle& style) {
  std::vector<std::string> groups;
  for (const check::PatternGroup& group : check::pattern_groups())
    groups.push_back(fmt::format("{} ({})", in_lower_case(group.title), group.patterns.size()));
  print(words_text("Terms", transformed(check::glossary(), &check::GlossaryTerm::name), style) + "\n" +
        words_text("Patterns that a check names; gpulab explain GROUP lists a group", groups, style));
  return ExitCode::ok;
}

const check::PatternGroup* find_group(const std::string& name) {
  for (const check::PatternGroup& group : check::pattern_groups())
    if (in_lower_case(group.title) == in_lower_case(name)) return &group;
  return nullptr;
}

std::string text_of(const check::PatternGroup& group, const TextStyle& style) {
  std::size_t widest = 0;
  for (const check::PatternHint& hint : group.patterns) widest = std::max(widest, hint.pattern.size() + 2);
  std::string text = painted(group.title, Ink::bold, style) + "\n";
  for (const check::PatternHint& hint : group.patterns) {
    std::string before_line(widest - hint.pattern.size(), ' ');
    text += painted(hint.pattern, Ink::bold, style);
    for (const std::string& line : wrapped(hint.summary, style.width - widest))
      text += std::exchange(before_line, "\n" + std::string(widest, ' ')) + line;
    text += "\n";
  }
  return text;
}

// Lists the special cases of a pattern that are in other groups, after the term that has the pattern's name:
// a user who asks for out-of-bounds may mean one of them. Returns empty if there is no special case.
std::string list_of_special_cases(const check::GlossaryTerm* term, const check::PatternHint& pattern,
                                  const TextStyle& style) {
  std::vector<Row> rows;
  for (const check::PatternGroup& group : check::pattern_groups())
    for (const check::PatternHint& hint : group.patterns)
      if (check::is_kind_of(hint.pattern, pattern.pattern) && &group != &group_of(pattern))
        rows.emplace_back(hint.pattern, hint.summary);
  if (rows.empty()) return "";
  if (term) rows.insert(rows.begin(), {term->name, "the term"});
  return paragraph("Which one? gpulab explain NAME explains each; " + pattern.pattern + " alone is below.",
                   Ink::plain, style) +
         rows_text(rows);
}

// Returns the term with a name or alias that begins with these words, if no other term has one.
const check::GlossaryTerm* only_term_that_begins(const std::string& words) {
  const check::GlossaryTerm* only = nullptr;
  for (const check::GlossaryTerm& term : check::glossary()) {
    const auto begins = [&](const std::string& name) { return name.starts_with(words + " "); };
    if (!begins(term.name) && std::ranges::none_of(term.aliases, begins)) continue;
    if (only) return nullptr;
    only = &term;
  }
  return only;
}

ExitCode explain(const std::vector<std::string>& words) {
  const TextStyle style = style_of_stdout();
  if (words.empty()) return list_words(style);
  const std::string typed = fmt::format("{}", fmt::join(words, " "));
  static const std::regex asking(R"(^(what|how) (is|are|does) (an? |the )?|( mean)?\s*\?$)",
                                 std::regex::icase);
  const std::string name = std::regex_replace(typed, asking, "");
  const check::GlossaryTerm* term = check::find_term(name);
  const check::PatternHint* pattern = check::find_pattern(name);
  if (!term && !pattern) term = only_term_that_begins(name);
  if (const check::PatternGroup* group = find_group(name); group && !term && !pattern) {
    print(text_of(*group, style));
    return ExitCode::ok;
  }
  if (!term && !pattern) {
    for (const Lesson& lesson : all_lessons())
      if (lesson.is_called(name))
        throw UsageError(
            fmt::format("{0} is a lesson, not a term; gpulab {0} --help explains it", lesson.name));
    std::vector<std::string> known = transformed(check::glossary(), &check::GlossaryTerm::name), near;
    std::ranges::copy_if(known, std::back_inserter(near), [&](const std::string& term) {
      return in_lower_case(name).find(in_lower_case(term)) != std::string::npos;
    });
    const std::string otherwise =
        near.empty() ? "gpulab explain lists them" : "near it: " + fmt::format("{}", fmt::join(near, ", "));
    for (const check::GlossaryTerm& entry : check::glossary())
      std::ranges::copy(entry.aliases, std::back_inserter(known));
    for (const check::PatternGroup& group : check::pattern_groups())
      for (const check::PatternHint& hint : group.patterns) known.push_back(hint.pattern);
    throw UsageError(
        fmt::format("there is no term or pattern '{}'; {}", name, suggestion(name, known, otherwise)));
  }
  std::string text = pattern ? list_of_special_cases(term, *pattern, style) : "";
  if (term && text.empty()) text = text_of(*term, style);
  if (pattern) text += (text.empty() ? "" : "\n") + text_of(*pattern, style);
  print(text);
  return ExitCode::ok;
}

}  // namespace

void add_explain(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("explain", "explain a term, or a pattern that check found");
  auto words = std::make_shared<std::vector<std::string>>();
  add_value(*command, "word", *words, "TERM",
            "a term, such as 'bank conflict', a pattern or a group of patterns; default: list them");
  set_action(*command, context, [words] { return explain(*words); });
}

namespace {

std::string mark_of(const run::Component& component, const TextStyle& style) {
  if (component.found) return painted("ok     ", Ink::green, style);
  return component.is_optional ? "none   " : painted("missing", Ink::yellow, style);
}

std::string text_of(const run::Diagnosis& diagnosis, const TextStyle& style) {
  constexpr std::size_t width_of_marks = 8;
  std::string text;
  const auto add = [&](const std::string& line) {
    std::string separator = "";
    for (const std::string& part : wrapped(line, style.width - width_of_marks)) {
      text += separator + part + "\n";
      separator = std::string(width_of_marks, ' ');
    }
  };
  for (const run::Component& component : diagnosis.components) {
    text += mark_of(component, style) + " ";
    add(component.what + ": " + component.detail);
    if (component.fix.empty()) continue;
    text += std::string(width_of_marks, ' ');
    add("to fix it: " + component.fix);
  }
  const char* devices = diagnosis.can_simulate ? "the simulator" : "nothing yet: fix one of the above";
  if (diagnosis.can_use_gpu) devices = diagnosis.can_simulate ? "the GPU and the simulator" : "the GPU";
  return text + fmt::format("\nlessons can run on {}\n", devices);
}

ExitCode examine(const std::string& format, bool measure) {
  const run::Diagnosis diagnosis = run::examine_machine();
  const auto devices = run::all_devices();
  const auto [links, all_reduce] =
      measure ? run::ranks::measured_links() : run::ranks::MeasuredLinks{run::ranks::all_links(), {}};
  const TextStyle style = style_of_stdout();
  if (format == "json")
    ReportOutput({}).write(run::machine_json(diagnosis, devices, links, all_reduce));
  else
    print(text_of(diagnosis, style) + "\n" + run::devices_text(devices, style) +
          (links.empty() ? "" : "\n" + run::ranks::links_text(links, all_reduce, style)) +
          (links.empty() && measure ? "\nthere are no two GPUs to copy between\n" : ""));
  return diagnosis.can_simulate || diagnosis.can_use_gpu ? ExitCode::ok : ExitCode::device;
}

}  // namespace

void add_doctor(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("doctor", "say what this machine has and lacks, and how to fix it");
  auto format = std::make_shared<std::string>();
  auto measure = std::make_shared<bool>(false);
  command->add_flag("--measure", *measure, "copy between each two GPUs, and show how fast that is");
  add_format_option(*command, *format);
  set_action(*command, context, [format, measure] { return examine(*format, *measure); });
}

}  // namespace gpulab::cli
