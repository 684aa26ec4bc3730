#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.hpp"
#include "check/explanations.hpp"
#include "check/files.hpp"
#include "check/progress.hpp"
#include "cli/demo_stage.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "source/source_parts.hpp"
#include "teach/demo.hpp"
#include "test.hpp"

namespace gpulab::teach {
namespace {

class EveryDemo : public testing::TestWithParam<std::string> {};
class EveryDemoOfMistakes : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ::setenv("GPULAB_TIME_LIMIT", "2", 1); }
  void TearDown() override { ::unsetenv("GPULAB_TIME_LIMIT"); }
};

constexpr std::size_t rows = 24;
constexpr TextStyle projector{.colour = false, .width = 80};

// Answers that a wrong kernel gives by its nature, not by chance: a guard that no thread needs, and a race.
const std::map<std::string, std::string> certain_answers = {
    {"unguarded", "right"}, {"smaller-equal", "right"}, {"from-the-other", "race"}};

void expect_one_screen(const DemoScene& scene) {
  const std::vector<std::string> lines = demo_screen(scene, projector, rows);
  EXPECT_EQ(lines.size(), rows) << scene.demo->lesson << " step " << scene.step + 1;
  for (const std::string& line : lines) {
    EXPECT_LE(display_width(line), projector.width) << line;
    if (!scene.reveal) {
      EXPECT_EQ(line.find("... t shows"), std::string::npos) << scene.step + 1;
    }
  }
}

// Returns whether the screen shows a line with that text, which is found by its number.
bool is_on_screen(const DemoScene& scene, const std::string& text) {
  const std::vector<std::string> rows_shown = demo_screen(scene, projector, rows);
  return std::ranges::any_of(scene.lines, [&](const DemoLine& line) {
    const std::string begin = fmt::format("{:>4} {} ", line.number, line.mark);
    return contains(line.text, text) &&
           std::ranges::any_of(rows_shown, [&](const std::string& row) { return row.starts_with(begin); });
  });
}

// Expects a class that votes for every choice to see all of them beside the answer.
void expect_all_choices_beside_the_answer(DemoScene scene) {
  if (!scene.current().question) return;
  const std::vector<DemoChoice>& choices = scene.current().question->choices;
  scene.votes.assign(choices.size(), 1);
  const std::vector<std::string> lines = demo_screen(scene, projector, rows);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::string begin =
        fmt::format("{} {}  {}", scene.reveal->choice == i ? '>' : ' ', i + 1, choices[i].text.substr(0, 40));
    const auto row = std::ranges::find_if(lines, [&](const auto& line) { return line.starts_with(begin); });
    ASSERT_NE(row, lines.end()) << name_of(scene.current()) << ": " << begin << "\n"
                                << fmt::format("{}", fmt::join(lines, "\n"));
  }
  if (!scene.current().mistake.empty()) return;  // lines of the mistake stay before reasons
  EXPECT_TRUE(std::ranges::any_of(lines, [](const auto& line) { return line.starts_with("not "); }))
      << name_of(scene.current()) << " has no reason\n"
      << fmt::format("{}", fmt::join(lines, "\n"));
}

// A class that votes finds the lines that the answer names, also if it votes for every choice.
void expect_named_lines_beside_the_answer(DemoScene scene) {
  if (!scene.current().question || !scene.reveal->choice) return;
  const std::size_t choices = scene.current().question->choices.size();
  std::vector<unsigned> two_for_the_answer(choices, 0);
  two_for_the_answer[*scene.reveal->choice] = 2;
  two_for_the_answer[*scene.reveal->choice == 0 ? 1 : 0] = 1;
  for (const std::vector<unsigned>& votes : {two_for_the_answer, std::vector<unsigned>(choices, 1)}) {
    scene.votes = votes;
    const std::vector<std::string> shown = demo_screen(scene, projector, rows);
    for (const DemoLine& line : scene.lines) {
      const std::string begin = fmt::format("{:>4} {} ", line.number, line.mark);
      EXPECT_TRUE(!line.is_named || line.number == 0 ||
                  std::ranges::any_of(shown, [&](const auto& row) { return row.starts_with(begin); }))
          << name_of(scene.current()) << " does not show line " << line.number << "\n"
          << fmt::format("{}", fmt::join(shown, "\n"));
    }
  }
}

