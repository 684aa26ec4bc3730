#include "check/checks.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>

#include "check/files.hpp"
#include "expected_text.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

// Files that try to do something other than compute, in tests/check/hostile_files/. gpulab answers each with
// a sentence. No file leaves a process or another file behind, or touches the file beside it.

namespace gpulab::check {
namespace {

namespace fs = std::filesystem;

class HostileFile : public testing::TestWithParam<ExpectedText> {
 protected:
  void SetUp() override {
    if (!simulator::simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
    std::string pattern = (fs::temp_directory_path() / "gpulab-hostile-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ / "canary") << "alive";
    std::ofstream(folder_ / "first_kernel.cu") << GetParam().text;
  }
  void TearDown() override {
    if (folder_.empty()) return;
    std::string content;
    std::ifstream(folder_ / "canary") >> content;
    EXPECT_EQ(content, "alive");
    const auto files = std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    EXPECT_EQ(files, 2) << "the canary and first_kernel.cu";
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process was left behind";
    fs::remove_all(folder_);
  }

  fs::path folder_;
};

TEST_P(HostileFile, IsAnsweredWithASentence) {
  const CheckResult result =
      check_exercise(find_exercise("first-kernel").exercise, folder_ / "first_kernel.cu",
                     {.time_limit_s = 30, .with_gpu = false});
  EXPECT_NE(result.verdict, Verdict::right);
  EXPECT_FALSE(result.summary.empty());
  EXPECT_TRUE(GetParam().pattern() == "anything" || result.pattern == GetParam().pattern())
      << result.pattern << ": " << result.summary;
  EXPECT_TRUE(contains(result.summary, GetParam().sentence()));
  EXPECT_FALSE(contains(result.summary + result.compiler_log, "root:"))
      << "a line of /etc/passwd: " << result.compiler_log;
}

INSTANTIATE_TEST_SUITE_P(All, HostileFile, testing::ValuesIn(expected_texts("tests/check/hostile_files")),
                         [](const auto& info) { return info.param.file.stem().string(); });

}  // namespace
}  // namespace gpulab::check
