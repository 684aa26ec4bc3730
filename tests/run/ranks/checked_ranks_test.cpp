#include "check/settings.hpp"
#include "lesson/lesson.hpp"
#include "run/ranks/lesson_ranks.hpp"
#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

// The lessons that are divided among devices, run on three of them, with every access, copy and collective
// watched.

namespace gpulab::run::ranks {
namespace checked_ranks_test {

using DividedLesson = simulator::NeedsCompiler<testing::TestWithParam<std::string>>;

TEST_P(DividedLesson, HasNoRaceButTheOneThatItShows) {
  const auto lessons = all_lessons();
  const Lesson& lesson = *std::ranges::find(lessons, GetParam(), &Lesson::name);
  const auto device = simulator::open_simulator(simulator::compile_cache_of_tests());
  const KernelFiles files(lesson, std::nullopt);
  ProblemCache problems(lesson, files, *device);
  Settings settings = check::check_settings(lesson, 256).front();
  settings.options.at(gpus_option) = std::uint64_t{3};
  const RunContext& whole = problems.make(lesson.problem(settings), settings);
  Ranks ranks(*device, 3, nullptr);
  ASSERT_TRUE(ranks.enable_peer_access());
  DividedProblem divided(ranks, whole);
  std::size_t races = 0;
  for (const Variant& variant : lesson.variants) {
    if (!variant.on_each_rank || variant.needs) continue;  // kernels that need real GPUs wait for each other
    SCOPED_TRACE(variant.name);
    const VariantResult result = run_on_ranks(ranks, divided,
                                              {.variant = variant,
                                               .block_size = variant.block.threads,
                                               .instrumentation = device::Instrumentation::checked});
    if (result.expected == Outcome::race) {
      ++races;
      ASSERT_TRUE(result.failure);
      EXPECT_EQ(result.failure->kind, DefectKind::race_streams) << result.explanation;
      continue;
    }
    EXPECT_EQ(result.observed, result.expected) << result.explanation;
    EXPECT_FALSE(result.failure) << result.explanation;
  }
  EXPECT_EQ(races, 1u);
}

INSTANTIATE_TEST_SUITE_P(Course, DividedLesson, testing::Values("multi-gpu", "halo-exchange"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace checked_ranks_test
}  // namespace gpulab::run::ranks
