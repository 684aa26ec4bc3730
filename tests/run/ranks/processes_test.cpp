#include "run/ranks/processes.hpp"

#include <dlfcn.h>

#include "run/ranks/mpirun_fixture.hpp"
#include "test.hpp"

namespace gpulab::run::ranks {
namespace {

namespace fs = std::filesystem;

// Runs `gpulab_tests --as-rank CASE` (tests/run/ranks/as_rank.cpp) in four processes.
class ProcessesOfMpirun : public MpirunTest {
 protected:
  sandbox::CommandResult run(const std::string& test_case,
                             const std::string& variable = "GPULAB_TIME_LIMIT=50") {
    return mpirun({"-n", "4", this_program(), "--as-rank", test_case}, {variable});
  }

  // Runs one process without a launcher, which has the variables of one.
  sandbox::CommandResult run_alone(std::vector<std::string> variables,
                                   const std::string& program = this_program()) const {
    variables.insert(variables.begin(), {"env", "OMPI_MCA_ess_singleton_isolated=1"});
    variables.insert(variables.end(), {program, "--as-rank", "everything"});
    return sandbox::run_command(variables, folder);
  }

  static std::string this_program() { return fs::read_symlink("/proc/self/exe").string(); }
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
    EXPECT_TRUE(contains(result.output, rank));
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
  EXPECT_TRUE(contains(result.output, "sent 3 bytes where 4 were expected"));
  EXPECT_EQ(result.exit_status, 4);
}

TEST_F(ProcessesOfMpirun, FindOutThatTheLauncherBelongsToAnotherMpi) {
  const auto result = run_alone({"PMI_RANK=0", "PMI_SIZE=4"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_TRUE(contains(result.output,
                       "gpulab: mpiexec has started 4 processes, and each finds itself alone: it does not "
                       "belong to Open MPI"));
}

TEST_F(ProcessesOfMpirun, FindOutThatSrunNeedsAnOption) {
  const auto result = run_alone({"SLURM_PROCID=0", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=2"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_TRUE(contains(result.output, "type srun --mpi=pmix"));
}

TEST_F(ProcessesOfMpirun, SayThatTheModuleIsMissing) {
  std::error_code link_error;
  const fs::path elsewhere = folder / "gpulab_tests";
  fs::create_hard_link(this_program(), elsewhere, link_error);
  if (link_error) fs::copy_file(this_program(), elsewhere);
  const auto result = run_alone({"OMPI_COMM_WORLD_SIZE=4"}, elsewhere.string());
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_TRUE(contains(result.output, "which need MPI to find each other: gpulab was built without it"));
}

// Removes the variables of launchers, since the tests themselves may run under Slurm.
class LauncherOf : public testing::Test {
 protected:
  LauncherOf() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID",
                             "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
      names_.push_back(name);
    }
  }
  ~LauncherOf() override {
    for (const char* name : names_) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

  static std::optional<Launcher> launcher(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    return find_launcher();
  }

 private:
  std::vector<const char*> names_;
  std::map<std::string, std::string> before_;
};

TEST_F(LauncherOf, AShellIsNone) {
  EXPECT_FALSE(launcher({}));
}

TEST_F(LauncherOf, ABatchScriptIsNone) {
  EXPECT_FALSE(launcher({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "5"}}));
}

TEST_F(LauncherOf, TheOnlyTaskOfSrunIsNone) {
  EXPECT_FALSE(launcher(
      {{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"PMIX_RANK", "0"}}));
}

TEST_F(LauncherOf, OneProcessOfMpirunIsMpirun) {
  const auto found = launcher({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->processes, 1);
}

TEST_F(LauncherOf, MpirunInAnAllocationOfSlurmIsMpirun) {
  const auto found = launcher({{"OMPI_COMM_WORLD_SIZE", "4"},
                               {"SLURM_PROCID", "0"},
                               {"SLURM_STEP_ID", "0"},
                               {"SLURM_STEP_NUM_TASKS", "2"},
                               {"PMIX_RANK", "3"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "mpirun (Open MPI)");
  EXPECT_EQ(found->processes, 4);
}

TEST_F(LauncherOf, SeveralTasksOfSrunAreSrun) {
  const auto found = launcher(
      {{"SLURM_PROCID", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"PMIX_RANK", "1"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "srun");
  EXPECT_EQ(found->processes, 2);
  EXPECT_TRUE(found->lets_processes_connect);
}

TEST_F(LauncherOf, SrunWithoutMpiLeadsNobodyToTheOthers) {
  const auto found = launcher({{"SLURM_PROCID", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->lets_processes_connect);
}

TEST_F(LauncherOf, MpiexecOfMpichIsMpiexec) {
  const auto found = launcher({{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "mpiexec");
  EXPECT_EQ(found->processes, 4);
}

TEST_F(LauncherOf, ACountThatIsNoNumberIsNotBelieved) {
  EXPECT_EQ(launcher({{"OMPI_COMM_WORLD_SIZE", "four\n"}})->processes, 0);
  EXPECT_EQ(launcher({{"OMPI_COMM_WORLD_SIZE", "99999999999999999999"}})->processes, 0);
}

TEST_F(LauncherOf, AProcessThatARankStartsHasNone) {
  ASSERT_TRUE(launcher(
      {{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}, {"PMI_RANK", "1"}, {"SLURM_PROCID", "1"}}));
  forget_launcher();
  EXPECT_FALSE(find_launcher());
}

std::string sentence(const std::vector<std::string>& places) {
  return who_waits_where(places, 30);
}

TEST(WhoWaitsWhere, IsEmptyWhenAllRanksAreInOnePlace) {
  EXPECT_EQ(sentence({"a barrier", "a barrier"}), "");
  EXPECT_EQ(sentence({"a barrier"}), "");
}

TEST(WhoWaitsWhere, NamesThePlaceOfEachRank) {
  EXPECT_EQ(sentence({"the all-reduce of output", "the all-reduce of output", "a barrier"}),
            "ranks 0 and 1 wait in the all-reduce of output, rank 2 in a barrier: all must make "
            "the same calls in the same order");
}

TEST(WhoWaitsWhere, NamesARankThatHasEnded) {
  EXPECT_EQ(sentence({"a barrier", at_the_end}),
            "rank 0 waits in a barrier, rank 1 at the end of the program: all must make the same "
            "calls in the same order");
}

TEST(WhoWaitsWhere, NamesWhoHasNotCome) {
  EXPECT_EQ(sentence({"a barrier", "a barrier", "a barrier", ""}),
            "rank 3 has not come within 30 s; ranks 0-2 wait in a barrier");
  EXPECT_EQ(sentence({"", "a barrier", ""}),
            "ranks 0 and 2 have not come within 30 s; rank 1 waits in a barrier");
}

TEST(WhoWaitsWhere, NamesManyRanksByTheirRanges) {
  std::vector<std::string> places(64, "a barrier");
  places[7] = places[8] = places[20] = "";
  EXPECT_EQ(sentence(places),
            "ranks 7, 8 and 20 have not come within 30 s; ranks 0-6, 9-19 and 21-63 wait in a barrier");
}

TEST(WhoWaitsWhere, WritesNoControlCharacterOfAnotherProcess) {
  EXPECT_EQ(sentence({"a barrier", "\x1b[2J"}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gpulab::run::ranks
