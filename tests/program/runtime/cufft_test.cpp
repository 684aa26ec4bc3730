#include "program/runtime/cases_fixture.hpp"

namespace gpulab::program::runtime {
namespace {

class Cufft : public CasesOfOneProgram {
 protected:
  Cufft() : CasesOfOneProgram("cufft.cu") {}
};

TEST_F(Cufft, TransformsByTheDefinition) {
  const cli::ProgramRun ran = run_case("right");
  EXPECT_EQ(ran.out,
            "complex right\ncomplex right\ncomplex right\ncomplex right\ncomplex right\ncomplex right\n"
            "there and back right\nin place right\ncolumns right\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.err, "no defect found"));
}

TEST_F(Cufft, SaysWhatIsWrongWithACall) {
  const cli::ProgramRun ran = run_case("mistakes");
  EXPECT_EQ(ran.out, "1\n3\n6\n") << ran.err;  // INVALID_PLAN, INVALID_TYPE and EXEC_FAILED
  for (const char* part :
       {"cufftExecC2C is given a handle that was never created", "but cufftExecC2C uses 800",
        "that nobody has written", "cufftDestroy(...) after its last use"})
    EXPECT_TRUE(contains(ran.err, part)) << part;
}

TEST_F(Cufft, IsRefusedByNameWhereItLacksAFunction) {
  write("lacking.cu",
        "#include <cufftXt.h>\nint main() {\n  cufftHandle plan;\n  cufftXtSetGPUs(plan, 0, nullptr);\n}\n");
  const cli::ProgramRun ran = run({"run", "lacking.cu"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.err, "lacking.cu, line 4: the simulated device does not have cufftXtSetGPUs"));
}

}  // namespace
}  // namespace gpulab::program::runtime