// Expects a class whose votes are for one, two or three choices to see what differs from the course's kernel,
// or in a sheet what there is to look at, beside the answer.
void expect_deciding_lines_beside_the_answer(DemoScene scene) {
  if (!scene.current().question || !scene.reveal->choice || !scene.current().is_main) return;
  const bool has_new = std::ranges::any_of(
      scene.lines, [](const DemoLine& line) { return line.mark == '+' || line.mark == '~'; });
  scene.votes.assign(scene.current().question->choices.size(), 0);
  for (std::size_t i = 0; i < std::min<std::size_t>(scene.votes.size(), 3); ++i) {
    scene.votes[i] = i == 1 ? 2 : 1;
    const std::vector<std::string> shown = demo_screen(scene, projector, rows);
    for (const DemoLine& line : scene.lines) {
      const bool is_of_kernel = line.mark == ' ' && scene.current().excerpt.empty();  // there may be many
      const bool is_bracket = line.text.find_first_not_of(" {};") == std::string::npos;
      if (!line.matters || is_of_kernel || is_bracket || (has_new && line.mark == '-')) continue;
      const std::string number = line.number > 0 ? std::to_string(line.number) : "";
      const std::string begin = fmt::format("{:>4} {} {}", number, line.mark, line.text.substr(0, 20));
      EXPECT_TRUE(std::ranges::any_of(shown, [&](const auto& row) { return row.starts_with(begin); }))
          << name_of(scene.current()) << " does not show line " << line.number << " " << line.text << "\n"
          << fmt::format("{}", fmt::join(shown, "\n"));
    }
  }
}

// Returns the pattern that the course expects of a mistake.
std::string expected_pattern(const Exercise& exercise, const DemoStep& step) {
  for (const EmbeddedMistake& mistake : embedded_mistakes()) {
    const std::string name = std::filesystem::path(mistake.name).stem(), text = mistake.text;
    if (mistake.exercise != exercise.name || replaced(name, '_', '-') != name_of(step)) continue;
    const std::string expected = check::said_in_mistake(text, "expect: ");
    return expected.substr(0, expected.find(' '));
  }
  return "none";
}

// On the simulator, each computed answer is among the choices, and the demo explains it.
TEST_P(EveryDemo, PlaysAndExplainsTheAnswersThatComeOut) {
  ASSERT_NE(simulator::simulator_with(""), nullptr);
  const Lesson lesson = cli::find_lesson(GetParam());
  cli::DemoStage stage(lesson, std::nullopt, demo_of(lesson), {.device = "simulator"}, std::nullopt);
  EXPECT_GE(stage.demo().steps.size(), 4U);
  EXPECT_LE(stage.demo().steps.size(), 10U);
  do {
    const DemoStep& step = stage.demo().steps[stage.step()];
    EXPECT_FALSE(step.say.empty() && step.expect.empty() && step.minutes == 0) << step.name;
    expect_one_screen(stage.scene());
    for (const std::string& part : step.look_at)
      EXPECT_TRUE(part == "//" || is_on_screen(stage.scene(), part))
          << step.name << " does not show " << part;
    for (const DemoLine& line : stage.scene().lines)
      EXPECT_TRUE(!step.question || line.text.find("//") == std::string::npos) << "may tell: " << line.text;
    if (!stage.has_to_run()) continue;
    stage.run([](const std::string&) {}, [] { return true; });
    expect_one_screen(stage.scene());
    expect_all_choices_beside_the_answer(stage.scene());
    expect_named_lines_beside_the_answer(stage.scene());
    const std::string handout = demo_text(stage.scene(), projector);
    EXPECT_EQ(handout.find("the start of argument"), std::string::npos)
        << step.name << " tells of an address, which differs from run to run";
    for (const std::string& line : lines_of(handout)) EXPECT_LE(display_width(line), 80U) << line;
    if (!step.question || !stage.reveal()->unknown.empty()) continue;
    ASSERT_TRUE(stage.reveal()->choice) << step.name << ": " << stage.reveal()->answer;
    const DemoChoice& choice = step.question->choices[*stage.reveal()->choice];
    EXPECT_NE(choice.because, "") << step.name;
    if (step.question->answer.kind == DemoAnswer::Kind::result) {
      const std::string said = stage.reveal()->answer.substr(0, stage.reveal()->answer.find_first_of(",("));
      EXPECT_TRUE(contains(choice.text, trimmed(said))) << step.name << " has no choice called " << said;
    }
    if (const auto known = certain_answers.find(step.name); known != certain_answers.end()) {
      EXPECT_EQ(choice.word, known->second) << step.name;
    }
  } while (stage.go_on());
  EXPECT_EQ(stage.step() + 1, stage.demo().steps.size());
}

