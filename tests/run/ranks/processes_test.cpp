#include "run/ranks/processes.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "run/ranks/mpirun_fixture.hpp"
#include "text_contains.hpp"

namespace gpulab::run::ranks {
namespace {

namespace fs = std::filesystem;

// `gpulab_tests --as-rank CASE` (tests/run/ranks/as_rank.cpp), four times.
class ProcessesOfMpirun : public MpirunTest {
 protected:
  sandbox::CommandResult run(const std::string& test_case,
                             const std::string& variable = "GPULAB_TIME_LIMIT=50") {
    return mpirun({"-n", "4", itself(), "--as-rank", test_case}, {variable});
  }

  // One process that has only the variables of a launcher.
  sandbox::CommandResult pretend(std::vector<std::string> variables,
                                 const std::string& program = itself()) const {
    variables.insert(variables.begin(), {"env", "OMPI_MCA_ess_singleton_isolated=1"});
    variables.insert(variables.end(), {program, "--as-rank", "everything"});
    return sandbox::run_command(variables, folder);
  }

  static std::string itself() { return fs::read_symlink("/proc/self/exe").string(); }
};

TEST(ProcessesWithoutALauncher, AreNoneAndMpiIsNotLoaded) {
  if (find_launcher()) GTEST_SKIP() << "the tests themselves run under a launcher";
  EXPECT_EQ(join_processes(), nullptr);
  EXPECT_EQ(::dlopen("libmpi.so.40", RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST_F(ProcessesOfMpirun, GatherAddAndExchange) {
  const auto result = run("everything");
  EXPECT_EQ(result.exit_status, 0) << result.output;
  for (const char* rank : {"rank 0 of 4, local 0 of 4 on ", "rank 1 of 4, local 1 of 4 on ",
                           "rank 2 of 4, local 2 of 4 on ", "rank 3 of 4, local 3 of 4 on "})
    EXPECT_TRUE(contains(result.output, rank)) << result.output;
  EXPECT_EQ(std::ranges::count(result.output, '\n'), 4) << "MPI prints nothing: " << result.output;
}

TEST_F(ProcessesOfMpirun, SayWhoWaitsWhere) {
  const auto result = run("other-place");
  expect_said_once(result, "gpulab: ranks 0, 1 and 3 wait in the all-reduce of output, rank 2 in a barrier");
  EXPECT_EQ(result.exit_status, 4);
}

TEST_F(ProcessesOfMpirun, SayWhoHasNotComeInTime) {
  const auto result = run("absent", "GPULAB_TIME_LIMIT=0.5");
  expect_said_once(result, "gpulab: rank 3 has not come within 0.5 s; ranks 0-2 wait in a barrier");
  EXPECT_EQ(result.exit_status, 4);
}

TEST_F(ProcessesOfMpirun, EndWhenOneIsKilled) {
  EXPECT_NE(run("killed").exit_status, 0);
  EXPECT_LT(seconds, 15);
}

TEST_F(ProcessesOfMpirun, EndWithTheErrorOfOne) {
  const auto result = run("throws");
  expect_said_once(result, "gpulab: rank 1 lacks its kernel");
  EXPECT_EQ(result.exit_status, 2);
}

TEST_F(ProcessesOfMpirun, EndWhenOneExits) {
  EXPECT_NE(run("exits").exit_status, 0);
  EXPECT_LT(seconds, 15);
}

TEST_F(ProcessesOfMpirun, SayWhoHasEndedTooEarly) {
  const auto result = run("ends-early");
  expect_said_once(result, "gpulab: ranks 0, 1 and 3 wait in a barrier, rank 2 at the end of the program");
  EXPECT_NE(result.exit_status, 0);
}

TEST_F(ProcessesOfMpirun, RefuseAMessageOfAnotherLength) {
  const auto result = run("fewer-bytes");
  EXPECT_TRUE(contains(result.output, "sent 3 bytes where 4 were expected")) << result.output;
  EXPECT_EQ(result.exit_status, 4);
}

TEST_F(ProcessesOfMpirun, FindOutThatTheLauncherBelongsToAnotherMpi) {
  const auto result = pretend({"PMI_RANK=0", "PMI_SIZE=4"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_TRUE(contains(result.output,
                       "gpulab: mpiexec has started 4 processes, and each finds itself alone: it does not "
                       "belong to Open MPI"))
      << result.output;
}

TEST_F(ProcessesOfMpirun, FindOutThatSrunNeedsAnOption) {
  const auto result = pretend({"SLURM_PROCID=0", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=2"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_TRUE(contains(result.output, "type srun --mpi=pmix")) << result.output;
}

TEST_F(ProcessesOfMpirun, SayThatTheModuleIsMissing) {
  std::error_code cannot;
  const fs::path elsewhere = folder / "gpulab_tests";
  fs::create_hard_link(itself(), elsewhere, cannot);
  if (cannot) fs::copy_file(itself(), elsewhere);
  const auto result = pretend({"OMPI_COMM_WORLD_SIZE=4"}, elsewhere.string());
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_TRUE(contains(result.output, "which need MPI to find each other: gpulab was built without it"))
      << result.output;
}

}  // namespace
}  // namespace gpulab::run::ranks
