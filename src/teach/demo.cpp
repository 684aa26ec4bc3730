#include "teach/demo.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "check/answers.hpp"
#include "check/check_formats.hpp"
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

// File that a demo of mistakes shows, and what the course expects check to find in it.
struct HandedIn {
  std::string name;
  std::string text;
  std::string pattern;                     // or check::expected_to_pass
  std::vector<std::string> also = {};      // other patterns that are true of it
  std::vector<std::string> tempting = {};  // patterns that are false of it, and that one may well think of
  std::vector<std::string> look_at = {};   // parts of lines that decide, and have to stay on the screen
  std::string given = {};                  // what the class must know beforehand; may be empty
  std::string because = {};                // the reason, in a sentence about this file
  std::string head = {};                   // its first lines, which also say why other choices are wrong
  bool is_right_on_gpu = false;            // by chance
  std::string question = {};               // of a right sheet: the name of the question to show
  std::string right = {};                  // of a sheet: the right answer to the question that is shown
  int line = 0;                            // of a sheet: that of the answer that check speaks of
  // In a demo: "1" and so on for the lesson's main mistakes, "last" for the subtlest, "left out"; empty: by
  // its pattern.
  std::string place = {};
  std::vector<check::MistakenAnswer> mistaken = {};  // of misunderstandings of that question

  bool passes() const { return pattern == check::expected_to_pass; }
  bool is_left_out() const { return place == "left out"; }
  bool has_number() const { return place.size() == 1 && std::isdigit(static_cast<unsigned char>(place[0])); }
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

// Returns the patterns, or parts of lines, that the head of a file names behind a word.
std::vector<std::string> patterns_in(const std::string& head, const std::string& word) {
  std::vector<std::string> patterns = split_at_commas(check::said_in_mistake(head, word));
  for (std::string& pattern : patterns) pattern = trimmed(pattern);
  std::erase(patterns, "");
  return patterns;
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
                .also = patterns_in(head, "also: "),
                .tempting = patterns_in(head, "tempting: "),
                .look_at = patterns_in(head, "look at: "),
                .given = check::said_in_mistake(head, "text: "),
                .because = check::said_in_mistake(head, "because: "),
                .head = head,
                .is_right_on_gpu = check::said_in_mistake(head, "sizes: ").starts_with("never"),
                .question = check::said_in_mistake(head, "question: "),
                .place = check::said_in_mistake(head, "demo: ")};
  if (file.pattern.empty() && check::find_pattern(file.name)) file.pattern = file.name;
  const std::size_t begin = std::min(text.find_first_not_of('\n', end_of_head), text.size());
  file.text = exercise.has_questions() ? filled_in(exercise.starter, text.substr(begin))
                                       : without_comments(text.substr(begin));
  return file;
}

// Returns whether a pattern is about the form of a file, from which a class learns little.
bool is_formality(const std::string& pattern) {
  return pattern == name_of(DefectKind::missing_kernel) || pattern == name_of(DefectKind::wrong_parameters);
}

constexpr std::size_t easiest = 1;

// Returns a pattern's place in the order from easy to hard: what the compiler says and what never ends come
// before wrong results, and races after these.
std::size_t difficulty(const std::string& pattern) {
  std::size_t place = 0, found = 0;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    const bool is_first = std::ranges::find(group.patterns, check::does_not_compile,
                                            &check::PatternHint::pattern) != group.patterns.end();
    for (const check::PatternHint& hint : group.patterns) {
      ++place;
      if (hint.pattern == pattern) found = is_first ? easiest : easiest + place;
    }
  }
  return found;
}

constexpr const char* text_of_pass = "nothing: it passes";  // the answer for a right kernel

