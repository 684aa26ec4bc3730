#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "source/cuda_text.hpp"
#include "source/diff.hpp"
#include "source/source_parts.hpp"
#include "teach/demo.hpp"

namespace gpulab::teach {
namespace {

void add(ScreenLines& lines, const std::string& text, std::size_t width, std::size_t indent = 0,
         Ink ink = Ink::plain) {
  for (std::string& line : wrapped(text, width, indent)) lines.push_back({std::move(line), ink});
}

void append(ScreenLines& lines, ScreenLines more) {
  std::ranges::move(more, std::back_inserter(lines));
}

// Returns what counts as equal times; nothing for other choices.
std::string limits_of(const DemoQuestion& question, const DemoChoice& choice) {
  if (question.answer.kind != DemoAnswer::Kind::times_as_fast || choice.least > 1 || choice.below <= 1)
    return "";
  if (std::isinf(choice.least)) return fmt::format(" (below {:g})", choice.below);
  if (std::isinf(choice.below)) return fmt::format(" (from {:g})", choice.least);
  return fmt::format(" ({:g} to {:g})", choice.least, choice.below);
}

std::string choice_line(const DemoScene& scene, std::size_t index) {
  const DemoQuestion& question = *scene.current().question;
  const DemoChoice& choice = question.choices[index];
  // People who see others' votes vote the same, so counts wait for the reveal.
  const unsigned votes = scene.reveal && index < scene.votes.size() ? scene.votes[index] : 0;
  const bool is_answer = scene.reveal && scene.reveal->choice == index;
  return fmt::format("{} {}  {}{}{}", is_answer ? ">" : " ", index + 1, choice.text,
                     limits_of(question, choice), votes == 0 ? "" : fmt::format("   ({})", votes));
}

ScreenLines question_block(const DemoScene& scene, std::size_t width, Room room) {
  ScreenLines lines;
  if (!scene.current().question) return lines;
  const DemoQuestion& question = *scene.current().question;
  const bool only_chosen = room != Room::ample && scene.reveal && votes_of(scene) > 0;
  add(lines, question.text, width, 0, Ink::bold);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const bool is_answer = scene.reveal && scene.reveal->choice == i;
    if (only_chosen && !is_answer && scene.votes[i] == 0) continue;
    add(lines, choice_line(scene, i), width, 5, is_answer ? Ink::bold : Ink::plain);
  }
  return lines;
}

// Returns the answer, and how many of the class had it.
std::string verdict(const DemoScene& scene, std::size_t width) {
  const DemoReveal& reveal = *scene.reveal;
  if (!reveal.unknown.empty()) return "no answer here: " + reveal.unknown;
  std::string text = "IT IS: " + reveal.answer;
  if (!reveal.basis.empty()) text += " (" + reveal.basis + ")";
  if (!reveal.choice && scene.is_edited) return text;
  if (!reveal.choice && !scene.text_is_for.empty())
    return text + "; the choices are for " + scene.text_is_for;
  if (!reveal.choice) return text + ", which is none of the choices";
  if (votes_of(scene) == 0) return text;
  text += fmt::format("   {} of {}", scene.votes[*reveal.choice], votes_of(scene));
  const std::string with_unit = text + " votes";  // where that needs no row more
  return wrapped(with_unit, width, 2).size() == wrapped(text, width, 2).size() ? with_unit : text;
}

// Adds the reasons for the wrong choices: those that the class made or, in ample room, all if nobody has
// voted.
void add_temptations(ScreenLines& lines, const DemoScene& scene, std::size_t width, Room room) {
  const DemoQuestion& question = *scene.current().question;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const bool was_chosen = votes_of(scene) == 0 ? room == Room::ample : scene.votes[i] > 0;
    if (scene.reveal->choice == i || !was_chosen || question.choices[i].tempting.empty()) continue;
    const std::size_t first = lines.size();
    add(lines, fmt::format("not {}: {}", i + 1, question.choices[i].tempting), width, 2);
    for (std::size_t k = first; k < lines.size(); ++k)
      lines[k].part = k == first ? ScreenLine::Part::about_a_choice : ScreenLine::Part::more_about_a_choice;
  }
}

