#include "program/runtime/cases_fixture.hpp"

namespace gpulab::program::runtime {
namespace {

class Curand : public CasesOfOneProgram {
 protected:
  Curand() : CasesOfOneProgram("curand.cu") {}
};

TEST_F(Curand, GivesTheNumbersThatCurandGives) {
  const cli::ProgramRun ran = run_case("numbers");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, source_text("tests/program/runtime/curand.txt"));
}

TEST_F(Curand, GoesOnWhereThePreviousCallEnded) {
  const cli::ProgramRun ran = run_case("one after the other");
  EXPECT_EQ(ran.out, "1\n1\n1\n") << ran.err;
}

TEST_F(Curand, SaysWhatIsWrongWithACall) {
  const cli::ProgramRun ran = run_case("statuses");
  // LENGTH_NOT_MULTIPLE, NOT_INITIALIZED and twice LAUNCH_FAILURE
  EXPECT_EQ(ran.out, "105\n101\n201\n201\n") << ran.err;
  for (const char* part : {"it makes pairs of numbers, and 3 is odd", "a handle that was never created",
                           "host memory as its output", "uses 16 bytes of its output",
                           "curandDestroyGenerator(...) after its last use"})
    EXPECT_TRUE(contains(ran.err, part)) << part;
}

TEST_F(Curand, IsRefusedByNameWhereItLacksAFunctionOrAGenerator) {
  for (const std::string lacking :
       {"curandGeneratePoisson(g, nullptr, 1, 2.0)", "curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32)"}) {
    write("lacking.cu", "#include <curand.h>\nint main() {\n  curandGenerator_t g;\n  " + lacking + ";\n}\n");
    const cli::ProgramRun ran = run({"run", "lacking.cu"});
    const std::string name =
        contains(lacking, "Poisson") ? "curandGeneratePoisson" : "CURAND_RNG_QUASI_SOBOL32";
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_TRUE(contains(ran.err, "lacking.cu, line 4: the simulated device does not have " + name));
  }
}

}  // namespace
}  // namespace gpulab::program::runtime
