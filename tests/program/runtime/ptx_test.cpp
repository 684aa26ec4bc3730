#include "cli/program_fixture.hpp"
#include "test.hpp"

namespace gpulab::program::runtime {
namespace {

class InlinePtx : public cli::ProgramTest {
 protected:
  InlinePtx() { write("ptx.cu", source_text("tests/program/runtime/ptx.cu")); }
};

TEST_F(InlinePtx, ComputesWhatCppComputes) {
  for (const char* option : {"--format=text", "--plain"}) {
    const cli::ProgramRun ran = run({"run", option, "ptx.cu"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "0 wrong, out[0] = 63.75, counters 64 63\n");
  }
}

TEST_F(InlinePtx, IsWatchedInItsLine) {
  const cli::ProgramRun ran = run({"run", "-D", "NO_BARRIER", "ptx.cu"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.err, "DEFECT  race-shared"));
  EXPECT_TRUE(contains(ran.err, R"(ptx.cu:112: asm volatile("ld.shared.v2)"));
}

TEST_F(InlinePtx, IsRefusedWhereAnInstructionIsMissing) {
  for (const std::string instruction :
       {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%0};", "bra L; L:"}) {
    write("other.cu", "__global__ void f(unsigned* x) {\n  unsigned y = 0;\n  asm(\"mov.u32 %0, 1; @p " +
                          instruction + "\" : \"+r\"(y));\n  *x = y;\n}\nint main() {}\n");
    const cli::ProgramRun ran = run({"run", "other.cu"});
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_TRUE(contains(ran.err, "other.cu, line 3"));
    EXPECT_TRUE(contains(
        ran.err, "does not have the PTX instruction " + instruction.substr(0, instruction.find(' '))));
  }
}

TEST_F(InlinePtx, WaitsAtNamedBarriersThatOrderTheirThreadsAlone) {
  const cli::ProgramRun stuck = run({"run", "-D", "MISSING_ARRIVAL", "ptx.cu"});
  EXPECT_TRUE(contains(stuck.err, "DEFECT  deadlock"));
  EXPECT_TRUE(contains(stuck.err, "32 more\n  of the 128 threads of barrier 1"));
  const cli::ProgramRun unordered = run({"run", "-D", "NO_NAMED_BARRIER", "ptx.cu"});
  EXPECT_TRUE(contains(unordered.err, "DEFECT  race-shared"));
}

TEST_F(InlinePtx, SaysWhoWaitsAtEachOfTheNamedBarriersOfADeadlock) {
  write("named.cu", R"(
__device__ void sync(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }
__global__ void wait() {
  if (threadIdx.x < 32)
    sync(2);
  else
    sync(1);
}
int main() {
  wait<<<1, 64>>>();
  cudaDeviceSynchronize();
}
)");
  const cli::ProgramRun stuck = run({"run", "named.cu"});
  for (const char* text : {"barrier 1", "barrier 2", "named.cu:5: sync(2);", "named.cu:7: sync(1);",
                           "block 0 thread 32 waits here"})
    EXPECT_TRUE(contains(stuck.err, text)) << text << stuck.err;
}

TEST_F(InlinePtx, LoadsRowsOfMatricesByTheLanesThatHaveTheirAddresses) {
  const cli::ProgramRun ran = run({"run", "-D", "NO_WARP_BARRIER", "ptx.cu"});
  EXPECT_TRUE(contains(ran.err, "DEFECT  race-shared"));
  EXPECT_TRUE(contains(ran.err, R"(asm volatile("ldmatrix.sync)"));
}

}  // namespace
}  // namespace gpulab::program::runtime
