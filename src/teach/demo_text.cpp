#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "check/explanations.hpp"
#include "check/files.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "source/cuda_text.hpp"
#include "source/source_parts.hpp"
#include "teach/demo.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

void add(ScreenLines& lines, const std::string& text, std::size_t width, std::size_t indent = 0,
         Ink ink = Ink::plain, ScreenLine::Part part = ScreenLine::Part::other) {
  for (std::string& line : wrapped(text, width, indent)) lines.push_back({std::move(line), ink, part});
}

// Returns the limits of a ratio that the choice's words leave open, such as " (0.9 to 1.1)"; else nothing.
std::string limits_of(const DemoQuestion& question, const DemoChoice& choice) {
  const auto is_named = [&](double limit) {
    return std::isinf(limit) || choice.text.find(fmt::format("{:g}", limit)) != std::string::npos;
  };
  const bool is_ratio = question.answer.kind == DemoAnswer::Kind::times_as_fast ||
                        question.answer.kind == DemoAnswer::Kind::figure_ratio;
  if (!is_ratio || (is_named(choice.least) && is_named(choice.below))) return "";
  if (std::isinf(choice.least)) return fmt::format(" (below {:g})", choice.below);
  if (std::isinf(choice.below)) return fmt::format(" (from {:g})", choice.least);
  return fmt::format(" ({:g} to {:g})", choice.least, choice.below);
}

// Returns a choice's text and, after the run, its votes. People who see others' votes would vote the same.
std::pair<std::string, std::string> choice_and_votes(const DemoScene& scene, std::size_t index) {
  const DemoQuestion& question = *scene.current().question;
  const DemoChoice& choice = question.choices[index];
  const unsigned votes = scene.reveal && index < scene.votes.size() ? scene.votes[index] : 0;
  const bool is_answer = scene.reveal && scene.reveal->choice == index;
  return {
      fmt::format("{} {}  {}{}", is_answer ? ">" : " ", index + 1, choice.text, limits_of(question, choice)),
      votes == 0 ? "" : fmt::format("   ({})", votes)};
}

ScreenLines question_block(const DemoScene& scene, std::size_t width, Space space) {
  ScreenLines lines;
  if (!scene.current().question) return lines;
  const DemoQuestion& question = *scene.current().question;
  add(lines, question.text, width, 0, Ink::bold, ScreenLine::Part::question);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const bool is_answer = scene.reveal && scene.reveal->choice == i;
    auto [text, votes] = choice_and_votes(scene, i);
    if (scene.reveal && space != Space::ample) text = cut(text, width - std::min(width, votes.size()));
    const bool is_spare = scene.reveal && scene.reveal->choice && !is_answer && votes.empty();
    add(lines, text + votes, width, 5, is_answer ? Ink::bold : Ink::plain,
        is_spare ? ScreenLine::Part::spare_choice : ScreenLine::Part::choice);
  }
  return lines;
}

std::string verdict(const DemoScene& scene) {
  const DemoReveal& reveal = *scene.reveal;
  if (!reveal.unknown.empty()) return "no answer here: " + reveal.unknown;
  std::string text = "IT IS: " + reveal.answer;
  if (!reveal.basis.empty()) text += " (" + reveal.basis + ")";
  if (reveal.choice || scene.is_edited) return text;
  return text + (scene.text_is_for.empty() ? ", which is none of the choices"
                                           : "; the choices and reasons are for " + scene.text_is_for);
}

// Draws the rule above the answer, with how many of the class had it.
std::string rule_of_answer(const DemoScene& scene, std::size_t width) {
  const DemoReveal& reveal = *scene.reveal;
  const bool is_counted = reveal.unknown.empty() && reveal.choice && votes_of(scene) > 0 && !scene.is_edited;
  return fmt::format(
      "{:-<{}}",
      is_counted ? fmt::format("{} of {} votes ", scene.votes[*reveal.choice], votes_of(scene)) : "", width);
}

