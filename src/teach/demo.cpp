#include "teach/demo.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "check/answers.hpp"
#include "check/checks.hpp"
#include "check/explanations.hpp"
#include "check/progress.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::teach {

namespace fs = std::filesystem;

Recorded::Recorded(const std::string& csv) {
  const std::vector<std::string> lines = lines_of(csv);
  if (lines.empty() || lines.front() != "lesson,options,variant,figure,unit,value,gpus,date")
    throw std::logic_error("these are no recorded figures");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream cells(lines[i]);
    RecordedFigure row;
    std::string value;
    for (std::string* cell : {&row.lesson, &row.options, &row.variant, &row.figure.name, &row.figure.unit,
                              &value, &row.gpus, &row.date})
      std::getline(cells, *cell, ',');
    row.figure.value = std::stod(value);
    rows_.push_back(std::move(row));
  }
}

const RecordedFigure* Recorded::of(const std::string& lesson, const std::string& variant,
                                   const std::string& figure, const std::string& with) const {
  const RecordedFigure* found = nullptr;
  for (const RecordedFigure& row : rows_) {
    if (row.lesson != lesson || row.variant != variant || row.figure.name != figure) continue;
    if (row.options == with) return &row;
    if (!found) found = &row;
  }
  return found;
}

std::vector<std::string> Recorded::figures_of(const std::string& lesson) const {
  std::vector<std::string> names;
  for (const RecordedFigure& row : rows_)
    if (row.lesson == lesson && row.figure.name != recorded_seconds &&
        std::ranges::find(names, row.figure.name) == names.end())
      names.push_back(row.figure.name);
  return names;
}

