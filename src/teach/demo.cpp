#include "teach/demo.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "check/answers.hpp"
#include "check/check_formats.hpp"
#include "check/checks.hpp"
#include "check/explanations.hpp"
#include "check/own_exercises.hpp"
#include "check/progress.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"

namespace gpulab::teach {

namespace fs = std::filesystem;

Recorded::Recorded(const std::string& csv) {
  const std::vector<std::string> lines = lines_of(csv);
  if (lines.empty() || lines.front() != "lesson,options,variant,figure,unit,value,gpus,date")
    throw std::logic_error("this is not a table of recorded figures");
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
    if (row.lesson == lesson && row.figure.name != recorded_seconds) add_once(names, row.figure.name);
  return names;
}

namespace {

// File of a demo of mistakes, perhaps one that only looks wrong, and what check is expected to find in it.
struct MistakeFile {
  std::string name;
  std::string text;
  std::string pattern;                     // or check::expected_to_pass
  std::vector<std::string> also = {};      // other patterns that are true of it
  std::vector<std::string> tempting = {};  // patterns that are false of it, but plausible
  std::vector<std::string> look_at = {};   // parts of lines that decide, and have to stay on the screen
  std::string introduction = {};           // what the class must know beforehand; may be empty
  std::string because = {};                // the reason, in a sentence about this file
  std::string head = {};                   // its first lines, which also say why other choices are wrong
  bool is_right_on_gpu = false;            // by chance
  std::string question = {};               // of a right sheet: the name of the question to show
  std::string right = {};                  // of a sheet: the right answer to the question that is shown
  int line = 0;                            // of a sheet: line of the answer that check reports
  // Place in a demo: "1" and so on for the main mistakes, "last" for the subtlest, or "left out"; if empty,
  // the pattern decides.
  std::string position = {};
  std::vector<check::MistakenAnswer> mistaken = {};  // of misunderstandings of that question

