#include "bench/bench_fixtures.hpp"
#include "bench/bench_json.hpp"
#include "program_fixture.hpp"

namespace gpulab::cli {
namespace {

// Of documents alone: measuring needs a GPU.
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
  const ProgramRun ran = run({"crossover", "--from", "times.json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_LT(ran.out.find("crossover · first-kernel"), ran.out.find("crossover · shared-histogram"))
      << ran.out;
  EXPECT_TRUE(simulator::contains(ran.out, "crossover · matmul"));
}

TEST_F(CrossoverCommand, ShowsOfADocumentTheLessonsThatAreNamed) {
  const ProgramRun ran = run({"crossover", "histogram", "--from", "times.json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(simulator::contains(ran.out, "crossover · shared-histogram")) << ran.out;
  EXPECT_FALSE(simulator::contains(ran.out, "matmul")) << ran.out;
  expect_refusal({"crossover", "reduction", "--from", "times.json"}, 2,
                 "times.json has no rows of reduction");
}

TEST_F(CrossoverCommand, RefusesADocumentWithoutTimesAndSaysHowToMeasure) {
  write("counts.json", bench::bench_json(bench::on_simulator({{"global_load_sectors", 8}})));
  expect_refusal({"crossover", "--from", "counts.json"}, 2, "counts.json was measured on the simulator");
  write("cold.json", bench::bench_json(bench::cold_in({100})));
  expect_refusal({"crossover", "--from", "cold.json"}, 2,
                 "gpulab bench LESSON --size 2^10..2^28:x4 --one-thread");
}

}  // namespace
}  // namespace gpulab::cli
