#include "cli/program_fixture.hpp"
#include "test.hpp"

// Programs that do nothing wrong, run watched and plain, and their output. One program has a function for
// each of them, and its argument chooses one.

namespace gpulab::program::runtime {
namespace {

const std::string program_text = source_text("tests/program/runtime/harmless_programs.cu");

class HarmlessPrograms : public cli::ProgramTest {
 protected:
  void expect(const std::string& word, const std::string& output) const {
    write("harmless.cu", program_text);
    const cli::ProgramRun watched = run({"run", "harmless.cu", "--", word});
    EXPECT_EQ(watched.out, output) << watched.err;
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    EXPECT_TRUE(contains(watched.err, "no defect"));
    EXPECT_EQ(run({"run", "--plain", "harmless.cu", "--", word}).out, output);
  }
};

TEST_F(HarmlessPrograms, FreeAndAllocateAgainBetweenLargeLaunches) {
  expect("free", "1048575\n");
}

TEST_F(HarmlessPrograms, ReadPinnedAndManagedMemoryBehindASet) {
  expect("set", "1 2\n");
}

TEST_F(HarmlessPrograms, CopyChunksOfAsManyBytesAsThereAreElements) {
  expect("quarters", "1\n");
}

TEST_F(HarmlessPrograms, SetOddValuesThatNobodyReadsOrThatIntegersHave) {
  expect("unread", "9\n");
}

TEST_F(HarmlessPrograms, PassAnObjectWhoseDestructorCallsTheRuntime) {
  expect("owner", "7\n");
}

TEST_F(HarmlessPrograms, GiveAKernelAReferenceToManagedMemory) {
  expect("reference", "192\n");
}

TEST_F(HarmlessPrograms, UpdateManagedMemoryByAtomicsOfTheSystemAndOfTheHost) {
  expect("system", "228\n");
}

TEST_F(HarmlessPrograms, UseAtomicsOfLibcuppOnTheHost) {
  expect("mailbox", "42\n");
}

TEST_F(HarmlessPrograms, AskAKernelThatWaitsForTheHost) {
  expect("server", "24\n");
  write("harmless.cu", program_text);
  const cli::ProgramRun endless = run({"run", "harmless.cu", "--", "endless"});
  EXPECT_EQ(endless.out, "24\n");
  EXPECT_TRUE(contains(endless.err, "DEFECT  endless-wait")) << endless.err;
}

TEST_F(HarmlessPrograms, UseAllSharedMemoryThatABlockCanHave) {
  expect("shared", "41727\n");
}

TEST_F(HarmlessPrograms, HaveVariablesOfTheDeviceThatAreTemplates) {
  expect("template", "10\n");
}

TEST_F(HarmlessPrograms, ReturnAnObjectWhoseDestructorCallsTheRuntime) {
  expect("returned", "0\n");
}

TEST_F(HarmlessPrograms, ShowAPictureInAWindow) {
  write("window.cu", R"(#include <GL/glut.h>
#include <GL/glx.h>
#include <cuda.h>
#include <cstdio>
void draw() { glClear(GL_COLOR_BUFFER_BIT), puts("draws"); }
void step() { glutPostRedisplay(), puts("steps"); }
void press(unsigned char key, int, int) { printf("%d\n", key); }
int main(int count, char** words) {
  cuInit(0);
  glutInit(&count, words);
  glutCreateWindow("window");
  glutDisplayFunc(draw), glutIdleFunc(step), glutKeyboardFunc(press);
  glutMainLoop();
  return 3;
}
)");
  const cli::ProgramRun ran = run({"run", "window.cu"});
  EXPECT_EQ(ran.out, "draws\nsteps\ndraws\n27\n") << ran.err;
  EXPECT_EQ(ran.exit_code, 0);
  write("torus.cu", "#include <GL/glut.h>\nint main() {\n  glutWireTorus(1, 2, 3, 4);\n}\n");
  EXPECT_TRUE(contains(run({"run", "torus.cu"}).err,
                       "line 3: the simulated device does not have OpenGL (glutWireTorus)"));
}

class StoppedPrograms : public cli::ProgramTest {};

TEST_F(StoppedPrograms, AreToldThatAnArgumentMayBeMissing) {
  write("size.cu", R"(#include <cstdio>
#include <cstdlib>
int main(int, char** words) { printf("%d\n", atoi(words[1])); }
)");
  const cli::ProgramRun ran = run({"run", "size.cu"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.err, "follows a null pointer: is it given one, as atoi(argv[1]) is")) << ran.err;
}

TEST_F(StoppedPrograms, GetANoteOfAnErrorThatTheyCheckedThemselves) {
  write("stopped.cu", R"(#include <cstdio>
__global__ void k() {}
int main(int count, char**) {
  void* memory = nullptr;
  if (count == 1) {
    const cudaError_t error = cudaMalloc(&memory, size_t(1) << 50);
    if (error != cudaSuccess) return printf("failed\n"), 5;
  }
  k<<<1, 4096>>>();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 6;
})");
  const cli::ProgramRun call = run({"run", "stopped.cu"}),
                        launch = run({"run", "stopped.cu", "--", "launch"});
  EXPECT_EQ(call.exit_code, 5) << call.err;
  EXPECT_TRUE(contains(call.err, "note  failed-call"));
  EXPECT_TRUE(contains(call.err, "stopped.cu:6:"));
  EXPECT_EQ(launch.exit_code, 6) << launch.err;
  EXPECT_TRUE(contains(launch.err, "note  launch-failure"));
}

}  // namespace
}  // namespace gpulab::program::runtime