void add_why(ScreenLines& lines, const DemoScene& scene, std::size_t width) {
  const auto& question = scene.current().question;
  if (question) add(lines, verdict(scene, width), width, 2, Ink::bold);
  if (scene.is_edited)
    return add(lines,
               "This kernel was edited: the run says what it does, and the demo's reasons are left out.",
               width, 2);
  const auto choice = scene.reveal->choice;
  if (choice && !question->choices[*choice].because.empty())
    add(lines, question->choices[*choice].because, width, 2);
  else if (choice)
    add(lines, "The demo has no reason for this answer: it was not expected on this device.", width, 2);
  if (!scene.current().because.empty()) add(lines, scene.current().because, width, 2);
  if (!scene.text_is_for.empty()) add(lines, "These reasons are for " + scene.text_is_for + ".", width, 2);
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

void add_check(ScreenLines& lines, const CheckResult& check, std::size_t width) {
  add(lines, check::check_line(check, {.colour = false, .width = static_cast<unsigned>(width)}), width, 2);
  if (check.line > 0) add(lines, fmt::format("line {}: {}", check.line, check.source), width, 4);
  if (!check.summary.empty()) add(lines, check.summary, width, 2);
  for (const std::string& detail : check.details) add(lines, "  " + detail, width, 4);
}

ScreenLines results_block(const DemoScene& scene, std::size_t width) {
  ScreenLines lines;
  const DemoReveal& reveal = *scene.reveal;
  const TextStyle plain{.colour = false, .width = static_cast<unsigned>(width)};
  if (reveal.check) add_check(lines, *reveal.check, width);
  if (reveal.result) {
    LessonResult result = *reveal.result;
    result.references.clear();
    for (VariantResult& row : result.variants)
      if (std::ranges::find(reveal.findings, row.explanation, &DemoFinding::text) != reveal.findings.end())
        row.explanation.clear();
    add_tables(lines, (result.simulated() ? run::simulated_table(result, run::SimulatedTimes::none)
                                          : run::measured_table(result, plain))
                          .text(plain));
    add_recorded(lines, reveal, width);
    if (const std::string figures = run::figures_table(result, plain); !figures.empty())
      add_tables(lines, figures);
    add_claims(lines, result, width);
  }
  return lines;
}

}  // namespace

unsigned votes_of(const DemoScene& scene) {
  return std::accumulate(scene.votes.begin(), scene.votes.end(), 0U);
}

// Puts lines last that may have to be cut.
ScreenLines demo_answer(const DemoScene& scene, std::size_t width, Tables tables, Room room) {
  ScreenLines lines;
  add_why(lines, scene, width);
  for (const auto& [variant, text, named] : scene.reveal->findings)
    add(lines, (variant.empty() ? "" : variant + ": ") + text, width, 2);
  if (scene.current().question && scene.reveal->unknown.empty() && !scene.is_edited)
    add_temptations(lines, scene, width, room);
  if (tables == Tables::left_out) return lines;
  lines.push_back({.part = ScreenLine::Part::result});
  append(lines, results_block(scene, width));
  return lines;
}

ScreenLines demo_talk(const DemoScene& scene, std::size_t width, Room room) {
  if (room == Room::scarce)
    return scene.reveal ? demo_answer(scene, width, Tables::shown, room) : question_block(scene, width, room);
  ScreenLines lines;
  if (!scene.reveal && !scene.current().text.empty()) {
    add(lines, scene.current().text, width);
    if (!scene.text_is_for.empty()) add(lines, "This text is for " + scene.text_is_for + ".", width);
    if (scene.current().question) lines.push_back({});
  }
  append(lines, question_block(scene, width, room));
  if (!scene.reveal) return lines;
  if (!lines.empty()) lines.push_back({std::string(width, '-')});
  append(lines, demo_answer(scene, width, Tables::shown, room));
  return lines;
}

namespace {

struct NumberedLine {
  int number = 0;
  std::string text;
};

bool is_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

std::string with_word_replaced(std::string text, const std::string& word, const std::string& by) {
  if (word.empty()) return text;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    const bool is_whole = (at == 0 || !is_letter(text[at - 1])) &&
                          (at + word.size() == text.size() || !is_letter(text[at + word.size()]));
    if (is_whole)
      text.replace(at, word.size(), by);
    else
      at += word.size() - std::min(word.size(), by.size());
  }
  return text;
}

}  // namespace

