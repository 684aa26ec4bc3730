#include "check/progress.hpp"

#include <regex>
#include <thread>

#include "base/error.hpp"
#include "check/folder_fixture.hpp"
#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

const ExerciseProgress passed{
    .state = ExerciseState::passed, .hints_taken = 1, .checks = 3, .passed_on = "2026-11-21"};

TEST(Progress, IsNothingAtFirst) {
  EXPECT_EQ(Progress().of("first-kernel"), ExerciseProgress{});
}

TEST(Progress, IsOneLineForEachExercise) {
  Progress progress;
  progress.set("first-kernel", passed);
  progress.set("primes", {.state = ExerciseState::started, .checks = 1, .last_pattern = "race-shared"});
  const std::string text = progress.text();
  EXPECT_TRUE(text.starts_with("# "));
  EXPECT_TRUE(
      text.ends_with("first-kernel: passed 2026-11-21, 1 hint, 3 checks\n"
                     "primes: started, 0 hints, 1 check, last race-shared\n"))
      << text;
}

TEST(Progress, ReadsWhatItWrites) {
  Progress progress;
  const ExerciseProgress started{
      .state = ExerciseState::started, .hints_taken = 2, .checks = 14, .last_pattern = "only-one-element"};
  ExerciseProgress with_text = passed;
  with_text.hash_of_passed = "18446744073709551615";
  progress.set("first-kernel", with_text);
  progress.set("primes", started);
  progress.set("matmul", {});
  const Progress again(progress.text());
  EXPECT_EQ(again.of("first-kernel"), with_text);
  EXPECT_EQ(again.of("primes"), started);
  EXPECT_EQ(again.of("matmul"), ExerciseProgress{});
  EXPECT_EQ(again.text(), progress.text());
}

TEST(Progress, RemembersThatTheSolutionWasRead) {
  Progress progress;
  ExerciseProgress read{.state = ExerciseState::started, .checks = 2, .read_solution = true};
  progress.set("primes", read);
  EXPECT_TRUE(progress.text().ends_with("primes: started, solution read, 0 hints, 2 checks\n"))
      << progress.text();
  read = after_check(Progress(progress.text()).of("primes"), "", /*is_right=*/true, "2026-11-21");
  EXPECT_TRUE(read.read_solution);
  progress.set("primes", read);
  EXPECT_TRUE(
      progress.text().ends_with("primes: passed 2026-11-21, after reading the solution, 0 hints, 3 checks\n"))
      << progress.text();
  EXPECT_EQ(Progress(progress.text()).of("primes"), read);
}

TEST(Progress, KeepsWhatItDoesNotKnow) {
  const std::string text =
      "notes: ask about warps\n\n# mine\nfirst-kernel: started, 2 checks, hard!, last shifted\n<<<<<<< "
      "HEAD\n";
  Progress progress(text);
  EXPECT_EQ(progress.text(), text);
  progress.set("first-kernel", passed);
  EXPECT_EQ(progress.text(),
            "notes: ask about warps\n\n# mine\nfirst-kernel: passed 2026-11-21, 1 hint, 3 checks, hard!\n"
            "<<<<<<< HEAD\n");
}

TEST(Progress, ToleratesWhatPeopleWrite) {
  EXPECT_EQ(Progress("  first-kernel :passed   2026-11-21 ,3 checks,1 hint\r\n").of("first-kernel"), passed);
  EXPECT_EQ(Progress("first-kernel: Passed").of("first-kernel").state, ExerciseState::passed);
  EXPECT_EQ(Progress("first-kernel:").of("first-kernel"), ExerciseProgress{});
  EXPECT_EQ(Progress("first-kernel: -3 checks, 99999999999 hints").of("first-kernel"), ExerciseProgress{});
  EXPECT_EQ(Progress("# first-kernel: passed").of("# first-kernel"), ExerciseProgress{});
  const std::string endless = "first-kernel: " + std::string(1 << 20, 'x');
  EXPECT_EQ(Progress(endless).of("first-kernel"), ExerciseProgress{});
}

