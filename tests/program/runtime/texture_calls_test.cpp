#include "program/runtime/cases_fixture.hpp"

// Textures and surfaces in a whole program.

namespace gpulab::program::runtime {
namespace {

class Textures : public CasesOfOneProgram {
 protected:
  Textures() : CasesOfOneProgram("texture_calls.cu") {}
};

TEST_F(Textures, GiveKernelsTheirElementsAndSurfacesTakeThem) {
  for (const char* option : {"--plain", "--format=text"}) {
    const cli::ProgramRun ran = run_case("right", option);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "5 6 7 8 \n10 12 14 16 \n0 16 14 16 \n4 x 2, 2, 12 16\n0.2 0.4 0.6 0.8 \n");
    EXPECT_EQ(run_case("box", option).out, "101 203 305 -393 \n");
  }
}

TEST_F(Textures, AreWatchedInKernels) {
  expect_finding("unwritten", "uninitialised", "fetches", "");
  expect_finding("race", "race-global", "races", "");
  expect_finding("trap", "out-of-bounds", "traps",
                 "byte 16 of row 0, outside of a surface of 16 bytes x 2 rows");
  expect_finding("misaligned", "misaligned", "is misaligned", "x * sizeof(element)");
  expect_finding("destroyed", "invalid-handle", "fetches", "destroyed");
  expect_finding("destroyed early", "use-after-free", "destroys it early", "is given");
  expect_finding("destroyed early", "use-after-free", "is launched late", "is given");
  expect_finding("type", "texture-type", "fetches", "cudaReadModeNormalizedFloat");
  expect_finding("freed", "", "fetches", "");
}

TEST_F(Textures, AreDescribedAsAGpuNeedsThem) {
  expect_finding("filtered", "texture-description", "creates", "cudaFilterModeLinear");
  expect_finding("unset", "texture-description", "creates", "memset");
  expect_finding("plain surface", "texture-description", "creates a surface", "cudaArraySurfaceLoadStore");
}

TEST_F(Textures, HaveArraysWhoseMistakesAreFound) {
  EXPECT_TRUE(contains(run_case("leak").err, "note  memory-leak"));
  expect_finding("wide", "copy-size", "does not fit", "16 bytes x 2 rows");
  expect_finding("long", "copy-size", "is too long", "");
  expect_finding("direction", "wrong-direction", "goes the wrong way", "cudaMallocArray");
  expect_finding("pointer", "array-as-pointer", "takes an array for memory", "cudaMemcpy2DToArray");
  expect_finding("free wrongly", "foreign-free", "frees it wrongly", "cudaFreeArray");
  EXPECT_FALSE(contains(run_case("free wrongly").err, "memory-leak"));
  expect_finding("free twice", "double-free", "frees it again", "");
}

}  // namespace
}  // namespace gpulab::program::runtime