  bool passes() const { return pattern == check::expected_to_pass; }
  bool is_left_out() const { return position == "left out"; }
  bool has_number() const {
    return position.size() == 1 && std::isdigit(static_cast<unsigned char>(position[0]));
  }
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

// Returns the patterns, or parts of lines, that the head of a file lists after a word such as "also: ".
std::vector<std::string> patterns_in(const std::string& head, const std::string& word) {
  std::vector<std::string> patterns = split_at_commas(check::said_in_mistake(head, word));
  for (std::string& pattern : patterns) pattern = trimmed(pattern);
  std::erase(patterns, "");
  return patterns;
}

// Returns the mistake without the comments that say what is wrong: those in its first lines, which are for
// tests, and all of a kernel. Answers are in the exercise's sheet.
MistakeFile read_mistake(const fs::path& path, const std::string& text, const Exercise& exercise) {
  const std::string_view mark = exercise.has_questions() ? "#" : "//";
  std::size_t end_of_head = 0;
  while (end_of_head < text.size() && text.compare(end_of_head, mark.size(), mark) == 0)
    end_of_head = std::min(text.find('\n', end_of_head), text.size() - 1) + 1;
  const std::string head = text.substr(0, end_of_head);
  const std::string expected = check::said_in_mistake(head, "expect: ");
  MistakeFile file{.name = replaced(path.stem(), '_', '-'),
                   .pattern = expected.substr(0, expected.find_first_of(" ,:(")),
                   .also = patterns_in(head, "also: "),
                   .tempting = patterns_in(head, "tempting: "),
                   .look_at = patterns_in(head, "look at: "),
                   .introduction = check::said_in_mistake(head, "text: "),
                   .because = check::said_in_mistake(head, "because: "),
                   .head = head,
                   .is_right_on_gpu = check::said_in_mistake(head, "sizes: ").starts_with("never"),
                   .question = check::said_in_mistake(head, "question: "),
                   .position = check::said_in_mistake(head, "demo: ")};
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

// Returns a pattern's rank in the order from easy to hard: first what the compiler refuses and what never
// ends, then wrong results, then races. Returns 0 for an unknown pattern.
std::size_t difficulty(const std::string& pattern) {
  std::size_t rank = 0, found = 0;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    const bool is_first = contains(group.patterns, check::does_not_compile, &check::PatternHint::pattern);
    for (const check::PatternHint& hint : group.patterns) {
      ++rank;
      if (hint.pattern == pattern) found = is_first ? easiest : easiest + rank;
    }
  }
  return found;
}

constexpr const char* text_of_pass = "nothing: it passes";  // the answer for a right kernel

// Puts the main mistakes first, so that their numbers are the same with and without the others. Orders sheets
// by the question, and the others of a question or of a kernel from easy to hard. A file that passes and has
// no number is at an unforeseeable index among the others, in their second half if its position is "last".
void put_in_order(std::vector<MistakeFile>& all) {
  std::vector<MistakeFile> passing;
  std::erase_if(all, [&](MistakeFile& file) {
    const bool is_inserted_later = file.passes() && !file.has_number();
    if (is_inserted_later) passing.push_back(file);
    return is_inserted_later;
  });
  std::ranges::sort(all, {}, &MistakeFile::name);
  std::ranges::sort(passing, {}, &MistakeFile::name);
  std::ranges::stable_sort(all, {}, [](const MistakeFile& file) {
    return std::tuple(file.line, !file.has_number(), file.has_number() ? file.position : "",
                      file.position == "last", difficulty(file.pattern));
  });
  for (MistakeFile& file : passing) {
    const auto [main, end] = std::ranges::equal_range(all, file.line, {}, &MistakeFile::line);
    const auto begin =
        std::find_if_not(main, end, [](const MistakeFile& other) { return other.has_number(); });
    const auto first = file.position == "last" ? begin + (end - begin) / 2 : begin;
    const auto places = static_cast<std::uint64_t>(end - first) + 1;
    all.insert(first + static_cast<std::ptrdiff_t>(fnv1a(file.name + file.because) % places),
               std::move(file));
  }
  std::ranges::stable_partition(all, &MistakeFile::has_number);
}

// Fills in what is known of a sheet's wrong answer or, if the sheet is right, of the answer to be shown.
// Other misunderstandings that give the same wrong answer are true of the sheet, too.
void fill_in_answer(MistakeFile& file, const Exercise& exercise, const CheckResult& result,
                    const std::vector<check::MistakenAnswer>& answers) {
  file.line = result.line;
  const std::vector<check::AskedQuestion> asked = check::asked_questions(exercise.starter);
  const auto by_name = std::ranges::find(asked, file.question, &check::AskedQuestion::name);
  if (result.verdict == Verdict::right)
    file.line = by_name == asked.end() ? asked.front().line : by_name->line;
  const auto shown = std::ranges::find(asked, file.line, &check::AskedQuestion::line);
  for (const check::AskedQuestion& answered : check::asked_questions(exercise.solution))
    if (shown != asked.end() && answered.heading == shown->heading) file.right = answered.answer;
  std::ranges::copy_if(answers, std::back_inserter(file.mistaken),
                       [&](const check::MistakenAnswer& other) { return other.line == file.line; });
  const auto given_answer = std::ranges::find(file.mistaken, result.pattern, &check::MistakenAnswer::pattern);
  for (const check::MistakenAnswer& other : file.mistaken)
    if (given_answer != file.mistaken.end() && other.is_same_as(*given_answer))
      file.also.push_back(other.pattern);
  if (file.because.empty()) file.because = check::reason_for_answer(exercise, file.text, file.line);
}

// Returns the mistakes of an exercise of the course or, with a folder, those in the folder.
std::vector<MistakeFile> all_mistake_files(const Exercise& exercise, const std::optional<fs::path>& folder) {
  std::vector<MistakeFile> all;
  const std::vector<check::MistakenAnswer> answers =
      exercise.has_questions() ? check::mistaken_answers(exercise) : std::vector<check::MistakenAnswer>();
  const auto add = [&](const fs::path& path, const std::string& text, const std::string& solution) {
    MistakeFile file = read_mistake(path, check::mistake_text(path, text, solution), exercise);
    // An instructor need not say what check finds, and it has to be among the choices.
    if (file.pattern.empty() || exercise.has_questions()) {
      const CheckResult result =
          check::check_exercise(exercise, {exercise.file, file.text}, {.with_gpu = false});
      if (exercise.has_questions()) fill_in_answer(file, exercise, result, answers);
      if (file.pattern.empty())
        file.pattern = result.verdict == Verdict::right ? check::expected_to_pass : result.pattern;
    }
    all.push_back(std::move(file));
  };
  const std::string solution = exercise.has_questions() ? "" : check::course_file_of(exercise);
  if (folder)
    for (const fs::path& file : check::mistake_files(*folder))
      add(file, check::learner_file(file).text, check::learner_file(*folder / "solution.cu").text);
  for (const EmbeddedMistake& embedded : embedded_mistakes())
    if (!folder && embedded.exercise == exercise.name) add(embedded.name, embedded.text, solution);
  put_in_order(all);
  return all;
}

// Returns the reason why a pattern is not the answer: how a kernel that has it would look, and lines of this
// one to look at. Empty if only the check's result can be a reason.
std::string why_not(const check::PatternHint& pattern, const std::string& text) {
  static const std::regex with_words(R"((.*)\[([^{]*)\{(.*)\}\](.*))");
  std::smatch parts;
  if (!std::regex_match(pattern.would_look, parts, with_words)) return pattern.would_look;
  const std::vector<std::string> words = split_at_commas(parts.str(3)), lines = lines_of(text);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string code = lines[i].substr(0, lines[i].find("//"));
    if (std::ranges::any_of(words, [&](const auto& word) { return code.find(word) != std::string::npos; }))
      numbers.push_back(i + 1);
  }
  constexpr std::size_t max_named = 2;  // among more lines, nobody finds the one that decides
  const char* const named = numbers.size() > 1 ? "lines" : "line";
  const std::string where = numbers.empty() || numbers.size() > max_named
                                ? ""
                                : fmt::format("{}{} {}", parts.str(2), named, fmt::join(numbers, ", "));
  return parts.str(1) + where + parts.str(4);
}

// Returns the words of a choice. Without a summary, they are the first sentence of the hint or, if that is a
// question, the pattern's name.
std::string words_of(const check::PatternHint& known) {
  if (!known.summary.empty()) return known.choice.empty() ? known.summary : known.choice;
  std::string sentence = known.hint.substr(0, known.hint.find_first_of(".?"));
  if (known.hint[sentence.size()] == '?') return replaced(known.pattern, '-', ' ');
  sentence.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

// Returns the names of all patterns of the answer's kind that have a sentence to choose.
std::vector<std::string> patterns_beside(const std::string& pattern) {
  std::vector<std::string> names;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    const bool is_of_group = contains(group.patterns, pattern, &check::PatternHint::pattern);
    for (const check::PatternHint& hint : group.patterns)
      if (is_of_group && !hint.summary.empty()) names.push_back(hint.pattern);
  }
  return names;
}

DemoChoice choice_of_pattern(const std::string& pattern, const std::string& text) {
  const check::PatternHint* known = check::find_pattern(pattern);
  return {.word = pattern,
          .text = known ? words_of(*known) : pattern,
          .tempting = known ? why_not(*known, text) : "",
          .is_about_values = contains(patterns_beside("wrong-index"), pattern)};
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

bool is_wrong_choice(const MistakeFile& file, const std::string& pattern) {
  const auto is_of = [&](const std::string& also) { return check::is_kind_of(pattern, also); };
  return check::why_no_choice(pattern, file.pattern, file.text).empty() &&
         std::ranges::none_of(file.also, is_of);
}

// Returns whether the compiler refuses a kernel with the pattern: such patterns follow does-not-compile.
bool is_refused(const std::string& pattern) {
  bool is_after = false;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    for (const check::PatternHint& hint : group.patterns) {
      is_after |= hint.pattern == check::does_not_compile;
      if (hint.pattern == pattern) return is_after;
    }
    is_after = false;
  }
  return false;
}

// Returns three patterns that are false for this file, or four if it passes. For a sheet, they are those of
// misunderstandings, perhaps fewer. For a kernel, those that the file names come first, then those of the
// exercise's other mistakes, then those of the same group, then those of wrong results. Compile errors come
// last, and those of other mistakes only beside a compile error.
std::vector<std::string> wrong_choices(const std::vector<MistakeFile>& all, const MistakeFile& file) {
  const std::size_t max_choices = file.passes() ? 4 : 3;  // so that the number of choices tells nothing
  std::vector<std::string> patterns, misunderstandings, slips, others;
  std::vector<std::string> more = patterns_beside(file.pattern), results = patterns_beside("wrong-index");
  // Adds patterns that are new and wrong, up to the maximum. The hash makes the order another for each file.
  const auto add_some_of = [&](std::vector<std::string>& from) {
    std::ranges::sort(from, {}, [&](const std::string& pattern) {
      return std::pair(difficulty(pattern) == easiest, fnv1a(file.name + pattern));
    });
    for (std::size_t i = 0; i < from.size() && patterns.size() < max_choices; ++i) {
      const bool is_new = !contains(patterns, from[i]);
      if (is_new && is_wrong_choice(file, from[i])) patterns.push_back(from[i]);
    }
  };
  for (const check::MistakenAnswer& answer : file.mistaken)
    (answer.is_slip ? slips : misunderstandings).push_back(answer.pattern);
  add_some_of(misunderstandings);
  add_some_of(slips);
  if (file.line > 0) return patterns;
  std::vector<std::string> named = file.tempting;
  add_some_of(named);
  for (const MistakeFile& other : all)
    if (!other.is_left_out()) others.push_back(other.pattern);
  if (!is_refused(file.pattern)) std::erase_if(others, is_refused);
  add_some_of(others);
  add_some_of(more);
  add_some_of(results);
  return patterns;
}

// Returns the reason why the file does not pass; empty if only the numbers that check counts are a reason.
std::string why_it_fails(const MistakeFile& file) {
  const check::PatternHint* const known = check::find_pattern(file.pattern);
  if (known && !known->looks_right.empty()) return known->looks_right;
  const bool never_ends = file.pattern == name_of(DefectKind::time_limit);
  if (file.pattern == name_of(DefectKind::launch_refused)) return "The device refuses the launch.";
  if (is_formality(file.pattern)) return "It is not the kernel that the exercise asks for.";
  if (difficulty(file.pattern) == easiest && !never_ends) return "The compiler refuses it.";
  return file.is_right_on_gpu ? "A GPU's result is right by chance, and check finds what is wrong." : "";
}

// Returns how one would have to calculate for a wrong choice of a sheet, and which answer that gives. Does
// not tell the answer of a later sheet.
std::string why_not_in_sheet(const std::vector<MistakeFile>& all, const MistakeFile& file,
                             const std::string& pattern) {
  const bool is_answer_of_later_step =
      std::any_of(all.begin() + (&file - all.data()) + 1, all.end(), [&](const auto& later) {
        return later.line == file.line && !later.is_left_out() && later.pattern == pattern;
      });
  const auto answer = std::ranges::find(file.mistaken, pattern, &check::MistakenAnswer::pattern);
  if (answer != file.mistaken.end() && check::find_pattern(pattern))
    return check::find_pattern(pattern)->would_look +
           (is_answer_of_later_step ? "" : " That gives " + answer->answer + ".");
  return is_answer_of_later_step ? "It is wrong. The right answer is in a later step."
                                 : "Right would be " + file.right + ".";
}

// Returns the choices for this file, in an order that does not give the answer away. "It passes" is among
// them if some file of the demo passes, or this one looks right.
std::vector<DemoChoice> choices_for(const std::vector<MistakeFile>& all, const MistakeFile& file) {
  const check::PatternHint* const known = check::find_pattern(file.pattern);
  const bool may_pass =
      (known && !known->looks_right.empty()) || std::ranges::any_of(all, &MistakeFile::passes);
  std::vector<std::string> patterns = wrong_choices(all, file);
  if (!file.passes()) patterns.push_back(file.pattern);
  std::ranges::sort(patterns, {}, [&](const std::string& pattern) { return fnv1a(file.name + pattern); });
  std::vector<DemoChoice> choices;
  for (const std::string& pattern : patterns) choices.push_back(choice_of_pattern(pattern, file.text));
  if (may_pass)
    choices.push_back({.word = check::expected_to_pass,
                       .text = text_of_pass,
                       .because = "This is not a mistake: check finds nothing wrong.",
                       .tempting = why_it_fails(file)});
  for (DemoChoice& choice : choices) {
    if (choice.word == file.pattern && !file.because.empty()) choice.because = file.because;
    if (file.line > 0) choice.tempting = why_not_in_sheet(all, file, choice.word);
    const std::string against = check::said_in_mistake(file.head, "not " + choice.word + ": ");
    if (!against.empty()) choice.tempting = against;
  }
  return choices;
}

// Returns what check has found, in the words of the choice if there is one: "a race in global memory
// (race-global-update)".
std::string in_words(const CheckResult& result, const DemoChoice* choice) {
  if (result.verdict == Verdict::right) return text_of_pass;
  const check::PatternHint* const known = check::find_pattern(result.pattern);
  const bool is_unknown_error =
      result.verdict == Verdict::does_not_compile && known && known->summary.empty();
  if (choice || (known && !is_unknown_error))
    return fmt::format("{} ({})", choice ? choice->text : words_of(*known), result.pattern);
  return result.verdict == Verdict::does_not_compile ? check::find_pattern(check::does_not_compile)->summary
                                                     : "it does not pass";
}

// The launch of an exercise's kernel, which a mistake's file does not have.
struct LaunchWords {
  std::string config;  // "<<<(4, 4), (32, 32)>>>"; empty if there are several
  std::string sizes;   // "100 x 100 times 100 x 100 float32, uniform in [-1, 1)"