// Returns " at size 4 097" or, of an exercise without a size, " with m 2, n 2, k 33".
std::string settings_of(const CheckResult& result) {
  if (result.tried_with && result.tried_with->size > 0) return " at size " + grouped(result.tried_with->size);
  std::vector<std::string> settings;
  if (result.tried_with)
    for (const auto& [name, word] : result.tried_with->options) settings.push_back(name + " " + word);
  if (!settings.empty()) return fmt::format(" with {}", fmt::join(settings, ", "));
  return result.size > 0 ? fmt::format(" at {}", counted(result.size, "element")) : "";
}

// Returns what check has counted: the reason why the choice "it passes" is wrong.
std::string numbers_of(const CheckResult& result) {
  const std::string where = settings_of(result);
  if (result.verdict == Verdict::right) return "";
  if (result.wrong_elements > 0)
    return fmt::format("Check counts {} in the result{}.", counted(result.wrong_elements, "wrong value"),
                       where);
  return result.line > 0 ? fmt::format("Check finds a defect in line {}{}.", result.line, where)
                         : fmt::format("Check finds a defect{}.", where);
}

// Returns what check has found that a kernel with the pattern of a choice would not have: an element of the
// wrong result or, if no value is wrong, that. Empty if there is nothing.
std::string finding_against(const DemoChoice& choice, const CheckResult& result) {
  const bool has_values = result.verdict == Verdict::right || result.verdict == Verdict::defect;
  if (choice.is_about_values && has_values && result.wrong_elements == 0)
    return "Check counts no wrong value.";
  const std::string& pattern = choice.word;
  const bool is_zero = pattern.find("zero") != std::string::npos;
  const bool is_missing =
      pattern.starts_with("unwritten") || pattern.starts_with("only-") || pattern == "partial-last-block";
  for (const auto& [index, expected, actual, inputs, is_poison, row_length] : result.first_differences) {
    if (is_poison && is_zero)
      return fmt::format("Nobody stores element {}: it holds what was there before.", grouped(index));
    if (!is_poison && (is_missing || (is_zero && actual != 0)))
      return fmt::format("Element {} is wrong, but stored: as {} in place of {}.", grouped(index),
                         element_text(actual), element_text(expected));
  }
  return "";
}

// Adds the reasons against wrong choices: those that the class made or, in ample space, all if nobody voted;
// all beside another report, which has room.
void add_temptations(ScreenLines& lines, const DemoScene& scene, std::size_t width, Tables tables,
                     Space space) {
  const DemoQuestion& question = *scene.current().question;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const bool is_shown =
        tables == Tables::left_out || (votes_of(scene) == 0 ? space == Space::ample : scene.votes[i] > 0);
    const std::string why_not = reason_against(scene, i);
    if (scene.reveal->choice == i || !is_shown || why_not.empty()) continue;
    const std::size_t first = lines.size();
    add(lines, fmt::format("not {}: {}", i + 1, why_not), width, 2);
    for (std::size_t k = first; k < lines.size(); ++k) {
      lines[k].part = k == first ? ScreenLine::Part::about_a_choice : ScreenLine::Part::more_about_a_choice;
      lines[k].choice = i;
      lines[k].votes = scene.votes.empty() ? 0 : scene.votes[i];
    }
  }
}

// Returns whether the reason is what check says: the file of an instructor's mistake need not say why.
bool has_only_checks_reason(const DemoScene& scene) {
  const std::optional<std::size_t> choice = scene.reveal->choice;
  return choice && scene.reveal->check && !scene.is_edited &&
         scene.current().question->choices[*choice].because.empty();
}

