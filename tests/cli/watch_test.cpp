#include <thread>

#include "check/files.hpp"
#include "check/settings.hpp"
#include "terminal_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

const std::string check_keys = "watching: q quits, m more, h hints, n next";

class Watch : public TerminalTest {
 protected:
  // Replaces the file in one step, as editors do, so that no half of it is checked.
  void save(const std::string& file, const std::string& text) const {
    write("being_saved", text);
    std::filesystem::rename(folder / "being_saved", folder / file);
  }
};

TEST_F(Watch, ChecksAtEverySaveUntilQIsPressed) {
  write("first_kernel.cu", "");
  open({"watch", "--device", "simulator"}, no_colour);
  const std::string first = until(check_keys);
  EXPECT_TRUE(contains(first, "NO SUCH KERNEL  first-kernel"));
  save("first_kernel.cu", "another");
  const std::string second = until(check_keys);
  EXPECT_TRUE(contains(second, "DOES NOT COMPILE  first-kernel"));
  EXPECT_FALSE(contains(first + second, "nothing is left to check"));
  write("first_kernel.cu", "a third one");
  EXPECT_TRUE(contains(until(check_keys), "checking first_kernel.cu ...   q quits"));
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
  EXPECT_TRUE(is_in_canonical_mode());
  EXPECT_TRUE(contains(read(folder / "gpulab-progress.txt"), "3 checks"));
}

TEST_F(Watch, ShowsTheResultOfTheOneFileThatIsNamedAlsoIfItHasPassed) {
  write("first_kernel.cu", check::course_file_of(check::find_exercise("first-kernel").exercise));
  for (int round = 0; round < 2; ++round) {
    open({"check", "first_kernel.cu", "--watch", "--device", "simulator"}, no_colour, 80);
    EXPECT_TRUE(contains(until(check_keys), "PASSED  first-kernel")) << round;
    press("q");
    EXPECT_EQ(wait_for_exit(), 0);
  }
}

TEST_F(Watch, ShowsTheShortFormAndMoreWhereItIsAskedFor) {
  write("first_kernel.cu",
        "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
        "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n  C[item] = A[item] + B[item];\n}\n");
  open({"watch", "--device", "simulator"}, no_colour, 80);
  EXPECT_FALSE(contains(until(check_keys + "\033"), ", on the simulator"));
  press("m");
  EXPECT_TRUE(contains(until(check_keys), ", on the simulator"));
}

TEST_F(Watch, GivesAHintAndStartsTheNextExercise) {
  write("vector_multiply.cu", "");
  open({"check", "--watch", "vector_multiply.cu", "--device", "simulator"}, no_colour);
  until(check_keys);
  EXPECT_FALSE(is_in_canonical_mode());
  press("h");
  EXPECT_TRUE(contains(until(check_keys), "vector-multiply, hint 1 of 3"));
  press("\033[A\033OqO\033qn");
  EXPECT_TRUE(contains(until(check_keys), "Next is first-kernel"));
  save("first_kernel.cu", "");
  EXPECT_TRUE(contains(until(check_keys), "NO SUCH KERNEL  first-kernel"))
      << "what was started is watched, too";
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
}

TEST_F(Watch, HintsAtTheExerciseThatTheScreenShows) {
  write("first_kernel.cu", "");
  write("vector_multiply.cu", "");
  open({"watch", "--device", "simulator"}, no_colour);
  EXPECT_TRUE(contains(until(check_keys), "first-kernel"));
  press("h");
  EXPECT_TRUE(contains(until(check_keys), "first-kernel, hint 1 of 3"));
}

// It accesses no memory: a kernel is also stopped after a number of accesses.
const std::string endless =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
    "  for (int i = 0; i >= 0; i ^= 1) __threadfence();\n}\n";

TEST_F(Watch, QuitsInTheMiddleOfACheckAndEndsIt) {
  write("first_kernel.cu", endless);
  std::map<std::string, std::string> patient = no_colour;
  patient["GPULAB_TIME_LIMIT"] = "50";
  for (const int wait_ms : {10, 2000}) {  // the compiler is stopped, then the kernel
    open({"watch", "--device", "simulator"}, patient);
    until("checking first_kernel.cu");
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    const auto pressed = std::chrono::steady_clock::now();
    press("nhq");
    EXPECT_EQ(wait_for_exit(), 0);
    EXPECT_LT(std::chrono::steady_clock::now() - pressed, std::chrono::seconds(5));
    EXPECT_TRUE(is_in_canonical_mode());
  }
  EXPECT_FALSE(contains(read(folder / "gpulab-progress.txt"), "check"));
}

