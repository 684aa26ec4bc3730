#include <csignal>
#include <thread>

#include "terminal_fixture.hpp"

namespace gpulab::cli {
namespace {

const std::map<std::string, std::string> no_colour{{"TERM", "xterm"}, {"NO_COLOR", "1"}};
const std::string key_line = "watching: q quits, r runs all again";

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
  EXPECT_TRUE(simulator::contains(until(key_line), "global-index       right"));
  save("  C[item] = A[item] - B[item];\n");
  EXPECT_TRUE(simulator::contains(until(key_line), "~ global-index       right -> WRONG"));
  save("  no\n");
  const std::string refused = until(key_line);
  EXPECT_TRUE(simulator::contains(refused, "does not compile: line 3")) << refused;
  EXPECT_TRUE(simulator::contains(refused, "The last table:")) << refused;
  save("  if (item < size) C[item] = A[item] + B[item];\n");
  EXPECT_TRUE(simulator::contains(until(key_line), "~ global-index       WRONG -> right"));
  press("r");
  EXPECT_TRUE(simulator::contains(until(key_line), "running global-index"))
      << "once more, though nothing was saved";
  press("q");
  EXPECT_TRUE(simulator::contains(until_the_end(), "\033[?1049l")) << "the screen is given back";
}

TEST_F(LessonWatch, GoesOnAfterAKernelThatHangs) {
  std::map<std::string, std::string> hurried = no_colour;
  hurried["GPULAB_TIME_LIMIT"] = "1";
  open(words, hurried);
  until(key_line);
  save("  for (int i = 0; i >= 0; i ^= 1) __threadfence();\n");
  EXPECT_TRUE(simulator::contains(until(key_line), "right -> "));
  save("  if (item < size) C[item] = A[item] + B[item];\n");
  EXPECT_TRUE(simulator::contains(until(key_line), " -> right"));
  signal(SIGINT);
  EXPECT_EQ(ended(), -SIGINT);
  EXPECT_TRUE(waits_for_lines());
}

TEST_F(LessonWatch, PrintsAfterEachSaveWithoutATerminal) {
  const pid_t child = ::fork();
  if (child == 0) {
    redirect(STDIN_FILENO, "/dev/null");
    redirect(STDOUT_FILENO, folder / ".stdout");
    redirect(STDERR_FILENO, folder / ".stderr");
    execute(words, {});
  }
  const auto prints = [&](const std::string& part) {
    for (int i = 0; i < 1200; ++i) {
      if (simulator::contains(read(folder / ".stdout"), part)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  EXPECT_TRUE(prints("gpulab: ran, 1 as expected, 0 not\n"));
  save("  C[item] = 0;\n");
  EXPECT_TRUE(prints("gpulab: ran, 0 as expected, 1 not\n"));
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  const std::string out = read(folder / ".stdout");
  EXPECT_TRUE(out.starts_with("gpulab: running\nfirst-kernel")) << out;
  EXPECT_EQ(out.find('\033'), std::string::npos);
}

TEST_F(LessonWatch, RefusesWhatGoesWithOneRunOnly) {
  expect_refusal({"first-kernel", "--watch"}, 2, "gpulab kernels first-kernel --to DIR writes them");
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
  EXPECT_TRUE(simulator::contains(screen, "\033[2Kthread-index")) << "a row is drawn when it is done";
  const std::size_t last = screen.rfind(end_of_drawing);
  ASSERT_NE(last, std::string::npos);
  const std::string report = screen.substr(last + std::string(end_of_drawing).size());
  EXPECT_TRUE(report.starts_with("first-kernel · ")) << report;
  EXPECT_TRUE(simulator::contains(report, "\nthread-index ")) << report;
  EXPECT_TRUE(simulator::contains(report, "\nCPU time: ")) << report;
  EXPECT_EQ(report.find('\033'), std::string::npos) << report;
}

TEST_F(GrowingTable, IsNotDrawnWhereItWouldBeInTheWay) {
  for (const Environment& environment : std::vector<Environment>{no_colour, {{"TERM", "dumb"}}}) {
    std::vector<std::string> words = simulated({"first-kernel", "--variant", "global-index"});
    if (environment == no_colour) words.insert(words.end(), {"--format", "json"});
    open(words, environment);
    EXPECT_FALSE(simulator::contains(until_the_end(), end_of_drawing));
  }
}

}  // namespace
}  // namespace gpulab::cli