  std::string sentence() const {
    return config.empty()
               ? ""
               : fmt::format("Launched as {} for {}. Check tries other sizes, too. ", config, sizes);
  }
  std::string heading() const {
    return config.empty() ? "" : sizes.substr(0, sizes.find(',')) + ", " + config;
  }
};

LaunchWords launch_words(const Exercise& exercise) {
  if (exercise.kind != ExerciseKind::kernel) return {};
  const Lesson& lesson = lesson_of(exercise);
  if (run::find_variant(lesson, lesson.solution).steps) return {};
  const Settings settings = lesson.default_settings();
  const LaunchConfig launch = check::launch_of_solution(lesson, settings).config;
  const std::string bytes =
      launch.dynamic_shared_bytes > 0 ? fmt::format(", {}", launch.dynamic_shared_bytes) : "";
  return {
      .config = fmt::format("<<<{}, {}{}>>>", text_of(launch.grid), text_of(launch.block), bytes),
      .sizes = lesson.has_size() ? "size " + grouped(settings.size) : lesson.problem(settings).description};
}

}  // namespace

Demo mistakes_of(const Exercise& exercise, const std::optional<fs::path>& folder) {
  const std::vector<MistakeFile> all = all_mistake_files(exercise, folder);
  const bool has_main = std::ranges::any_of(all, &MistakeFile::has_number);
  Demo demo{.lesson = exercise.lesson};
  // A class may not know an instructor's exercise. A kernel with rows and columns of its own has them in its
  // text, and often no room beside it.
  const bool is_needed = folder || lesson_of(exercise).has_size();
  const LaunchWords launch = launch_words(exercise);
  const std::string task =
      (folder ? lesson_of(exercise).title + ". " : "") + (is_needed ? launch.sentence() : "");
  for (const MistakeFile& file : all) {
    if (file.is_left_out()) continue;
    std::vector<std::string> look_at = file.look_at;
    if (exercise.has_questions()) look_at.push_back("answer (");
    demo.steps.push_back({.text = trimmed(task + file.introduction),
                          .launch = is_needed ? "" : launch.sentence(),
                          .launched_with = is_needed ? "" : launch.heading(),
                          .compared_with = folder ? "the solution" : "the course's",
                          .look_at = std::move(look_at),
                          .question = DemoQuestion{.text = "What will gpulab check say?",
                                                   .answer = {DemoAnswer::Kind::check, {file.name}},
                                                   .choices = choices_for(all, file)},
                          .minutes = 2,
                          .mistake = file.text,
                          .excerpt = exercise.has_questions() ? question_at(file.text, file.line) : "",
                          .pattern = file.pattern,
                          .is_main = file.has_number() || !has_main});
  }
  if (demo.steps.empty()) throw UsageError(exercise.name + " has no mistakes to show");
  return demo;
}

DemoReveal reveal_mistake(const DemoStep& step, const Exercise& exercise, const StopToken& stop) {
  DemoReveal reveal;
  const std::vector<DemoChoice>& choices = step.question->choices;
  // A check draws its sizes, and few wrong elements may show no pattern. Other sizes then do.
  // An edited mistake need fit no choice, and a kernel that does not end would take as long each time.
  const std::uint64_t max_seeds = step.pattern.empty() ? 1 : 4;
  for (std::uint64_t seed = 0; seed < max_seeds && !reveal.choice; ++seed) {
    check::Trial trial;
    if (seed > 0) trial.seed = seed;
    reveal.check = check::check_exercise(exercise, device::KernelSource{exercise.file, step.mistake},
                                         {.with_gpu = false, .trial = trial, .stop = stop});
    reveal.check->file = exercise.file;
    reveal.answer = reveal.check->verdict == Verdict::right ? check::expected_to_pass : reveal.check->pattern;
    reveal.choice = choice_of(*step.question, reveal.answer);
    for (std::size_t i = 0; i < choices.size() && !reveal.choice; ++i)
      if (check::is_kind_of(reveal.answer, choices[i].word)) reveal.choice = i;
    if (reveal.answer == name_of(DefectKind::time_limit)) break;
  }
  reveal.answer = in_words(*reveal.check, reveal.choice ? &choices[*reveal.choice] : nullptr);
  return reveal;
}

}  // namespace gpulab::teach