TEST_F(Watch, ChecksTheNewTextAtOnceIfTheFileIsSavedDuringACheck) {
  write("first_kernel.cu", endless);
  std::map<std::string, std::string> patient = no_colour;
  patient["GPULAB_TIME_LIMIT"] = "100";
  open({"watch", "--device", "simulator"}, patient);
  until("checking first_kernel.cu");
  std::this_thread::sleep_for(std::chrono::seconds(2));
  save("first_kernel.cu", "another");
  EXPECT_TRUE(contains(until(check_keys), "DOES NOT COMPILE  first-kernel"));
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
}

TEST_F(Watch, SaysThatAFileIsGoneAndGoesOnOnceItIsBack) {
  write("first_kernel.cu", "another");
  open({"watch", "first_kernel.cu", "--device", "simulator"}, no_colour);
  until(check_keys);
  std::filesystem::remove(folder / "first_kernel.cu");
  EXPECT_TRUE(contains(until(check_keys), "first_kernel.cu is gone; it is watched again once it is back"));
  save("first_kernel.cu", "another");
  EXPECT_TRUE(contains(until(check_keys), "DOES NOT COMPILE  first-kernel"));
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
}

TEST_F(Watch, DropsOtherKeysThatArePressedDuringACheck) {
  write("first_kernel.cu", endless);
  std::map<std::string, std::string> hurried = no_colour;
  hurried["GPULAB_TIME_LIMIT"] = "1";
  open({"watch", "--device", "simulator"}, hurried);
  until("checking first_kernel.cu");
  press("hn");
  EXPECT_TRUE(contains(until(check_keys), "WRONG  first-kernel"));
  press("h");
  const std::string after = until(check_keys);
  EXPECT_TRUE(contains(after, "hint 1 of 3")) << "one key, one hint";
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
}

TEST_F(Watch, StartsTheNextExerciseIfAskedToDuringACheckThatPasses) {
  write("first_kernel.cu",
        "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < size) C[i] = A[i] + B[i];\n}\n");
  open({"watch", "--device", "simulator"}, no_colour);
  until("checking first_kernel.cu");
  press("n");
  EXPECT_TRUE(contains(until("Next is"), "PASSED  first-kernel")) << "no further key is needed";
  press("h");
  EXPECT_TRUE(contains(until("hint 1 of"), "arbitrary-size")) << "a hint for the exercise that was announced";
  press("q");
}

TEST_F(Watch, LeavesTheTerminalAsItWasWhenASignalEndsIt) {
  write("first_kernel.cu", "");
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    open({"watch", "--device", "simulator"}, no_colour);
    until(check_keys);
    EXPECT_FALSE(is_in_canonical_mode());
    signal(number);
    EXPECT_EQ(wait_for_exit(), -number);
    EXPECT_TRUE(is_in_canonical_mode()) << number;
  }
}

TEST_F(Watch, LeavesOutWhatHasPassedUntilItIsSaved) {
  write("first_kernel.cu", "");
  write("primes.cu", "");
  write("gpulab-progress.txt", "primes: passed, text " + std::to_string(check::seed_of("")) + "\n");
  open({"watch", "--device", "simulator"}, no_colour);
  EXPECT_FALSE(contains(until(check_keys), "primes"));
  save("primes.cu", "");
  EXPECT_TRUE(contains(until(check_keys), "NO SUCH KERNEL  primes"));
}

TEST_F(Watch, ChecksAgainWhatHasChangedSinceItPassed) {
  write("primes.cu", "changed");
  write("gpulab-progress.txt", "primes: passed, text " + std::to_string(check::seed_of("")) + "\n");
  open({"watch", "--device", "simulator"}, no_colour);
  EXPECT_TRUE(contains(until(check_keys), "DOES NOT COMPILE  primes"));
}