std::string without_comments(const std::string& source) {
  std::string bare;
  for (const source::Token& token : source::cuda_tokens(source))
    if (token.kind != source::TokenKind::comment)
      bare += token.text;
    else if (trimmed(bare.substr(bare.rfind('\n') + 1)).empty())
      bare += '\1';  // nothing but the comment is in this line
  std::string text;
  for (const std::string& line : lines_of(bare))
    if (line.find('\1') == std::string::npos || trimmed(line).size() > 1)
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  std::erase(text, '\1');
  return text;
}

std::string anonymised(const std::string& file_text, const std::string& kernel, const std::string& shown_as) {
  if (kernel.empty()) return without_comments(file_text);
  std::string text = without_comments(source::source_with_used_parts(file_text, {kernel}));
  const auto last_line = [&](const std::string& of) {
    const std::vector<source::PartLines> parts = source::lines_of_parts(of);
    const auto part = std::ranges::find(parts, kernel, &source::PartLines::name);
    return part == parts.end() ? 0 : part->last;
  };
  // Empty lines keep the numbers that the kernel's lines have on the screen.
  text.insert(0, static_cast<std::size_t>(std::max(last_line(file_text) - last_line(text), 0)), '\n');
  return shown_as.empty() ? text : with_word_replaced(text, kernel, shown_as);
}

std::string restored(const std::string& edited_text, const std::string& file_text, const std::string& kernel,
                     const std::string& shown_as) {
  std::string text = shown_as.empty() ? edited_text : with_word_replaced(edited_text, shown_as, kernel);
  if (kernel.empty()) return text;
  const std::vector<std::string> lines = lines_of(file_text);
  const auto used = source::lines_of_used_parts(file_text, {kernel});
  for (const source::PartLines& part : source::lines_of_parts(file_text))
    if (std::ranges::find(used, part.first, &source::PartLines::first) == used.end())
      for (int number = part.first; number <= part.last; ++number) text += lines[number - 1] + "\n";
  return text;
}

namespace {

bool is_comment_or_empty(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos || line.compare(first, 2, "//") == 0;
}

// Returns the kernel, without the comment above it; the whole file if no kernel is named.
std::vector<NumberedLine> lines_of_kernel(const std::string& file, const std::string& kernel) {
  const std::vector<std::string> lines = source::source_lines(file);
  int first = 1, last = static_cast<int>(lines.size());
  for (const source::PartLines& part : source::lines_of_parts(file))
    if (!kernel.empty() && part.is_kernel && part.name == kernel) first = part.first, last = part.last;
  while (first < last && is_comment_or_empty(source::source_line(lines, first))) ++first;
  std::vector<NumberedLine> numbered;
  for (int number = first; number <= last; ++number)
    numbered.push_back({number, source::source_line(lines, number)});
  return numbered;
}

std::vector<std::string> texts_of(const std::vector<NumberedLine>& lines, const std::string& kernel) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const NumberedLine& line : lines) texts.push_back(with_word_replaced(line.text, kernel, "kernel"));
  return texts;
}

char mark_of_line(const source::DiffRow& row) {
  if (!row.left) return '+';
  return row.is_same() ? ' ' : '~';
}

// Compares the kernels' texts after giving both one name.
std::vector<source::DiffRow> rows_of_kernels(const std::vector<NumberedLine>& base,
                                             const std::string& base_kernel,
                                             const std::vector<NumberedLine>& lines,
                                             const std::string& kernel) {
  return source::paired(source::line_diff(texts_of(base, base_kernel), texts_of(lines, kernel)));
}

}  // namespace

std::vector<DemoLine> demo_lines(const DemoSource& source) {
  const std::vector<NumberedLine> lines = lines_of_kernel(source.text, source.kernel);
  std::vector<DemoLine> shown;
  if (source.base.empty()) {
    for (const NumberedLine& line : lines) shown.push_back({line.number, ' ', line.text});
  } else {
    const auto base = lines_of_kernel(source.base, source.base_kernel);
    std::size_t next = 0;
    for (const source::DiffRow& row : rows_of_kernels(base, source.base_kernel, lines, source.kernel)) {
      if (!row.right) {
        shown.push_back({0, '-', *row.left});
        continue;
      }
      shown.push_back({lines[next].number, mark_of_line(row), lines[next].text});
      ++next;
    }
  }
  bool is_in_signature = !source.kernel.empty();
  for (DemoLine& line : shown) {
    if (!source.shown_as.empty()) line.text = with_word_replaced(line.text, source.kernel, source.shown_as);
    const bool is_changed = line.mark != ' ' && !is_in_signature;
    line.matters = is_changed || std::ranges::any_of(source.look_at, [&](const std::string& part) {
                     return line.text.find(part) != std::string::npos;
                   });
    if (line.text.find('{') != std::string::npos) is_in_signature = false;
  }
  return shown;
}