// Returns whether the screen shows a line that differs from the course's kernel. A line beside one that is
// gone counts only where no line itself differs.
bool shows_a_difference(const DemoScene& scene) {
  const std::vector<std::string> rows_shown = demo_screen(scene, projector, rows);
  const bool has_own_difference = std::ranges::any_of(scene.lines, &DemoLine::matters);
  return std::ranges::any_of(scene.lines, [&](const DemoLine& line) {
    const std::string number =
        line.number > 0 ? std::to_string(line.number) : "";  // none for a line that is gone
    const std::string begin = fmt::format("{:>4} {} ", number, line.mark);
    return (has_own_difference ? line.matters : line.is_beside_gone) &&
           std::ranges::any_of(rows_shown, [&](const std::string& row) { return row.starts_with(begin); });
  });
}

// Returns whether the screen shows lines of a kernel or of two functions: a single helper function would give
// the place of the mistake away.
bool shows_more_than_the_place(const DemoScene& scene) {
  const std::vector<source::PartLines> parts = source::lines_of_parts(scene.current().mistake);
  const std::vector<std::string> rows_shown = demo_screen(scene, projector, rows);
  const auto is_shown = [&](const source::PartLines& part) {
    return std::ranges::any_of(scene.lines, [&](const DemoLine& line) {
      const std::string begin = fmt::format("{:>4} {} ", line.number, line.mark);
      return line.number >= part.first && line.number <= part.last &&
             std::ranges::any_of(rows_shown, [&](const std::string& row) { return row.starts_with(begin); });
    });
  };
  const auto is_shown_kernel = [&](const source::PartLines& part) {
    return part.is_kernel && is_shown(part);
  };
  return std::ranges::any_of(parts, is_shown_kernel) || std::ranges::count_if(parts, is_shown) > 1 ||
         std::ranges::none_of(parts, &source::PartLines::is_kernel);
}

// Each mistake is judged as its file states. The answer is among the choices, with a reason, and a sheet on
// the screen has the line that check names.
TEST_P(EveryDemoOfMistakes, PlaysAndExplainsTheAnswersThatComeOut) {
  ASSERT_NE(simulator::simulator_with(""), nullptr);
  const Exercise exercise = check::find_exercise(GetParam()).exercise;
  cli::DemoStage stage(cli::find_lesson(exercise.lesson), exercise, mistakes_of(exercise), {}, std::nullopt);
  do {
    const std::string name = name_of(stage.demo().steps[stage.step()]);
    if (!exercise.has_questions()) {
      EXPECT_TRUE(shows_a_difference(stage.scene())) << name;
      EXPECT_TRUE(shows_more_than_the_place(stage.scene())) << name;
    }
    stage.run([](const std::string&) {}, [] { return true; });
    const DemoReveal& reveal = *stage.reveal();
    ASSERT_TRUE(reveal.choice) << name << ": " << reveal.answer;
    const bool has_passed = reveal.check->verdict == Verdict::right;
    EXPECT_EQ(has_passed ? check::expected_to_pass : reveal.check->pattern,
              stage.demo().steps[stage.step()].pattern)
        << name << ": " << reveal.check->summary;
    expect_all_choices_beside_the_answer(stage.scene());
    expect_named_lines_beside_the_answer(stage.scene());
    expect_deciding_lines_beside_the_answer(stage.scene());
    const std::string handout = demo_text(stage.scene(), projector);
    const std::size_t choices = stage.demo().steps[stage.step()].question->choices.size();
    for (std::size_t i = 0; i < choices; ++i)
      EXPECT_EQ(i != *reveal.choice && !reason_against(stage.scene(), i).empty(),
                contains(handout, fmt::format("\nnot {}: ", i + 1)))
          << name << ", choice " << i + 1;
    EXPECT_NE(stage.demo().steps[stage.step()].question->choices[*reveal.choice].because, "") << name;
    const std::vector<DemoLine> lines = stage.scene().lines;
    if (!exercise.has_questions()) {
      const auto marked = std::ranges::count_if(lines, [](const DemoLine& line) { return line.mark != ' '; });
      EXPECT_GT(marked, 0) << name;
      EXPECT_TRUE(shows_a_difference(stage.scene())) << name << " after the vote";
      EXPECT_LE(marked, 12) << name << " differs from the course's kernel in its style";
      EXPECT_EQ(reveal.check->summary.find("/gpulab-demo-"), std::string::npos) << reveal.check->summary;
    }
    const auto named = std::ranges::find(lines, reveal.check->line, &DemoLine::number);
    if (reveal.check->line == 0 || !exercise.has_questions()) continue;
    ASSERT_NE(named, lines.end()) << name << " does not show line " << reveal.check->line;
    EXPECT_EQ(trimmed(named->text), reveal.check->source) << name;
  } while (stage.go_on());
}