// Leaves out what check says beside its report, which says it, too.
void add_why(ScreenLines& lines, const DemoScene& scene, std::size_t width, Tables tables) {
  const auto& question = scene.current().question;
  if (question) add(lines, verdict(scene), width, 2, Ink::bold, ScreenLine::Part::verdict);
  if (scene.is_edited)
    return add(lines,
               fmt::format("This kernel was edited, so the demo's {}reasons are left out.",
                           scene.reveal->choice ? "" : "choices and "),
               width, 2);
  const auto choice = scene.reveal->choice;
  if (has_only_checks_reason(scene)) {
    if (tables == Tables::shown) add(lines, scene.reveal->check->summary, width, 2);
  } else if (choice && !question->choices[*choice].because.empty())
    add(lines, question->choices[*choice].because, width, 2);
  else if (choice && scene.current().mistake.empty())
    add(lines, "The demo has no reason for this answer: it was not expected on this device.", width, 2);
  if (!scene.current().because.empty()) add(lines, scene.current().because, width, 2);
  const bool is_said_in_verdict = question && !choice && scene.reveal->unknown.empty();
  if (!scene.text_is_for.empty() && !is_said_in_verdict)
    add(lines, "These reasons are for " + scene.text_is_for + ".", width, 2);
}

// Adds tables, with an empty line between two.
void add_tables(ScreenLines& lines, const std::string& text) {
  bool is_head = true;
  for (const std::string& line : lines_of(text)) {
    lines.push_back(
        {.text = line, .part = is_head ? ScreenLine::Part::head_of_table : ScreenLine::Part::result});
    is_head = line.empty();
  }
}

std::string recorded_text(const Figure& figure) {
  if (figure.unit == "s") return duration_text(figure.value);
  const bool is_whole = figure.value == std::floor(figure.value);
  return (is_whole ? with_decimals(figure.value, 0) : three_digits(figure.value)) +
         (figure.unit.empty() ? "" : " " + figure.unit);
}

void add_recorded(ScreenLines& lines, const DemoReveal& reveal, std::size_t width) {
  if (reveal.recorded.empty()) return;
  std::string text = "recorded:";
  for (const Figure& figure : reveal.recorded)
    text += fmt::format("{} {} {}", &figure == &reveal.recorded.front() ? "" : ",", figure.name,
                        recorded_text(figure));
  add(lines, text, width, 2);
}

// Adds the claims that were judged; those that need another device are left out.
void add_claims(ScreenLines& lines, const LessonResult& result, std::size_t width) {
  for (const ClaimResult& claim : result.claims) {
    if (claim.verdict != ClaimVerdict::holds && claim.verdict != ClaimVerdict::does_not_hold &&
        claim.verdict != ClaimVerdict::inconclusive)
      continue;
    add(lines,
        verdict_cell(claim.verdict).text + (claim.verdict == ClaimVerdict::does_not_hold ? " here: " : ": ") +
            claim_text(claim.claim) + (claim.ratio ? " (" + factor_text(*claim.ratio) + ")" : ""),
        width, 2);
  }
}

void add_check(ScreenLines& lines, const CheckResult& check, bool has_summary, std::size_t width) {
  if (check.line > 0) add(lines, fmt::format("line {}: {}", check.line, check.source), width, 4);
  if (has_summary && !check.summary.empty()) add(lines, check.summary, width, 2);
  for (const std::string& detail : check.details) add(lines, "  " + detail, width, 4);
}

ScreenLines results_block(const DemoScene& scene, std::size_t width) {
  ScreenLines lines;
  const DemoReveal& reveal = *scene.reveal;
  const TextStyle plain{.colour = false, .width = static_cast<unsigned>(width)};
  if (reveal.check && !scene.is_edited) add(lines, check::check_line(*reveal.check, plain), width, 2);
  if (reveal.check) add_check(lines, *reveal.check, !has_only_checks_reason(scene), width);
  if (reveal.check && scene.is_edited) add(lines, check::hint_for(*reveal.check), width, 2);
  if (reveal.result) {
    LessonResult result = result_for_class(scene);
    result.references.clear();
    // Says once what a finding or an earlier row says: after a fault, each kernel fails with the same words.
    std::set<std::string> said;
    for (const DemoFinding& finding : reveal.findings) said.insert(finding.text);
    for (VariantResult& row : result.variants)
      if (!said.insert(row.explanation).second) row.explanation.clear();
    // A recorded time is that of another size, and a table of the small simulation would contradict it.
    const bool are_right =
        std::ranges::all_of(result.variants, [](const auto& row) { return row.observed == Outcome::right; });
    const bool is_of_other_size = result.simulated() && !reveal.recorded.empty() && are_right;
    const std::size_t first = lines.size();
    if (!is_of_other_size)
      add_tables(lines, (result.simulated() ? run::simulated_table(result, run::SimulatedTimes::none)
                                            : run::measured_table(result, plain))
                            .text(plain));
    if (result.simulated() && are_right)
      for (std::size_t i = first; i < lines.size(); ++i) lines[i].part = ScreenLine::Part::spare_table;
    add_recorded(lines, reveal, width);
    if (const std::string figures = run::figures_table(result, plain); !figures.empty())
      add_tables(lines, figures);
    add_claims(lines, result, width);
  }
  for (ScreenLine& line : lines) line.part = std::max(line.part, ScreenLine::Part::result);
  return lines;
}

}  // namespace