std::vector<DemoLine> without_marks(const std::vector<DemoLine>& lines) {
  std::vector<DemoLine> shown;
  bool is_after_gone = false;
  for (const DemoLine& line : lines) {
    if (line.mark == '-') {
      if (!shown.empty()) shown.back().matters = true;
      is_after_gone = true;
      continue;
    }
    shown.push_back(line);
    shown.back().mark = ' ';
    shown.back().matters = line.matters || is_after_gone;
    is_after_gone = false;
  }
  return shown;
}

namespace {

constexpr std::size_t margin = 7;  // " 123 ~ "

std::vector<std::string> rows_of(const DemoLine& line, std::size_t width) {
  const std::string number = line.number > 0 ? std::to_string(line.number) : "";
  std::vector<std::string> rows = source::wrapped_source_line(line.text, width - margin);
  if (rows.empty()) rows.emplace_back();
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = fmt::format("{:>4} {} {}", i == 0 ? number : "", i == 0 ? line.mark : ' ', rows[i]);
  return rows;
}

// Lines to show, and the rows that they take with one for each gap.
class Selection {
 public:
  explicit Selection(std::vector<std::size_t> heights)
      : heights_(std::move(heights)), is_in_(heights_.size()) {}

  bool add_if_it_fits(std::size_t line, std::size_t rows) {
    is_in_[line] = true;
    if (height() <= rows) return true;
    is_in_[line] = false;
    return false;
  }

  bool has(std::size_t line) const { return is_in_[line]; }

  // Returns whether a gap begins at this line. Lines left out at the beginning and the end are no gap and
  // take no row: the lines' numbers show that they are missing.
  bool begins_gap(std::size_t line) const {
    const auto from = is_in_.begin() + static_cast<std::ptrdiff_t>(line);
    return line > 0 && is_in_[line - 1] && !is_in_[line] &&
           std::find(from, is_in_.end(), true) != is_in_.end();
  }

 private:
  std::size_t height() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < is_in_.size(); ++i) total += is_in_[i] ? heights_[i] : begins_gap(i) ? 1 : 0;
    return total;
  }

  std::vector<std::size_t> heights_;
  std::vector<bool> is_in_;
};

// Returns each line's distance from one that matters. What has changed comes first, then what check names,
// and the first line, with the kernel's name, after those next to one.
std::vector<std::size_t> distances(const std::vector<DemoLine>& lines) {
  std::vector<std::size_t> all(lines.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < lines.size(); ++j)
      if (lines[j].matters || lines[j].is_named) all[i] = std::min(all[i], 2 + (i > j ? i - j : j - i));
    if (lines[i].is_named) all[i] = 1;
    if (lines[i].matters && lines[i].mark != ' ') all[i] = 0;
  }
  const bool has_signature = !lines.empty() && lines.front().text.find("__global__") != std::string::npos;
  if (has_signature) all.front() = std::min<std::size_t>(all.front(), 4);
  return all;
}

}  // namespace

std::vector<std::string> demo_source_rows(const std::vector<DemoLine>& lines, std::size_t width,
                                          std::size_t rows) {
  std::vector<std::vector<std::string>> texts;
  std::vector<std::size_t> heights, order;
  for (const DemoLine& line : lines) {
    order.push_back(order.size());
    texts.push_back(rows_of(line, width));
    heights.push_back(texts.back().size());
  }
  const std::vector<std::size_t> distance = distances(lines);
  std::ranges::stable_sort(order, {}, [&](std::size_t line) { return distance[line]; });
  std::size_t total = 0;
  for (const std::size_t height : heights) total += height;
  Selection selection(heights);
  for (const std::size_t line : order)
    selection.add_if_it_fits(line, total <= rows ? std::numeric_limits<std::size_t>::max() : rows);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (selection.has(i))
      shown.insert(shown.end(), texts[i].begin(), texts[i].end());
    else if (selection.begins_gap(i))
      shown.emplace_back("     ...");
  }
  if (shown.size() > rows) shown.resize(rows);
  return shown;
}

}  // namespace gpulab::teach
