#include "run/watched_run.hpp"

#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/kernels_folder.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace watched_run_test {

class WatchedRun : public simulator::NeedsCompiler<> {
 protected:
  // Runs the lesson's kernels with `after` in place of each `before`.
  LessonResult run_with(const std::string& before, const std::string& after, std::size_t size = 1 << 16) {
    const Lesson lesson = cli::find_lesson("shared-histogram");
    std::string text = embedded_kernel_file(lesson.kernels);
    for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += after.size())
      text.replace(at, before.size(), after);
    folder_.write(lesson.kernels, text);
    RunOptions options{.settings = lesson.default_settings()};
    options.settings.size = size;
    options.kernels = folder_.path();
    options.time_budget_s = 1e-9;
    options.remark = [](const std::string&) {};
    return run_lesson(lesson, options, *simulator::simulator_with(""));
  }

  static const VariantResult& solution_of(const LessonResult& result) {
    for (const VariantResult& variant : result.variants)
      if (variant.name == cli::find_lesson("shared-histogram").solution) return variant;
    throw std::logic_error("the solution did not run");
  }

  KernelsFolder folder_;
};

TEST_F(WatchedRun, FindsTheRaceOfAnEditedKernelThatComesOutRight) {
  const LessonResult result = run_with("atomicAdd(&counts[input[item]], 1);", "counts[input[item]]++;");
  const VariantResult& edited = solution_of(result);
  EXPECT_EQ(edited.observed, Outcome::defect) << edited.explanation;
  EXPECT_TRUE(contains(edited.explanation, "line "));
  ASSERT_TRUE(edited.failure);
  EXPECT_GT(edited.failure->line, 0);
  EXPECT_NE(exit_code_of(result), ExitCode::ok);
}

TEST_F(WatchedRun, FindsAMissingGuardAtASizeThatFitsTheBlock) {
  const LessonResult result = run_with("if (item < size)", "if (item <= size)", 1 << 12);
  EXPECT_EQ(solution_of(result).observed, Outcome::defect) << solution_of(result).explanation;
}

TEST_F(WatchedRun, BlamesTheKernelThatDoesNotEnd) {
  ::setenv("GPULAB_TIME_LIMIT", "0.3", 1);
  const LessonResult result = run_with("if (item < size)", "while (size > 0)");
  ::unsetenv("GPULAB_TIME_LIMIT");
  const VariantResult& endless = solution_of(result);
  EXPECT_EQ(endless.observed, Outcome::defect);
  EXPECT_TRUE(
      endless.explanation.starts_with("kernel " + endless.kernel + " was stopped: no thread returned"))
      << endless.explanation;
  EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result);
}

TEST_F(WatchedRun, AcceptsAnEditThatIsRight) {
  EXPECT_EQ(solution_of(run_with("__global__", "// mine\n__global__")).observed, Outcome::right);
}

TEST_F(WatchedRun, FindsTheMissingEventOfTheStreamsLesson) {
  const auto lessons = all_lessons();
  const Lesson& streams = *std::ranges::find(lessons, "streams", &Lesson::name);
  const KernelFiles files(streams, std::nullopt);
  Settings settings = streams.default_settings();
  settings.options.at("upper") = std::uint64_t{5000};
  VariantWatch watch(streams, files, settings, *simulator::simulator_with(""));
  for (const char* const name : {"event", "missing-event", "overlapped"}) {
    SCOPED_TRACE(name);
    const Variant& variant = find_variant(streams, name);
    const auto watched = watch.watch(variant, variant.block.threads);
    ASSERT_TRUE(watched);
    if (variant.name != "missing-event") {
      EXPECT_TRUE(watched->defects.empty()) << watched->worst;
      continue;
    }
    ASSERT_FALSE(watched->defects.empty());
    EXPECT_EQ(watched->defects.front().kind, DefectKind::race_streams);
    EXPECT_TRUE(contains(watched->worst, "kernel count_primes reads is_prime["));
    EXPECT_TRUE(contains(watched->worst,
                         "record an event after kernel primes, and let the stream of "
                         "kernel count_primes wait for it"));
  }
}

}  // namespace watched_run_test
}  // namespace gpulab::run
