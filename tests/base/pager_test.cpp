#include "cli/terminal_fixture.hpp"

namespace gpulab {
namespace {

class Pager : public cli::TerminalTest {
 protected:
  // Returns what a terminal of 50 lines shows.
  std::string shown(const std::vector<std::string>& words, const Environment& environment) {
    open(words, environment);
    return until_the_end();
  }
};

constexpr const char* marking_pager = "sed 's/^/paged: /'";

TEST_F(Pager, ShowsWhatDoesNotFitTheScreen) {
  EXPECT_TRUE(contains(shown({"show", "matmul"}, {{"GPULAB_PAGER", marking_pager}}), "paged: "));
  EXPECT_TRUE(contains(shown({"list", "--patterns"}, {{"GPULAB_PAGER", marking_pager}}), "paged: "));
}

TEST_F(Pager, IsNotUsedForWhatFitsTheScreen) {
  EXPECT_FALSE(contains(shown({"show", "first-kernel", "global-index"}, {{"GPULAB_PAGER", marking_pager}}),
                        "paged: "));
}

TEST_F(Pager, IsNotUsedForJsonOrWhereItIsForbidden) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"list", "--format", "json"},
                                                                 {"show", "matmul", "--no-pager"},
                                                                 {"--no-pager", "show", "matmul"}}) {
    const std::string screen = shown(words, {{"GPULAB_PAGER", marking_pager}});
    EXPECT_FALSE(contains(screen, "paged: ")) << words[0];
    EXPECT_GT(screen.size(), 1000u);
  }
}

TEST_F(Pager, IsTheOneThatTheEnvironmentNames) {
  // An empty value unsets a variable.
  EXPECT_TRUE(
      contains(shown({"show", "matmul"}, {{"GPULAB_PAGER", ""}, {"PAGER", marking_pager}}), "paged: "));
  EXPECT_FALSE(
      contains(shown({"show", "matmul"}, {{"GPULAB_PAGER", "cat"}, {"PAGER", marking_pager}}), "paged: "));
}

TEST_F(Pager, IsSkippedWhereItDoesNotExist) {
  const std::string screen = shown({"show", "matmul"}, {{"GPULAB_PAGER", "no-such-pager"}});
  EXPECT_TRUE(contains(screen, "matmul_naive("));
}

TEST_F(Pager, IsNotUsedInAPipe) {
  EXPECT_FALSE(contains(run({"show", "matmul"}, {{"GPULAB_PAGER", marking_pager}}).out, "paged: "));
}

}  // namespace
}  // namespace gpulab
