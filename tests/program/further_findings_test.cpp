#include "program/runtime/cases_fixture.hpp"

namespace gpulab::program {
namespace {

using FurtherFindings = runtime::CasesOfPrograms;

TEST_F(FurtherFindings, NoteAParameterThatAKernelStoresInAndNeverReads) {
  const cli::ProgramRun copied = run_case("unread_parameter.cu", "increment");
  EXPECT_EQ(copied.exit_code, 0);
  EXPECT_TRUE(contains(copied.err, "note  unread-parameter\n'result' is the thread's own copy")) << copied.err;
  EXPECT_TRUE(contains(copied.err, place_of("unread_parameter.cu", "changes a copy"))) << copied.err;
  EXPECT_FALSE(contains(copied.err, "'n' is")) << "the loop reads it: " << copied.err;
}

}  // namespace
}  // namespace gpulab::program