// Returns the text of a step's question, without the line for the answer.
std::string question_text(const DemoStep& step) {
  return step.excerpt.substr(0, step.excerpt.rfind("answer ("));
}

// Returns whether a later step shows a sheet with that pattern in the same question.
bool is_asked_later(const std::vector<DemoStep>& steps, const DemoStep& step, const std::string& pattern) {
  return std::any_of(steps.begin() + (&step - steps.data()) + 1, steps.end(), [&](const DemoStep& later) {
    return later.pattern == pattern && question_text(later) == question_text(step);
  });
}

// A choice that is true of the kernel as well would be called wrong. No reason tells the answer that a later
// step asks for.
TEST_P(EveryDemoOfMistakes, OffersWrongChoicesThatAreFalse) {
  const Exercise exercise = check::find_exercise(GetParam()).exercise;
  const std::vector<DemoStep> steps = mistakes_of(exercise).steps;
  for (const DemoStep& step : steps) {
    const std::vector<DemoChoice>& choices = step.question->choices;
    EXPECT_GE(choices.size(), exercise.has_questions() ? 3U : 4U) << name_of(step);
    const std::string expected = expected_pattern(exercise, step);
    EXPECT_NE(expected, "wrong-parameters") << name_of(step) << ": the class does not see the starter";
    for (const DemoChoice& choice : choices) {
      if (choice.word == expected) continue;
      EXPECT_FALSE(choice.word == "missing-kernel" || choice.word == "wrong-parameters") << name_of(step);
      EXPECT_FALSE(check::may_be_true_too(choice.word, expected))
          << name_of(step) << " is " << expected << " and offers " << choice.word;
      EXPECT_TRUE(check::may_be_in(choice.word, step.mistake)) << name_of(step) << ": " << choice.word;
      if (!exercise.has_questions()) continue;
      EXPECT_TRUE(choice.word == check::expected_to_pass || !choice.tempting.empty())
          << choice.word << " has no reason why it is not the answer";
      const bool tells_answer = choice.word == check::expected_to_pass
                                    ? choice.tempting.starts_with("Right would be ")
                                    : contains(choice.tempting, ". That gives ");
      EXPECT_EQ(tells_answer, !is_asked_later(steps, step, choice.word)) << name_of(step) << choice.tempting;
      EXPECT_TRUE(choice.word == check::expected_to_pass || choice.tempting.starts_with("Then "))
          << name_of(step) << " does not say how that is counted: " << choice.word;
    }
  }
}

// Otherwise, a class would learn to strike out a choice that is never right.
TEST_P(EveryDemoOfMistakes, OffersThatItPassesOnlyWhereItMay) {
  const Exercise exercise = check::find_exercise(GetParam()).exercise;
  const std::vector<DemoStep> steps = mistakes_of(exercise).steps;
  const bool has_passing = std::ranges::any_of(
      steps, [](const DemoStep& step) { return step.pattern == check::expected_to_pass; });
  EXPECT_TRUE(has_passing || !exercise.has_questions()) << "a sheet that is right";
  for (const DemoStep& step : steps) {
    const check::PatternHint* const known = check::find_pattern(step.pattern);
    const bool looks_right = known && !known->looks_right.empty();
    EXPECT_EQ(choice_of(*step.question, check::expected_to_pass).has_value(), has_passing || looks_right)
        << name_of(step);
    if (step.pattern == check::expected_to_pass && !exercise.has_questions()) {
      EXPECT_EQ(step.question->choices.size(), 5U) << name_of(step) << ": as many as elsewhere";
    }
  }
}

// A class cannot judge a choice if the line that decides is not on the screen.
TEST(DemosOfMistakes, KeepTheLinesThatDecideOnASmallScreen) {
  const Exercise exercise = check::find_exercise("matmul").exercise;
  cli::DemoStage stage(cli::find_lesson("matmul"), exercise, mistakes_of(exercise), {}, std::nullopt);
  ASSERT_EQ(name_of(stage.demo().steps[0]), "no-second-barrier");
  const std::vector<std::string> screen = demo_screen(stage.scene(), {.colour = false, .width = 80}, 24);
  for (const char* part :
       {"for (int first = 0;", "__syncthreads();", "sum += a[threadIdx.y][i]", "  13     }"})
    EXPECT_TRUE(std::ranges::any_of(screen, [&](const std::string& row) { return contains(row, part); }))
        << part;
}