namespace {

constexpr const char* passes = "passes";

// Mistake as a learner would hand it in, and the pattern that the course expects check to find in it.
struct HandedIn {
  std::string name;
  std::string text;
  std::string pattern;
  std::vector<std::string> also = {};  // other patterns that are true of it
  std::string because = {};            // the reason, in a sentence about this file
};

// Returns the exercise's sheet with a learner's answers in their places.
std::string filled_in(const std::string& starter, const std::string& answers) {
  std::vector<std::string> lines = lines_of(starter);
  const std::vector<check::AskedQuestion> given = check::asked_questions(answers);
  for (const check::AskedQuestion& asked : check::asked_questions(starter)) {
    const auto mine = std::ranges::find(given, asked.heading, &check::AskedQuestion::heading);
    if (mine != given.end() && asked.line > 0) lines[asked.line - 1] += " " + mine->answer;
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Returns the mistake without the comments that say what is wrong: those in its first lines, which are for
// tests, and all of a kernel. Answers are in the exercise's sheet.
HandedIn handed_in(const fs::path& path, const std::string& text, const Exercise& exercise) {
  const std::string_view mark = exercise.has_questions() ? "#" : "//";
  std::size_t end_of_head = 0;
  while (end_of_head < text.size() && text.compare(end_of_head, mark.size(), mark) == 0)
    end_of_head = std::min(text.find('\n', end_of_head), text.size() - 1) + 1;
  const std::string head = text.substr(0, end_of_head);
  const std::string expected = check::said_in_mistake(head, "expect: ");
  HandedIn file{.name = replaced(path.stem(), '_', '-'),
                .pattern = expected.substr(0, expected.find(' ')),
                .also = split_at_commas(check::said_in_mistake(head, "also: ")),
                .because = check::said_in_mistake(head, "because: ")};
  if (file.pattern.empty() && check::find_pattern(file.name)) file.pattern = file.name;
  const std::size_t begin = std::min(text.find_first_not_of('\n', end_of_head), text.size());
  file.text = exercise.has_questions() ? filled_in(exercise.starter, text.substr(begin))
                                       : without_comments(text.substr(begin));
  return file;
}

// Returns the mistakes of an exercise of the course or, with a folder, those in the folder.
std::vector<HandedIn> all_handed_in(const Exercise& exercise, const std::optional<fs::path>& folder) {
  std::vector<HandedIn> all;
  const auto add = [&](const fs::path& file, const std::string& text, const std::string& solution) {
    all.push_back(handed_in(file, check::mistake_text(file, text, solution), exercise));
    if (!all.back().pattern.empty()) return;
    // An instructor need not say what check finds, and it has to be among the choices.
    const device::KernelSource source{exercise.file, all.back().text};
    all.back().pattern = check::check_exercise(exercise, source, {.with_gpu = false}).pattern;
  };
  if (folder)
    for (const fs::path& file : check::mistake_files(*folder))
      add(file, check::learners_file(file).text, check::learners_file(*folder / "solution.cu").text);
  std::ranges::sort(all, {}, &HandedIn::name);
  for (const EmbeddedMistake& mistake : embedded_mistakes())
    if (!folder && mistake.exercise == exercise.name) add(mistake.name, mistake.text, exercise.solution);
  return all;
}

DemoChoice choice_of_pattern(const std::string& pattern) {
  const check::PatternHint* known = check::find_pattern(pattern);
  return {.word = pattern,
          .text = known && !known->says.empty() ? known->says : pattern,
          .because = check::pattern_hint(pattern)};
}

// Returns the question of a sheet whose answer is in that line, below empty lines that keep its number.
std::string question_at(const std::string& sheet, int line) {
  const std::vector<std::string> lines = lines_of(sheet);
  const std::vector<check::AskedQuestion> asked = check::asked_questions(sheet);
  const auto question = std::ranges::find(asked, line, &check::AskedQuestion::line);
  if (question == asked.end()) return sheet;
  std::string text;
  bool is_in_question = false;
  for (int number = 1; number <= line; ++number) {
    is_in_question = is_in_question || lines[number - 1] == question->heading;
    text += (is_in_question ? lines[number - 1] : "") + "\n";
  }
  return text;
}

// Returns the question that check speaks of; nothing for a kernel, which is shown as a whole.
std::string excerpt_of(const Exercise& exercise, const HandedIn& one) {
  if (!exercise.has_questions()) return "";
  return question_at(one.text,
                     check::check_exercise(exercise, {exercise.file, one.text}, {.with_gpu = false}).line);
}

// Returns whether nothing of a pattern is true of that mistake, so that it is wrong to choose it.
bool is_false_for(const HandedIn& one, const std::string& pattern) {
  return !pattern.empty() && !check::may_be_true_too(pattern, one.pattern) &&
         std::ranges::none_of(
             one.also, [&](const std::string& also) { return check::is_kind_of(pattern, trimmed(also)); });
}

// Returns the names of all patterns of the answer's kind that have a sentence to choose.
std::vector<std::string> patterns_beside(const std::string& pattern) {
  std::vector<std::string> names;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    const bool is_its =
        std::ranges::find(group.patterns, pattern, &check::PatternHint::pattern) != group.patterns.end();
    for (const check::PatternHint& hint : group.patterns)
      if (is_its && !hint.says.empty()) names.push_back(hint.pattern);
  }
  return names;
}

// Returns the expected answer to this mistake and three others that are false, in an order that does not give
// the answer away. Mistakes of the exercise come first; an exercise with few of them gets other patterns.
std::vector<DemoChoice> choices(const std::vector<HandedIn>& all, const HandedIn& one) {
  constexpr std::size_t most = 4, enough = 3;
  std::vector<std::string> patterns{one.pattern}, others, more = patterns_beside(one.pattern);
  const std::uint64_t start = fnv1a(one.name);
  const auto take = [&](const std::vector<std::string>& from, std::size_t number) {
    for (std::size_t i = 0; i < from.size() && patterns.size() < number; ++i) {
      const std::string& other = from[(start + i) % from.size()];
      const bool is_new = std::ranges::find(patterns, other) == patterns.end();
      if (is_new && is_false_for(one, other)) patterns.push_back(other);
    }
  };
  for (const HandedIn& other : all) others.push_back(other.pattern);
  take(others, most);
  take(more, enough);
  std::erase(patterns, "");  // that of a mistake which passes
  std::ranges::sort(patterns, {}, [](const std::string& pattern) { return fnv1a(pattern); });
  std::vector<DemoChoice> choices;
  for (const std::string& pattern : patterns) {
    choices.push_back(choice_of_pattern(pattern));
    if (pattern == one.pattern && !one.because.empty()) choices.back().because = one.because;
  }
  const check::PatternHint* const known = check::find_pattern(one.pattern);
  choices.push_back({.word = passes,
                     .text = "nothing: it passes",
                     .because = "This is not a mistake: check finds nothing wrong.",
                     .tempting = known ? known->looks_right : ""});
  return choices;
}

}  // namespace

Demo mistakes_of(const Exercise& exercise, const std::optional<fs::path>& folder) {
  const std::vector<HandedIn> all = all_handed_in(exercise, folder);
  if (all.empty()) throw UsageError(exercise.name + " has no mistakes to show");
  Demo demo{.lesson = exercise.lesson};
  for (const HandedIn& one : all)
    demo.steps.push_back({.text = "A learner has handed this in.",
                          .since = "the course's",
                          .look_at = {"answer ("},
                          .question = DemoQuestion{.text = "What will gpulab check say?",
                                                   .answer = {DemoAnswer::Kind::check, {one.name}},
                                                   .choices = choices(all, one)},
                          .minutes = 2,
                          .mistake = one.text,
                          .excerpt = excerpt_of(exercise, one)});
  return demo;
}

DemoReveal reveal_mistake(const DemoStep& step, const Exercise& exercise) {
  DemoReveal reveal;
  const std::vector<DemoChoice>& choices = step.question->choices;
  // A check draws its sizes, and few wrong elements may show no pattern. Other sizes then do.
  constexpr std::uint64_t most_seeds = 4;
  for (std::uint64_t seed = 0; seed < most_seeds && !reveal.choice; ++seed) {
    check::Trial trial;
    if (seed > 0) trial.seed = seed;
    reveal.check = check::check_exercise(exercise, device::KernelSource{exercise.file, step.mistake},
                                         {.with_gpu = false, .trial = trial});
    reveal.check->file = exercise.file;
    reveal.answer = reveal.check->verdict == Verdict::right ? passes : reveal.check->pattern;
    reveal.choice = choice_of(*step.question, reveal.answer);
    for (std::size_t i = 0; i < choices.size() && !reveal.choice; ++i)
      if (check::is_kind_of(reveal.answer, choices[i].word)) reveal.choice = i;
  }
  const std::string& pattern = reveal.check->pattern;
  if (reveal.choice && reveal.answer != passes)
    reveal.answer = choices[*reveal.choice].text + " (" + pattern + ")";
  return reveal;
}

}  // namespace gpulab::teach