LessonResult result_for_class(const DemoScene& scene) {
  LessonResult result = *scene.reveal->result;
  const DemoStep& step = scene.current();
  for (VariantResult& row : result.variants) {
    if (row.name == step.shown && (scene.is_edited || !step.edits.empty())) row.name += ", edited";
    // A class reads "as expected" as right.
    if (row.observed != Outcome::right) row.expected = Outcome::right;
  }
  return result;
}

unsigned votes_of(const DemoScene& scene) {
  return std::accumulate(scene.votes.begin(), scene.votes.end(), 0U);
}

namespace {

// Adds the numbers in "line 3" and "Lines 3, 4 and 5".
void add_lines_in(const std::string& text, std::set<int>& lines) {
  for (source::Scanner scanner(text); scanner.skip_past("ine");) {
    const bool are_several = scanner.take("s");
    do {
      scanner.skip_blanks();
      if (const auto number = scanner.take_number()) lines.insert(*number);
      scanner.skip_blanks();
    } while (are_several && (scanner.take("and") || scanner.take(",")));
  }
}

}  // namespace

std::string reason_against(const DemoScene& scene, std::size_t index) {
  const DemoChoice& choice = scene.current().question->choices[index];
  const auto& check = scene.reveal->check;
  if (!check) return choice.tempting;
  if (choice.word != check::expected_to_pass)
    return choice.tempting.empty() ? finding_against(choice, *check) : choice.tempting;
  // Luck does not help where nobody stores an element.
  const check::PatternHint* const known = check::find_pattern(check->pattern);
  const bool is_about_luck = known && known->looks_right == choice.tempting;
  const bool lacks_elements = std::ranges::any_of(check->first_differences, &Difference::is_poison);
  return choice.tempting.empty() || (is_about_luck && lacks_elements) ? numbers_of(*check) : choice.tempting;
}

std::set<int> lines_named(const DemoReveal& reveal, const DemoStep& step) {
  std::set<int> lines;
  for (const DemoFinding& finding : reveal.findings) lines.insert(finding.lines.begin(), finding.lines.end());
  if (reveal.choice) add_lines_in(step.question->choices[*reveal.choice].because, lines);
  add_lines_in(step.because, lines);
  if (!reveal.check) return lines;
  lines.insert(reveal.check->line);
  const auto other = std::ranges::find(reveal.check->related, "", &CheckPlace::pattern);  // of a race
  if (other != reveal.check->related.end() && other->file.empty()) lines.insert(other->line);
  return lines;
}

void mark_quoted(const DemoStep& step, const DemoReveal* reveal, const std::vector<unsigned>& votes,
                 std::vector<DemoLine>& lines) {
  // A name with an underscore, or one with an index, arguments or operators behind it.
  static const std::regex code(R"([A-Za-z_][\w.]*(\[[^\]]*\]|\([^)]+\)| [<=>*+/%&|-]+ [\w.]+)+|\w+_\w+)");
  std::string reasons = reveal ? step.because : "";
  for (std::size_t i = 0; step.question && i < step.question->choices.size(); ++i) {
    const DemoChoice& choice = step.question->choices[i];
    if (!reveal || reveal->choice == i) reasons += " " + choice.because;
    if (!reveal || (i < votes.size() && votes[i] > 0)) reasons += " " + choice.tempting;
  }
  std::set<int> named;
  add_lines_in(reasons, named);
  for (DemoLine& line : lines) line.is_quoted |= named.contains(line.number);
  for (std::sregex_iterator match(reasons.begin(), reasons.end(), code), end; match != end; ++match)
    for (DemoLine& line : lines)
      line.is_quoted |= line.number > 0 && line.text.find(match->str()) != std::string::npos;
}