TEST_P(EveryDemoOfMistakes, KeepsWhatThereIsToLookAtOnTheScreen) {
  const Exercise exercise = check::find_exercise(GetParam()).exercise;
  cli::DemoStage stage(cli::find_lesson(exercise.lesson), exercise, mistakes_of(exercise), {}, std::nullopt);
  do {
    const DemoStep& step = stage.demo().steps[stage.step()];
    for (const std::string& part : step.look_at)
      EXPECT_TRUE(is_on_screen(stage.scene(), part)) << name_of(step) << " does not show " << part;
  } while (stage.go_on());
}

TEST(Demos, KeepTheCopyThatWaitsWhereVotesAreSpread) {
  cli::DemoStage stage(cli::find_lesson("runtime-api"), std::nullopt,
                       demo_of(cli::find_lesson("runtime-api")), {.device = "simulator"}, std::nullopt);
  stage.run([](const std::string&) {}, [] { return true; });
  DemoScene scene = stage.scene();
  scene.votes.assign(4, 1);
  EXPECT_TRUE(is_on_screen(scene, "cudaMemcpy(y, "));
}

// A compile error is no thought beside a kernel that runs.
TEST_P(EveryDemoOfMistakes, OffersNoCompileErrorForAKernelThatRuns) {
  const std::set<std::string> refused{"unknown-name", "component-missing", "wrong-type"};
  for (const DemoStep& step : mistakes_of(check::find_exercise(GetParam()).exercise).steps)
    for (const DemoChoice& choice : step.question->choices)
      EXPECT_FALSE(!refused.contains(step.pattern) && refused.contains(choice.word))
          << name_of(step) << " offers " << choice.word;
}

TEST(DemosOfMistakes, KeepReasonsBeforeLinesThatDoNotDiffer) {
  const Exercise exercise = check::find_exercise("runtime-api").exercise;
  cli::DemoStage stage(cli::find_lesson("runtime-api"), exercise, mistakes_of(exercise), {}, std::nullopt);
  while (name_of(stage.demo().steps[stage.step()]) != "wrong-direction") ASSERT_TRUE(stage.go_on());
  stage.run([](const std::string&) {}, [] { return true; });
  DemoScene scene = stage.scene();
  scene.votes.assign(scene.current().question->choices.size(), 1);
  const std::vector<std::string> screen = demo_screen(scene, projector, rows);
  EXPECT_EQ(std::ranges::count_if(screen, [](const auto& row) { return row.starts_with("not "); }),
            std::ssize(scene.votes) - 1)
      << fmt::format("{}", fmt::join(screen, "\n"));
}

TEST(DemosOfMistakes, BeginWithTheLessonsMainMistakes) {
  const std::map<std::string, std::vector<std::string>> first = {
      {"shared-histogram", {"counts-without-atomic", "never-merged", "counts-downwards"}},
      {"first-kernel", {"thread-index-only", "constant-index"}},
      {"reduction", {"no-barrier", "leaves-out-last-step"}},
      {"matmul", {"no-second-barrier", "first-tile-again"}}};
  for (const auto& [name, main] : first) {
    const std::vector<DemoStep> steps = mistakes_of(check::find_exercise(name).exercise).steps;
    for (std::size_t i = 0; i < main.size(); ++i) EXPECT_EQ(name_of(steps.at(i)), main[i]) << name;
  }
}

// Otherwise, a class would learn where the passing kernel is.
TEST(DemosOfMistakes, HaveThePassingKernelAtManyPlaces) {
  std::map<std::size_t, int> at_place;
  int demos = 0, at_end = 0;
  for (const Exercise& exercise : all_exercises()) {
    if (exercise.kind != ExerciseKind::kernel) continue;
    std::vector<DemoStep> steps = mistakes_of(exercise).steps;
    std::erase_if(steps, [](const DemoStep& step) { return !step.is_main; });
    const auto passing = std::ranges::find(steps, std::string(check::expected_to_pass), &DemoStep::pattern);
    if (passing == steps.end()) continue;
    ++demos;
    ++at_place[static_cast<std::size_t>(passing - steps.begin())];
    at_end += passing + 1 == steps.end();
  }
  EXPECT_LE(at_end, 2);
  for (const auto& [place, times] : at_place) EXPECT_LT(3 * times, demos + 3) << "step " << place + 1;
}

