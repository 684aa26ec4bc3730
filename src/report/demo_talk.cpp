#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.hpp"
#include "report/check_formats.hpp"
#include "report/demo.hpp"
#include "report/lesson_parts.hpp"
#include "report/quantity_text.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

void add(ScreenLines& lines, const std::string& text, std::size_t width, std::size_t indent = 0,
         Ink ink = Ink::plain) {
  for (std::string& line : wrapped(text, width, indent)) lines.push_back({std::move(line), ink});
}

void append(ScreenLines& lines, ScreenLines more) {
  std::ranges::move(more, std::back_inserter(lines));
}

const DemoStep& step_of(const DemoScene& scene) {
  return scene.demo->steps[scene.step];
}

std::string choice_line(const DemoScene& scene, std::size_t index) {
  const DemoChoice& choice = step_of(scene).question->choices[index];
  // Who sees what the others have said says the same: the counts are for the reveal.
  const unsigned votes = scene.reveal && index < scene.votes.size() ? scene.votes[index] : 0;
  const bool is_answer = scene.reveal && scene.reveal->choice == index;
  return fmt::format("{} {}  {}{}", is_answer ? ">" : " ", index + 1, choice.text,
                     votes == 0 ? "" : fmt::format("   ({})", votes));
}

bool has_votes(const DemoScene& scene) {
  return votes_of(scene) > 0;
}

ScreenLines question_block(const DemoScene& scene, std::size_t width, Room room) {
  ScreenLines lines;
  if (!step_of(scene).question) return lines;
  const DemoQuestion& question = *step_of(scene).question;
  const bool only_chosen = room != Room::ample && scene.reveal && has_votes(scene);
  add(lines, question.text, width, 0, Ink::bold);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const bool is_answer = scene.reveal && scene.reveal->choice == i;
    if (only_chosen && !is_answer && scene.votes[i] == 0) continue;
    add(lines, choice_line(scene, i), width, 5, is_answer ? Ink::bold : Ink::plain);
  }
  return lines;
}

// The answer, and how many of the class had it.
std::string verdict(const DemoScene& scene, std::size_t width) {
  const DemoReveal& reveal = *scene.reveal;
  if (!reveal.unknown.empty()) return "no answer here: " + reveal.unknown;
  std::string text = "IT IS: " + reveal.answer;
  if (!reveal.basis.empty()) text += " (" + reveal.basis + ")";
  if (!reveal.choice) return text + ", which is none of the choices";
  if (!has_votes(scene)) return text;
  text += fmt::format("   {} of {}", scene.votes[*reveal.choice], votes_of(scene));
  const std::string with_unit = text + " votes";  // where that needs no row more
  return wrapped(with_unit, width, 2).size() == wrapped(text, width, 2).size() ? with_unit : text;
}

// What speaks for the wrong choices: of those that the class chose, or all where nobody has voted.
void add_temptations(ScreenLines& lines, const DemoScene& scene, std::size_t width) {
  const DemoQuestion& question = *step_of(scene).question;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const bool was_chosen = !has_votes(scene) || scene.votes[i] > 0;
    if (scene.reveal->choice == i || !was_chosen || question.choices[i].tempting.empty()) continue;
    add(lines, fmt::format("not {}: {}", i + 1, question.choices[i].tempting), width, 2);
  }
}

void add_why(ScreenLines& lines, const DemoScene& scene, std::size_t width) {
  if (const auto& question = step_of(scene).question) {
    add(lines, verdict(scene, width), width, 2, Ink::bold);
    const auto choice = scene.reveal->choice;
    if (choice && !question->choices[*choice].because.empty())
      add(lines, question->choices[*choice].because, width, 2);
    else if (choice)
      add(lines, "The demo has no reason for this answer: it was not expected on this device.", width, 2);
  }
  if (!step_of(scene).because.empty()) add(lines, step_of(scene).because, width, 2);
}

void add_text(ScreenLines& lines, const std::string& text) {
  for (const std::string& line : lines_of(text)) lines.push_back({line});
}

std::string recorded_text(const Figure& figure) {
  if (figure.unit == "s") return duration_text(figure.value);
  const bool is_whole = figure.value == std::floor(figure.value);
  return (is_whole ? with_decimals(figure.value, 0) : three_digits(figure.value)) +
         (figure.unit.empty() ? "" : " " + figure.unit);
}

void add_recorded(ScreenLines& lines, const DemoReveal& reveal, std::size_t width) {
  if (reveal.recorded.empty()) return;
  std::string text = reveal.basis + ":";
  for (const Figure& figure : reveal.recorded)
    text += fmt::format("{} {} {}", &figure == &reveal.recorded.front() ? "" : ",", figure.name,
                        recorded_text(figure));
  add(lines, text, width, 2);
}

// Of a claim that was judged; what needs another device is left out.
void add_claims(ScreenLines& lines, const LessonResult& result, std::size_t width) {
  for (const ClaimResult& claim : result.claims) {
    if (claim.verdict != ClaimVerdict::holds && claim.verdict != ClaimVerdict::does_not_hold &&
        claim.verdict != ClaimVerdict::inconclusive)
      continue;
    add(lines,
        verdict_words(claim.verdict).text +
            (claim.verdict == ClaimVerdict::does_not_hold ? " here: " : ": ") + claim_text(claim.claim) +
            (claim.ratio ? " (" + factor_text(*claim.ratio) + ")" : ""),
        width, 2);
  }
}

void add_check(ScreenLines& lines, const CheckResult& check, std::size_t width) {
  add(lines, check_line(check, {.colour = false, .width = static_cast<unsigned>(width)}), width, 2);
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
    add_text(
        lines,
        (result.simulated() ? simulated_table(result, false) : measured_table(result, plain)).text(plain));
    add_recorded(lines, reveal, width);
    if (const std::string figures = figures_table(result, plain); !figures.empty()) add_text(lines, figures);
    add_claims(lines, result, width);
  }
  return lines;
}

}  // namespace

unsigned votes_of(const DemoScene& scene) {
  return std::accumulate(scene.votes.begin(), scene.votes.end(), 0U);
}

// What may have to be cut stands last.
ScreenLines demo_answer(const DemoScene& scene, std::size_t width) {
  ScreenLines lines;
  add_why(lines, scene, width);
  for (const auto& [variant, text, named] : scene.reveal->findings)
    add(lines, (variant.empty() ? "" : variant + ": ") + text, width, 2);
  if (step_of(scene).question && scene.reveal->unknown.empty()) add_temptations(lines, scene, width);
  lines.push_back({});
  append(lines, results_block(scene, width));
  return lines;
}

ScreenLines demo_talk(const DemoScene& scene, std::size_t width, Room room) {
  if (room == Room::scarce)
    return scene.reveal ? demo_answer(scene, width) : question_block(scene, width, room);
  ScreenLines lines;
  if (!scene.reveal && !step_of(scene).text.empty()) {
    add(lines, step_of(scene).text, width);
    if (step_of(scene).question) lines.push_back({});
  }
  append(lines, question_block(scene, width, room));
  if (!scene.reveal) return lines;
  if (!lines.empty()) lines.push_back({std::string(width, '-')});
  append(lines, demo_answer(scene, width));
  return lines;
}

}  // namespace gpulab::report