// Puts the main mistakes first, so that their numbers are the same with and without the others. Orders sheets
// by the question, and the others of a question or of a kernel from easy to hard. What passes and has no
// number is somewhere among the others, and in their second half if it is hard to see that it does.
void put_in_order(std::vector<HandedIn>& all) {
  std::vector<HandedIn> passing;
  std::erase_if(all, [&](HandedIn& one) {
    const bool is_somewhere = one.passes() && !one.has_number();
    if (is_somewhere) passing.push_back(one);
    return is_somewhere;
  });
  std::ranges::sort(all, {}, &HandedIn::name);
  std::ranges::sort(passing, {}, &HandedIn::name);
  std::ranges::stable_sort(all, {}, [](const HandedIn& one) {
    return std::tuple(one.line, !one.has_number(), one.has_number() ? one.place : "", one.place == "last",
                      difficulty(one.pattern));
  });
  for (HandedIn& one : passing) {
    const auto [main, end] = std::ranges::equal_range(all, one.line, {}, &HandedIn::line);
    const auto begin = std::find_if_not(main, end, [](const HandedIn& other) { return other.has_number(); });
    const auto first = one.place == "last" ? begin + (end - begin) / 2 : begin;
    const auto places = static_cast<std::uint64_t>(end - first) + 1;
    all.insert(first + static_cast<std::ptrdiff_t>(fnv1a(one.name + one.because) % places), std::move(one));
  }
  std::ranges::stable_partition(all, &HandedIn::has_number);
}

// Takes what is known of a sheet's answer: of the wrong one or, of a right sheet, of the one to be shown.
// Another misunderstanding that gives the same wrong answer is true of the sheet as well.
void take_answer(HandedIn& one, const Exercise& exercise, const CheckResult& result,
                 const std::vector<check::MistakenAnswer>& answers) {
  one.line = result.line;
  const std::vector<check::AskedQuestion> asked = check::asked_questions(exercise.starter);
  const auto by_name = std::ranges::find(asked, one.question, &check::AskedQuestion::name);
  if (result.verdict == Verdict::right)
    one.line = by_name == asked.end() ? asked.front().line : by_name->line;
  const auto shown = std::ranges::find(asked, one.line, &check::AskedQuestion::line);
  for (const check::AskedQuestion& answered : check::asked_questions(exercise.solution))
    if (shown != asked.end() && answered.heading == shown->heading) one.right = answered.answer;
  std::ranges::copy_if(answers, std::back_inserter(one.mistaken),
                       [&](const check::MistakenAnswer& other) { return other.line == one.line; });
  const auto given = std::ranges::find(one.mistaken, result.pattern, &check::MistakenAnswer::pattern);
  for (const check::MistakenAnswer& other : one.mistaken)
    if (given != one.mistaken.end() && other.is_same_as(*given)) one.also.push_back(other.pattern);
  if (one.because.empty()) one.because = check::reason_for_answer(exercise, one.text, one.line);
}

// Returns the mistakes of an exercise of the course or, with a folder, those in the folder.
std::vector<HandedIn> all_handed_in(const Exercise& exercise, const std::optional<fs::path>& folder) {
  std::vector<HandedIn> all;
  const std::vector<check::MistakenAnswer> answers =
      exercise.has_questions() ? check::mistaken_answers(exercise) : std::vector<check::MistakenAnswer>();
  const auto add = [&](const fs::path& file, const std::string& text, const std::string& solution) {
    HandedIn one = handed_in(file, check::mistake_text(file, text, solution), exercise);
    // An instructor need not say what check finds, and it has to be among the choices.
    if (one.pattern.empty() || exercise.has_questions()) {
      const CheckResult result =
          check::check_exercise(exercise, {exercise.file, one.text}, {.with_gpu = false});
      if (exercise.has_questions()) take_answer(one, exercise, result, answers);
      if (one.pattern.empty())
        one.pattern = result.verdict == Verdict::right ? check::expected_to_pass : result.pattern;
    }
    all.push_back(std::move(one));
  };
  const std::string solution = exercise.has_questions() ? "" : check::course_file_of(exercise);
  if (folder)
    for (const fs::path& file : check::mistake_files(*folder))
      add(file, check::learner_file(file).text, check::learner_file(*folder / "solution.cu").text);
  for (const EmbeddedMistake& mistake : embedded_mistakes())
    if (!folder && mistake.exercise == exercise.name) add(mistake.name, mistake.text, solution);
  put_in_order(all);
  return all;
}

// Returns the reason why a pattern is not the answer: how a kernel that has it would look.
std::string why_not(const check::PatternHint& pattern) {
  if (!pattern.would_look.empty()) return pattern.would_look;
  return pattern.wrong.empty() ? "" : "That would be, for example: " + pattern.wrong;
}