TEST_F(Watch, ChecksAndPrintsWithoutATerminalUntilItIsKilled) {
  write("first_kernel.cu", "");
  const pid_t child = start({"watch", "--device", "simulator"});
  const auto has_counted = [&](const std::string& count) {
    for (int i = 0; i < 1200; ++i) {
      if (contains(read(folder / "gpulab-progress.txt"), count)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  EXPECT_TRUE(has_counted(" 1 check,"));
  save("first_kernel.cu", "another");
  EXPECT_TRUE(has_counted(" 2 checks,"));
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read(folder / ".stdout").find('\033'), std::string::npos);
  EXPECT_TRUE(contains(read(folder / ".stdout"), "DOES NOT COMPILE  first-kernel"));
}

TEST_F(Watch, MarksWhereEachCheckBeginsAndEndsForAnEditor) {
  write("first_kernel.cu", "nonsense");
  open({"watch", "--format", "gcc", "--device", "simulator"}, no_colour);
  const std::string first = until("gpulab: checked, 0 passed, 1 failed");
  EXPECT_TRUE(contains(first, "gpulab: checking\r\n"));
  EXPECT_TRUE(contains(first, "first_kernel.cu:1:1: error: "));
  save("first_kernel.cu", "other nonsense");
  EXPECT_TRUE(contains(until("gpulab: checked"), "first_kernel.cu:1:1: error: "));
}

class Question : public TerminalTest {};

TEST_F(Question, IsAskedBeforeASolutionIsShown) {
  open({"solution", "first-kernel"}, no_colour);
  until("Show the course's kernel? [y/N] ");
  press("n\n");
  EXPECT_FALSE(contains(until("gpulab hint first-kernel gives a hint instead"), "__global__"));
  EXPECT_EQ(wait_for_exit(), 0);
}

TEST_F(Question, IsFollowedByTheSolution) {
  open({"solution", "first-kernel"}, no_colour);
  until("[y/N] ");
  press("y\n");
  until("__global__");
}

TEST_F(Question, IsNotAskedOnceTheExerciseHasPassed) {
  write("gpulab-progress.txt", "first-kernel: passed\n");
  write("first_kernel.cu", "__global__ void vector_add_global_index(int* mine) {}\n");
  open({"diff", "first-kernel"}, no_colour, 120);
  const std::string wide = until_the_end();
  EXPECT_TRUE(wide.starts_with("first_kernel.cu   ")) << wide;
  EXPECT_TRUE(contains(wide, " | __global__ void vector_add_global_index(const float* A,"));
}

TEST_F(Question, IsNotAskedOnANarrowTerminalEither) {
  write("gpulab-progress.txt", "first-kernel: passed\n");
  write("first_kernel.cu", "__global__ void vector_add_global_index(int* mine) {}\n");
  open({"diff", "first-kernel"}, no_colour, 99);
  EXPECT_TRUE(until("+++ the course's").starts_with("--- first_kernel.cu"));
}

const std::string lesson_keys = "watching: q quits, r runs all again";

class LessonWatch : public TerminalTest {
 protected:
  LessonWatch() { save("  if (item < size) C[item] = A[item] + B[item];\n"); }

  void save(const std::string& body) const {
    write("being_saved",
          "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
          "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n" +
              body + "}\n");
    std::filesystem::rename(folder / "being_saved", folder / "first_kernel.cu");
  }

  const std::vector<std::string> words =
      simulated({"first-kernel", "--kernels", ".", "--watch", "--variant", "global-index"});
};

TEST_F(LessonWatch, RunsAgainAtEverySaveAndMarksWhatHasChanged) {
  open(words, no_colour);
  EXPECT_TRUE(contains(until(lesson_keys), "global-index       right"));
  save("  if (item < size) C[item] = A[item] - B[item];\n");
  EXPECT_TRUE(contains(until(lesson_keys), "~ global-index       right -> WRONG"));
  save("  no  // " + std::string(150, 'x') + "\n");
  const std::string refused = until(lesson_keys);
  EXPECT_TRUE(contains(refused, "xx…")) << "an excerpt of the file is cut, and not wrapped\n" << refused;
  EXPECT_TRUE(contains(refused, "does not compile: line 3"));
  EXPECT_TRUE(contains(refused, "The last table:"));
  save("  if (item < size) C[item] = A[item + B[item];\n");
  const std::string checked = run({"check", "first_kernel.cu", "--device", "simulator"}).out;
  const std::size_t said = checked.find("line 3 ");
  ASSERT_NE(said, std::string::npos) << checked;
  EXPECT_TRUE(contains(until(lesson_keys), checked.substr(said, 30))) << "the same as check says";
  save("  if (item < size) C[item] = A[item] + B[item];\n");
  EXPECT_TRUE(contains(until(lesson_keys), "~ global-index       WRONG -> right"));
  press("r");
  EXPECT_TRUE(contains(until(lesson_keys), "running global-index")) << "once more, though nothing was saved";
  press("q");
  EXPECT_TRUE(contains(until_the_end(), "\033[?1049l")) << "the screen is given back";
}

TEST_F(LessonWatch, TakesASmallProblemOnTheSimulatorUnlessASizeIsAskedFor) {
  ASSERT_EQ(run({"show", "histogram", "--to", "k"}).exit_code, 0);
  open(simulated({"histogram", "--kernels", "k", "--watch", "--variant", "shared"}), no_colour);
  until("524 288 int32");
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
}

TEST_F(LessonWatch, GoesOnAfterAKernelThatHangs) {
  std::map<std::string, std::string> hurried = no_colour;
  hurried["GPULAB_TIME_LIMIT"] = "1";
  open(words, hurried);
  until(lesson_keys);
  save("  for (int i = 0; i >= 0; i ^= 1) __threadfence();\n");
  EXPECT_TRUE(contains(until(lesson_keys), "right -> "));
  save("  if (item < size) C[item] = A[item] + B[item];\n");
  EXPECT_TRUE(contains(until(lesson_keys), " -> right"));
  signal(SIGINT);
  EXPECT_EQ(wait_for_exit(), -SIGINT);
  EXPECT_TRUE(is_in_canonical_mode());
}

TEST_F(LessonWatch, StopsAKernelAtTheNextSaveAndAtQ) {
  std::map<std::string, std::string> patient = no_colour;
  patient["GPULAB_TIME_LIMIT"] = "100";
  open(words, patient);
  until(lesson_keys);
  const auto hang = [&] {
    save("  for (int i = 0; i >= 0; i ^= 1) __threadfence();\n");
    until("running global-index");
    std::this_thread::sleep_for(std::chrono::seconds(2));
  };
  hang();
  save("  if (item < size) C[item] = A[item] - B[item];\n");
  EXPECT_TRUE(contains(until(lesson_keys), "right -> WRONG")) << "the run of the old text has no row";
  hang();
  const auto pressed = std::chrono::steady_clock::now();
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - pressed, std::chrono::seconds(5));
  EXPECT_TRUE(is_in_canonical_mode());
}

TEST_F(LessonWatch, PrintsAfterEachSaveWithoutATerminal) {
  const pid_t child = start(words);
  const auto has_printed = [&](const std::string& part) {
    for (int i = 0; i < 1200; ++i) {
      if (contains(read(folder / ".stdout"), part)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  EXPECT_TRUE(has_printed("gpulab: ran, 1 as expected, 0 not\n"));
  save("  C[item] = 0;\n");
  EXPECT_TRUE(has_printed("gpulab: ran, 0 as expected, 1 not\n"));
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  const std::string out = read(folder / ".stdout");
  EXPECT_TRUE(out.starts_with("gpulab: running\nfirst-kernel")) << out;
  EXPECT_EQ(out.find('\033'), std::string::npos);
}

TEST_F(LessonWatch, RefusesOptionsThatAreForOneRun) {
  expect_refusal({"first-kernel", "--watch"}, 2, "gpulab show first-kernel --to DIR writes them");
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> all{"first-kernel", "--kernels", ".", "--watch"};
    all.insert(all.end(), more.begin(), more.end());
    expect_refusal(all, 2, part);
  };
  refused({"--format", "json"}, "--format json writes one document");
  refused({"--size", "100,200"}, "--watch runs one size");
  refused({"--output", "report.txt"}, "--output keeps one report");
  expect_refusal({"first-kernel", "--kernels", "nowhere", "--watch"}, 2, "is not a folder");
}

class GrowingTable : public TerminalTest {
 protected:
  static constexpr const char* end_of_drawing = "\033[?2026l";
};

TEST_F(GrowingTable, IsReplacedByTheWholeReport) {
  open(simulated({"first-kernel"}), no_colour);
  const std::string screen = until_the_end();
  EXPECT_TRUE(contains(screen, "\033[2Kthread-index")) << "a row is drawn when it is done";
  const std::size_t last = screen.rfind(end_of_drawing);
  ASSERT_NE(last, std::string::npos);
  const std::string report = screen.substr(last + std::string(end_of_drawing).size());
  EXPECT_TRUE(report.starts_with("first-kernel · ")) << report;
  EXPECT_TRUE(contains(report, "\nthread-index "));
  EXPECT_TRUE(contains(report, "\nCPU time: "));
  EXPECT_EQ(report.find('\033'), std::string::npos) << report;
}

TEST_F(GrowingTable, IsNotDrawnWhereItWouldBeInTheWay) {
  for (const Environment& environment : std::vector<Environment>{no_colour, {{"TERM", "dumb"}}}) {
    std::vector<std::string> words = simulated({"first-kernel", "--variant", "global-index"});
    if (environment == no_colour) words.insert(words.end(), {"--format", "json"});
    open(words, environment);
    EXPECT_FALSE(contains(until_the_end(), end_of_drawing));
  }
}

}  // namespace
}  // namespace gpulab::cli
