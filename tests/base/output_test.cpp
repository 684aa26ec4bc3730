#include "base/output.hpp"

#include "test.hpp"

namespace gpulab {
namespace output_test {

// Returns what a narrator writes to stderr, which is not a terminal here, about two steps of long work.
std::string written(bool quiet, double seconds_between_lines) {
  testing::internal::CaptureStderr();
  Narrator narrator(quiet, seconds_between_lines);
  narrator.progress("starting");
  narrator.long_progress("row 1");
  narrator.long_progress("row 2");
  return testing::internal::GetCapturedStderr();
}

TEST(Narrator, WritesALineFromTimeToTimeWhereThereIsNoTerminal) {
  EXPECT_EQ(written(/*quiet=*/false, 0), "row 1\nrow 2\n");
  EXPECT_EQ(written(/*quiet=*/false, 3600), "");
  EXPECT_EQ(written(/*quiet=*/true, 0), "");
}

}  // namespace output_test
}  // namespace gpulab