DemoChoice choice_of_pattern(const std::string& pattern) {
  const check::PatternHint* known = check::find_pattern(pattern);
  const std::string words = !known ? "" : known->choice.empty() ? known->summary : known->choice;
  return {.word = pattern, .text = words.empty() ? pattern : words, .tempting = known ? why_not(*known) : ""};
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

// Returns whether it is wrong to choose a pattern that has words, though the text has what it needs and a
// class may think of it.
bool is_wrong_choice(const HandedIn& one, const std::string& pattern) {
  const check::PatternHint* const known = check::find_pattern(pattern);
  const auto is_of = [&](const std::string& also) { return check::is_kind_of(pattern, also); };
  return known && !known->summary.empty() && !is_formality(pattern) &&
         !check::may_be_true_too(pattern, one.pattern) && check::may_be_in(pattern, one.text) &&
         std::ranges::none_of(one.also, is_of);
}

// Returns the names of all patterns of the answer's kind that have a sentence to choose.
std::vector<std::string> patterns_beside(const std::string& pattern) {
  std::vector<std::string> names;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    const bool is_its =
        std::ranges::find(group.patterns, pattern, &check::PatternHint::pattern) != group.patterns.end();
    for (const check::PatternHint& hint : group.patterns)
      if (is_its && !hint.summary.empty()) names.push_back(hint.pattern);
  }
  return names;
}

// Returns three patterns that are false for this mistake, or four where it passes. Of a sheet, they are those
// whose number is known, which may be fewer. Of a kernel, those that the file names come first, and then
// those of the exercise's other mistakes. What the compiler refuses is seldom worth a thought, so it comes
// last of these. An exercise with few mistakes gets others.
std::vector<std::string> wrong_choices(const std::vector<HandedIn>& all, const HandedIn& one) {
  const std::size_t most = one.passes() ? 4 : 3;  // so that their number tells nothing
  std::vector<std::string> patterns, own, slips, others;
  std::vector<std::string> more = patterns_beside(one.pattern), results = patterns_beside("wrong-index");
  // Takes other ones for each mistake.
  const auto take = [&](std::vector<std::string>& from) {
    std::ranges::sort(from, {}, [&](const std::string& pattern) {
      return std::pair(difficulty(pattern) == easiest, fnv1a(one.name + pattern));
    });
    for (std::size_t i = 0; i < from.size() && patterns.size() < most; ++i) {
      const bool is_new = std::ranges::find(patterns, from[i]) == patterns.end();
      if (is_new && is_wrong_choice(one, from[i])) patterns.push_back(from[i]);
    }
  };
  for (const check::MistakenAnswer& answer : one.mistaken)
    (answer.is_slip ? slips : own).push_back(answer.pattern);
  take(own);
  take(slips);
  if (one.line > 0) return patterns;
  std::vector<std::string> named = one.tempting;
  take(named);
  for (const HandedIn& other : all)
    if (!other.is_left_out()) others.push_back(other.pattern);
  take(others);
  take(more);
  take(results);
  return patterns;
}

// Returns the reason why it does not pass; empty where only the check's numbers say more than the answer
// does.
std::string why_it_fails(const HandedIn& one) {
  const check::PatternHint* const known = check::find_pattern(one.pattern);
  if (known && !known->looks_right.empty()) return known->looks_right;
  const bool never_ends = one.pattern == name_of(DefectKind::time_limit);
  if (one.pattern == name_of(DefectKind::launch_refused)) return "The device refuses the launch.";
  if (is_formality(one.pattern)) return "It is not the kernel that the exercise asks for.";
  if (difficulty(one.pattern) == easiest && !never_ends) return "The compiler refuses it.";
  return one.is_right_on_gpu ? "A GPU's result is right by chance, and check finds what is wrong." : "";
}

// Says of a wrong choice of a sheet how one would have counted, and which answer that gives. The answer of a
// sheet that comes later is not told.
std::string why_not_in_sheet(const std::vector<HandedIn>& all, const HandedIn& one,
                             const std::string& pattern) {
  const bool is_to_come =
      std::any_of(all.begin() + (&one - all.data()) + 1, all.end(), [&](const auto& later) {
        return later.line == one.line && !later.is_left_out() && later.pattern == pattern;
      });
  const auto answer = std::ranges::find(one.mistaken, pattern, &check::MistakenAnswer::pattern);
  if (answer != one.mistaken.end() && check::find_pattern(pattern))
    return check::find_pattern(pattern)->would_look +
           (is_to_come ? "" : " That gives " + answer->answer + ".");
  return is_to_come ? "It is wrong. The right answer is in a later step."
                    : "Right would be " + one.right + ".";
}