// Seven main steps take a quarter of an hour. They ask each question of a sheet once, since its first screen
// tells the right answer.
TEST_P(EveryDemoOfMistakes, HasFourToSevenMainSteps) {
  const Exercise exercise = check::find_exercise(GetParam()).exercise;
  std::set<std::string> questions;
  std::size_t count = 0;
  const std::vector<DemoStep> steps = mistakes_of(exercise).steps;
  for (const DemoStep& step : steps) {
    EXPECT_TRUE(!step.is_main || &step == &steps[count]) << "main steps come first, also with --all";
    count += step.is_main;
    if (step.is_main && exercise.has_questions()) {
      EXPECT_TRUE(questions.insert(question_text(step)).second) << name_of(step);
    }
  }
  EXPECT_GE(count, 4U);
  EXPECT_LE(count, 7U);
}

// Otherwise, a class would soon know the answer to the first sheet of each question, or to every sheet.
TEST(DemosOfMistakes, HaveTheRightSheetAtDifferentPlacesAndSeveralAnswers) {
  const auto question_of = [](const DemoStep& step) {
    return step.excerpt.substr(0, step.excerpt.rfind(' '));
  };
  std::set<bool> is_first_of_question;
  for (const char* name : {"scaling", "coalescing", "transfers", "multi-gpu", "halo-exchange"}) {
    std::set<std::string> answers;
    const std::vector<DemoStep> steps = mistakes_of(check::find_exercise(name).exercise).steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      answers.insert(steps[i].pattern);
      if (steps[i].pattern == check::expected_to_pass)
        is_first_of_question.insert(i == 0 || question_of(steps[i - 1]) != question_of(steps[i]));
    }
    EXPECT_GE(answers.size() * 2, steps.size()) << name << " has one answer too often";
  }
  EXPECT_EQ(is_first_of_question, (std::set{false, true}));
}

// A reason about this file says more than the hint, which holds for all exercises. It answers, and asks
// nothing.
TEST_P(EveryDemoOfMistakes, HasAReasonOfItsOwn) {
  const Exercise exercise = check::find_exercise(GetParam()).exercise;
  for (const DemoStep& step : mistakes_of(exercise).steps)
    for (const DemoChoice& choice : step.question->choices)
      if (choice.word == expected_pattern(exercise, step)) {
        EXPECT_NE(choice.because, check::pattern_hint(choice.word)) << name_of(step);
        EXPECT_EQ(choice.because.find('?'), std::string::npos) << name_of(step) << ": " << choice.because;
        EXPECT_LE(wrapped(choice.because, projector.width).size(), 2U) << name_of(step);
      }
}

// One rule holds in all demos: times that differ by less than 10 % are equal.
TEST_P(EveryDemo, CountsTimesWithinTenPerCentAsEqual) {
  for (const DemoStep& step : demo_of(cli::find_lesson(GetParam())).steps) {
    if (!step.question || step.question->answer.kind != DemoAnswer::Kind::times_as_fast) continue;
    for (const DemoChoice& choice : step.question->choices)
      for (const double limit : {choice.least, choice.below}) {
        if (limit < 0.8 || limit >= 1.3) continue;
        EXPECT_NEAR(std::abs(limit - 1), as_fast_within, 1e-9) << step.name << ": " << choice.text;
      }
  }
}

std::vector<std::string> lessons() {
  std::vector<std::string> names;
  for (const Lesson& lesson : all_lessons()) names.push_back(lesson.name);
  return names;
}

std::string name_of_case(const testing::TestParamInfo<std::string>& lesson) {
  std::string name = lesson.param;
  std::erase_if(name, [](unsigned char letter) { return !std::isalnum(letter); });
  return name;
}

std::vector<std::string> exercises_with_mistakes() {
  std::set<std::string> names;
  for (const EmbeddedMistake& mistake : embedded_mistakes()) names.insert(mistake.exercise);
  return {names.begin(), names.end()};
}

INSTANTIATE_TEST_SUITE_P(Lessons, EveryDemo, testing::ValuesIn(lessons()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Exercises, EveryDemoOfMistakes, testing::ValuesIn(exercises_with_mistakes()),
                         name_of_case);

}  // namespace
}  // namespace gpulab::teach
