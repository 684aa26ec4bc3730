#include "run/ranks/processes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace gpulab::run::ranks {
namespace {

// The tests themselves may run under Slurm: only what a test sets is there.
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
  EXPECT_TRUE(found->leads_to_the_others);
}

TEST_F(LauncherOf, SrunWithoutMpiLeadsNobodyToTheOthers) {
  const auto found = launcher({{"SLURM_PROCID", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->leads_to_the_others);
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

}  // namespace
}  // namespace gpulab::run::ranks