// Returns the choices for this mistake, in an order that does not give the answer away. That it passes is
// among them where this happens, or where it looks so.
std::vector<DemoChoice> choices_for(const std::vector<HandedIn>& all, const HandedIn& one) {
  const check::PatternHint* const known = check::find_pattern(one.pattern);
  const bool may_pass = (known && !known->looks_right.empty()) || std::ranges::any_of(all, &HandedIn::passes);
  std::vector<std::string> patterns = wrong_choices(all, one);
  if (!one.passes()) patterns.push_back(one.pattern);
  std::ranges::sort(patterns, {}, [&](const std::string& pattern) { return fnv1a(one.name + pattern); });
  std::vector<DemoChoice> choices;
  for (const std::string& pattern : patterns) choices.push_back(choice_of_pattern(pattern));
  if (may_pass)
    choices.push_back({.word = check::expected_to_pass,
                       .text = text_of_pass,
                       .because = "This is not a mistake: check finds nothing wrong.",
                       .tempting = why_it_fails(one)});
  for (DemoChoice& choice : choices) {
    if (choice.word == one.pattern && !one.because.empty()) choice.because = one.because;
    if (one.line > 0) choice.tempting = why_not_in_sheet(all, one, choice.word);
    const std::string against = check::said_in_mistake(one.head, "not " + choice.word + ": ");
    if (!against.empty()) choice.tempting = against;
  }
  return choices;
}

}  // namespace

Demo mistakes_of(const Exercise& exercise, const std::optional<fs::path>& folder) {
  const std::vector<HandedIn> all = all_handed_in(exercise, folder);
  const bool has_main = std::ranges::any_of(all, &HandedIn::has_number);
  Demo demo{.lesson = exercise.lesson};
  for (const HandedIn& one : all) {
    if (one.is_left_out()) continue;
    std::vector<std::string> look_at = one.look_at;
    if (exercise.has_questions()) look_at.push_back("answer (");
    demo.steps.push_back({.text = one.given,
                          .since = folder ? "the solution" : "the course's",
                          .look_at = std::move(look_at),
                          .question = DemoQuestion{.text = "What will gpulab check say?",
                                                   .answer = {DemoAnswer::Kind::check, {one.name}},
                                                   .choices = choices_for(all, one)},
                          .minutes = 2,
                          .mistake = one.text,
                          .excerpt = exercise.has_questions() ? question_at(one.text, one.line) : "",
                          .pattern = one.pattern,
                          .is_main = one.has_number() || !has_main});
  }
  if (demo.steps.empty()) throw UsageError(exercise.name + " has no mistakes to show");
  return demo;
}

namespace {

// Returns what check has found, in the words of the choice if there is one: "a race in global memory
// (race-global-update)".
std::string in_words(const CheckResult& result, const DemoChoice* choice) {
  if (result.verdict == Verdict::right) return text_of_pass;
  const check::PatternHint* const known = check::find_pattern(result.pattern);
  const std::string says = choice ? choice->text : known ? known->summary : "";
  return says.empty() ? result.pattern : fmt::format("{} ({})", says, result.pattern);
}

}  // namespace

DemoReveal reveal_mistake(const DemoStep& step, const Exercise& exercise, const StopToken& stop) {
  DemoReveal reveal;
  const std::vector<DemoChoice>& choices = step.question->choices;
  // A check draws its sizes, and few wrong elements may show no pattern. Other sizes then do.
  constexpr std::uint64_t most_seeds = 4;
  for (std::uint64_t seed = 0; seed < most_seeds && !reveal.choice; ++seed) {
    check::Trial trial;
    if (seed > 0) trial.seed = seed;
    reveal.check = check::check_exercise(exercise, device::KernelSource{exercise.file, step.mistake},
                                         {.with_gpu = false, .trial = trial, .stop = stop});
    reveal.check->file = exercise.file;
    reveal.answer = reveal.check->verdict == Verdict::right ? check::expected_to_pass : reveal.check->pattern;
    reveal.choice = choice_of(*step.question, reveal.answer);
    for (std::size_t i = 0; i < choices.size() && !reveal.choice; ++i)
      if (check::is_kind_of(reveal.answer, choices[i].word)) reveal.choice = i;
  }
  reveal.answer = in_words(*reveal.check, reveal.choice ? &choices[*reveal.choice] : nullptr);
  return reveal;
}

}  // namespace gpulab::teach
