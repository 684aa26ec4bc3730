#include "bench/bench_fixtures.hpp"
#include "bench/bench_formats.hpp"
#include "program_fixture.hpp"
#include "terminal_fixture.hpp"

namespace gpulab::cli {
namespace {

class LeftOut : public TerminalTest {};

TEST_F(LeftOut, IsAVariantThatNeedsAGpuWithALineThatSaysSo) {
  const ProgramRun all = run({"matmul", "--m", "8", "--n", "8", "--k", "8", "--device", "simulator"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_TRUE(contains(all.out, "warpgroups was left out: it needs a GPU of compute capability 9.0"));
  EXPECT_FALSE(contains(all.out, "cublas")) << all.out;
}

TEST_F(LeftOut, IsRefusedWhereItWasAskedForByName) {
  expect_refusal({"matmul", "--variant", "warpgroups", "--device", "simulator"}, 4,
                 "variant 'warpgroups' cannot run here: it needs a GPU of compute capability 9.0");
  expect_refusal({"histogram", "--variant", "cub", "--device", "simulator"}, 4,
                 "variant 'cub' cannot run here: it needs a GPU");
}

// Tests with documents: measuring needs a GPU.
class CrossoverCommand : public ProgramTest {
 protected:
  CrossoverCommand() {
    std::vector<bench::BenchRow> rows;
    for (const char* lesson : {"matmul", "shared-histogram", "first-kernel"})
      for (const auto& [variant, kind, time] :
           {std::tuple(plain_reference, bench::BenchKind::cpu, bench::BenchTime::cpu),
            std::tuple("some-kernel", bench::BenchKind::kernel, bench::BenchTime::launch)}) {
        rows.push_back(bench::right_row({.lesson = lesson, .variant = variant, .size = 1024}));
        rows.back().kind = kind;
        rows.back().times[time] = bench::taking_us(kind == bench::BenchKind::cpu ? 100 : 20);
      }
    write("times.json", bench::bench_json(bench::on_gpu(rows)));
  }
};

TEST_F(CrossoverCommand, ShowsTheLessonsOfADocumentInTheOrderOfTheCourse) {
  const ProgramRun ran = run({"report", "--crossover", "times.json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_LT(ran.out.find("crossover · first-kernel"), ran.out.find("crossover · shared-histogram"))
      << ran.out;
  EXPECT_TRUE(contains(ran.out, "crossover · matmul"));
}

TEST_F(CrossoverCommand, ShowsOfADocumentTheLessonsThatAreNamed) {
  const ProgramRun ran = run({"report", "--crossover", "--lesson", "histogram", "times.json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "crossover · shared-histogram"));
  EXPECT_FALSE(contains(ran.out, "matmul")) << ran.out;
  expect_refusal({"report", "--crossover", "--lesson", "reduction", "times.json"}, 2,
                 "times.json has no rows of reduction");
}

TEST_F(CrossoverCommand, RefusesADocumentWithoutTimesAndSaysHowToMeasure) {
  write("counts.json", bench::bench_json(bench::on_simulator({{"global_load_sectors", 8}})));
  expect_refusal({"report", "--crossover", "counts.json"}, 2, "counts.json was measured on the simulator");
  write("cold.json", bench::bench_json(bench::cold_in({100})));
  expect_refusal({"report", "--crossover", "cold.json"}, 2, "gpulab bench LESSON --crossover --output FILE");
}

}  // namespace
}  // namespace gpulab::cli
