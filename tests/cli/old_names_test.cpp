#include "bench/bench_fixtures.hpp"
#include "bench/bench_formats.hpp"
#include "program_fixture.hpp"

namespace gpulab::cli {
namespace {

class OldNames : public ProgramTest {
 protected:
  void expect_told(const ProgramRun& ran, const std::string& line) const {
    EXPECT_TRUE(contains(ran.err, line + "; its old name goes away with the next release\n")) << ran.err;
  }
};

TEST_F(OldNames, GoOnWorkingAndNameTheNewOne) {
  write("base.json", bench::bench_json(bench::cold_in({100, 101, 99})));
  write("slow.json", bench::bench_json(bench::cold_in({106, 105, 107})));
  const ProgramRun compared = run({"compare", "base.json", "slow.json"});
  EXPECT_EQ(compared.exit_code, 5);
  expect_told(compared, "gpulab: compare is now report");
  expect_told(run({"kernels", "matmul", "--to", "k"}), "gpulab: kernels is now show");
  EXPECT_TRUE(std::filesystem::exists(folder / "k/matmul.cu"));
  EXPECT_EQ(run({"start", "first-kernel"}).exit_code, 0);
  expect_told(run({"reset", "first-kernel"}), "gpulab: reset is now start --again");
  expect_told(run({"devices"}), "gpulab: devices is now doctor");
}

TEST_F(OldNames, PutTheWordsOfCrossoverAndAbInTheirNewOrder) {
  const ProgramRun crossover = run({"crossover", "histogram", "--from", "none.json", "--plot"});
  expect_told(crossover, "gpulab: crossover is now report --crossover");
  EXPECT_TRUE(contains(crossover.err, "cannot read none.json"));
  expect_refusal({"ab", "/bin/true"}, 2, "ab is now gpulab bench LESSON... --against OLD_PROGRAM");
  const ProgramRun measured = run({"ab", "gpulab", "gpulab", "--keep", "times", "--", "bench", "first-kernel",
                                   "--size", "64", "--device", "simulator", "--dry-run"});
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  expect_told(measured, "gpulab: ab is now bench --against");
}

}  // namespace
}  // namespace gpulab::cli