void add_named(const std::set<int>& named, const std::string& text, std::vector<DemoLine>& lines) {
  const std::vector<std::string> all = source::source_lines(text);
  for (const int number : named) {
    const auto next = std::ranges::find_if(lines, [&](const auto& line) { return line.number >= number; });
    if (number <= 0 || (next != lines.end() && next->number == number)) continue;
    if (next != lines.end()) next->is_apart = next->number > number + 1;
    const bool is_apart =
        next != lines.begin() && std::prev(next)->number > 0 && std::prev(next)->number + 1 < number;
    lines.insert(next, {.number = number, .text = source::source_line(all, number), .is_apart = is_apart});
  }
}

void keep_edited(const std::string& text, const std::string& before, std::vector<DemoLine>& lines) {
  std::set<int> edited;
  for (const DemoLine& line : demo_lines({.text = text, .base = before}))
    if (line.mark == '+' || line.mark == '~') edited.insert(line.number);
  for (DemoLine& line : lines) line.matters = line.matters || edited.contains(line.number);
}

void keep_calls(const std::string& text, ExerciseKind kind, std::vector<DemoLine>& lines) {
  const std::vector<source::PartLines> parts = source::lines_of_parts(text);
  const auto calls_function = [&](const DemoLine& line) {
    return std::ranges::any_of(parts, [&](const source::PartLines& part) {
      return !part.is_kernel && line.text.find(part.name + "(") != std::string::npos;
    });
  };
  for (const source::PartLines& part : parts) {
    if (!part.is_kernel) continue;
    for (DemoLine& line : lines) {
      if (line.number < part.first || line.number > part.last) continue;
      line.is_named = line.number == part.first || (kind == ExerciseKind::kernel && calls_function(line));
    }
  }
}

// Puts lines last that may have to be cut.
ScreenLines demo_answer(const DemoScene& scene, std::size_t width, Tables tables, Space space) {
  ScreenLines lines;
  if (tables == Tables::left_out && (!scene.is_edited || scene.reveal->choice)) {
    append(lines, question_block(scene, width, space));
    if (!lines.empty()) lines.push_back({});
  }
  add_why(lines, scene, width, tables);
  for (const auto& [variant, text, named_lines] : scene.reveal->findings)
    add(lines, (variant.empty() ? "" : variant + ": ") + text, width, 2);
  if (scene.current().question && scene.reveal->unknown.empty() && !scene.is_edited)
    add_temptations(lines, scene, width, tables, space);
  if (tables == Tables::left_out) return lines;
  lines.push_back({.part = ScreenLine::Part::result});
  append(lines, results_block(scene, width));
  return lines;
}

ScreenLines question_and_answer(const DemoScene& scene, std::size_t width, Space space) {
  if (space == Space::scarce && !scene.reveal) return question_block(scene, width, space);
  ScreenLines lines;
  // Lines to look at stay on the screen in place of the launch, which is above the source, too.
  const bool has_launch = space == Space::ample || scene.current().look_at.empty();
  if (const std::string text = trimmed((has_launch ? scene.current().launch : "") + scene.current().text);
      !scene.reveal && !text.empty()) {
    add(lines, text, width);
    if (!scene.text_is_for.empty()) add(lines, "This text is for " + scene.text_is_for + ".", width);
    if (scene.current().question) lines.push_back({});
  }
  if (!scene.reveal || !scene.is_edited || scene.reveal->choice)
    append(lines, question_block(scene, width, space));
  if (!scene.reveal) return lines;
  if (!lines.empty())
    lines.push_back({.text = rule_of_answer(scene, width), .part = ScreenLine::Part::verdict});
  append(lines, demo_answer(scene, width, Tables::shown, space));
  return lines;
}

}  // namespace gpulab::teach
