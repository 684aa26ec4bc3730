#pragma once

#include "run/ranks/processes.hpp"
#include "sandbox/sandbox.hpp"
#include "test.hpp"

namespace gpulab::run::ranks {

// Starts real processes with a real mpirun.
class MpirunTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  MpirunTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpulab-mpi-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~MpirunTest() override { std::filesystem::remove_all(folder); }

  void SetUp() override {
    if (find_launcher()) GTEST_SKIP() << "the tests themselves run under a launcher";
    if (const std::string problem = status().problem; !problem.empty())
      GTEST_SKIP() << "no module for MPI: " << problem;
    if (sandbox::run_command({"mpirun", "--version"}, folder).exit_status != 0)
      GTEST_SKIP() << "no mpirun in PATH";
  }

  // There may be more processes than this machine has cores. (These settings are Open MPI's, the last one of
  // version 5, the one before of version 4.)
  sandbox::CommandResult mpirun(const Words& words, const Words& variables = {}) {
    Words command{"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                  "OMPI_MCA_rmaps_base_oversubscribe=1",
                  "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe"};
    command.insert(command.end(), variables.begin(), variables.end());
    command.emplace_back("mpirun");
    command.insert(command.end(), words.begin(), words.end());
    const auto start = std::chrono::steady_clock::now();
    auto result = sandbox::run_command(command, folder);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

  // Expects one rank that knows what is wrong to say so, and the others to end within seconds.
  void expect_said_once(const sandbox::CommandResult& result, const std::string& sentence) const {
    const auto at = result.output.find(sentence);
    ASSERT_NE(at, std::string::npos) << result.output;
    EXPECT_EQ(result.output.find(sentence, at + 1), std::string::npos) << result.output;
    EXPECT_LT(seconds, 15);
  }

  std::filesystem::path folder;
  double seconds = 0;  // duration of the last mpirun
};

}  // namespace gpulab::run::ranks