TEST(Progress, TakesTheLastLineOfSeveral) {
  Progress progress("primes: passed\nprimes: started\n");
  EXPECT_EQ(progress.of("primes").state, ExerciseState::started);
  progress.set("primes", passed);
  EXPECT_EQ(progress.of("primes"), passed);
  EXPECT_TRUE(progress.text().starts_with("primes: passed\n"));
}

TEST(Progress, RemembersTheFirstCheckThatWasRight) {
  ExerciseProgress progress = after_check({}, "shifted", /*is_right=*/false, "2026-11-20");
  EXPECT_EQ(progress.state, ExerciseState::started);
  EXPECT_EQ(progress.last_pattern, "shifted");
  progress = after_check(progress, "", /*is_right=*/true, "2026-11-21");
  EXPECT_EQ(progress.passed_on, "2026-11-21");
  EXPECT_EQ(progress.last_pattern, "");
  progress = after_check(progress, "", /*is_right=*/true, "2026-11-22");
  EXPECT_EQ(progress.passed_on, "2026-11-21");
  progress = after_check(progress, "doubled", /*is_right=*/false, "2026-11-23");
  EXPECT_EQ(progress.state, ExerciseState::passed) << "what has passed stays so";
  EXPECT_EQ(progress.last_pattern, "doubled");
  EXPECT_EQ(progress.checks, 4u);
}

TEST(Progress, KnowsWhichExerciseIsNext) {
  Progress progress;
  const auto all = standings(progress);
  ASSERT_GT(all.size(), 2u);
  EXPECT_EQ(first_not_passed(all)->exercise.name, "first-kernel");
  progress.set("first-kernel", passed);
  const auto later = standings(progress);
  EXPECT_EQ(first_not_passed(later)->exercise.name, all[1].exercise.name);
  for (const ExerciseStanding& standing : all) progress.set(standing.exercise.name, passed);
  EXPECT_EQ(first_not_passed(standings(progress)), nullptr);
}

TEST(Progress, KnowsWhatWasCheckedLast) {
  Progress progress("primes: started, 0 hints, 1 check\n");
  EXPECT_EQ(progress.last_checked(), "");
  progress.set_last_checked("primes");
  progress.set_last_checked("first-kernel");
  EXPECT_EQ(progress.last_checked(), "first-kernel");
  EXPECT_EQ(progress.text(), "primes: started, 0 hints, 1 check\nlast checked: first-kernel\n");
}

const std::string progress_file = "gpulab-progress.txt";

class ProgressFileTest : public FolderTest {
 protected:
  static void count_check(ExerciseProgress& progress) { ++progress.checks; }
};

TEST_F(ProgressFileTest, AppearsWithTheFirstChange) {
  const ProgressFile file(folder);
  EXPECT_EQ(file.read().of("primes"), ExerciseProgress{});
  EXPECT_EQ(files(), Names{});
  file.change("primes", count_check);
  EXPECT_EQ(files(), Names{progress_file});
  EXPECT_EQ(ProgressFile(folder).read().of("primes").checks, 1u);
}

TEST_F(ProgressFileTest, KeepsWhatPeopleWroteInIt) {
  write(progress_file, "mine\nprimes: 4 checks");
  ProgressFile(folder).change("primes", count_check);
  EXPECT_EQ(read(progress_file), "mine\nprimes: not started, 0 hints, 5 checks\n");
}

TEST_F(ProgressFileTest, LosesNoChangeOfConcurrentThreads) {
  constexpr int threads = 4, changes = 25;
  std::vector<std::jthread> writers;
  for (int thread = 0; thread < threads; ++thread)
    writers.emplace_back([&] {
      for (int i = 0; i < changes; ++i) ProgressFile(folder).change("primes", count_check);
    });
  writers.clear();  // joins them
  EXPECT_EQ(ProgressFile(folder).read().of("primes").checks, 1u * threads * changes);
  EXPECT_EQ(files(), Names{progress_file});
}

TEST_F(ProgressFileTest, ThatCannotBeReadIsNotChanged) {
  std::filesystem::create_directory(folder / progress_file);
  const ProgressFile file(folder);
  EXPECT_THROW(file.read(), UsageError);
  EXPECT_THROW(file.change("primes", count_check), UsageError);
  EXPECT_TRUE(std::filesystem::is_directory(folder / progress_file));
  EXPECT_EQ(files(), Names{progress_file});
}

TEST_F(ProgressFileTest, IsEmptyWhereItCannotBeWritten) {
  EXPECT_EQ(ProgressFile("/proc").read().of("primes"), ExerciseProgress{});
  EXPECT_THROW(ProgressFile("/proc").change("primes", count_check), UsageError);
}

TEST_F(ProgressFileTest, MayBeALink) {
  write("elsewhere.txt", "");
  std::filesystem::create_symlink("elsewhere.txt", folder / progress_file);
  ProgressFile(folder).change("primes", count_check);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / progress_file));
  EXPECT_NE(read("elsewhere.txt").find("primes: "), std::string::npos);
}

TEST_F(ProgressFileTest, IsRefusedWhereItIsALinkToSomethingElse) {
  write("precious.txt", "alias ls='ls --color'\n");
  std::filesystem::create_symlink("precious.txt", folder / progress_file);
  EXPECT_THROW(ProgressFile(folder).change("primes", count_check), UsageError);
  EXPECT_EQ(read("precious.txt"), "alias ls='ls --color'\n");
  std::filesystem::remove(folder / progress_file);
  std::filesystem::create_symlink("/dev/full", folder / progress_file);
  EXPECT_THROW(ProgressFile(folder).change("primes", count_check), UsageError);
  std::filesystem::remove(folder / progress_file);
  std::filesystem::create_symlink("nowhere", folder / progress_file);
  EXPECT_THROW(ProgressFile(folder).change("primes", count_check), UsageError);
}

TEST_F(ProgressFileTest, WritesTheDayAsADate) {
  EXPECT_TRUE(std::regex_match(today(), std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}"))) << today();
}

const Exercise exercise{.name = "primes", .lesson = "primes", .hints = {"gentle", "clearer", "explicit"}};

TEST(Hints, ComeOneByOneAndThenAllAgain) {
  ExerciseProgress progress;
  const TakenHint hint = take_hint(exercise, progress);
  EXPECT_EQ(hint.texts, std::vector<std::string>{"gentle"});
  EXPECT_EQ(hint.first, 1u);
  EXPECT_EQ(hint.left, 2u);
  EXPECT_EQ(take_hint(exercise, progress).texts, std::vector<std::string>{"clearer"});
  EXPECT_EQ(take_hint(exercise, progress).left, 0u);
  EXPECT_EQ(progress.hints_taken, 3u);
  EXPECT_EQ(take_hint(exercise, progress).texts, exercise.hints);
  EXPECT_EQ(progress.hints_taken, 3u);
}

TEST(Hints, SayWhatFitsTheLastCheck) {
  ExerciseProgress progress;
  EXPECT_EQ(take_hint(exercise, progress).advice, "");
  progress.last_pattern = "divergent-barrier";
  const TakenHint hint = take_hint(exercise, progress);
  EXPECT_EQ(hint.pattern, "divergent-barrier");
  EXPECT_NE(hint.advice.find("__syncthreads()"), std::string::npos);
  progress.last_pattern = "of-a-later-version";
  EXPECT_EQ(take_hint(exercise, progress).pattern, "");
}

TEST(Hints, AreThereForEveryExercise) {
  for (const Exercise& each : all_exercises()) EXPECT_EQ(each.hints.size(), 3u) << each.lesson;
}

}  // namespace
}  // namespace gpulab::check
