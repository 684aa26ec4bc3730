#include "program/runtime/cases_fixture.hpp"

// Programs that do nothing wrong, run watched and plain, and their output. They are functions of one file,
// whose argument chooses one.

namespace gpulab::program::runtime {
namespace {

class HarmlessPrograms : public CasesOfOneProgram {
 protected:
  HarmlessPrograms() : CasesOfOneProgram("harmless_programs.cu") {}
};

TEST_F(HarmlessPrograms, GiveTheirOutputAndNoFinding) {
  expect_outputs({
      {"free", "1048575\n"},   // frees and allocates again between large launches
      {"set", "1 2\n"},        // reads pinned and managed memory behind a set
      {"quarters", "1\n"},     // copies chunks of as many bytes as there are elements
      {"unread", "9\n"},       // sets odd values that nobody reads or that integers have
      {"owner", "7\n"},        // passes an object whose destructor calls the runtime
      {"reference", "192\n"},  // gives a kernel a reference to managed memory
      {"system", "228\n"},     // updates managed memory by atomics of the system and of the host
      {"mailbox", "42\n"},     // uses atomics of libcu++ on the host
      {"shared", "41727\n"},   // uses all shared memory that a block can have
      {"resident", "0\n"},     // has a barrier of its own for as many blocks as fit
      {"template", "10\n"},    // has variables of the device that are templates
      {"returned", "0\n"},     // returns an object whose destructor calls the runtime
      {"server", "24\n"},      // asks a kernel that waits for the host
      {"registered", "3 3 "},  // page-locks memory of the heap
      {"half", "511 0\n"},     // changes a half of what it copies
      {"constants", "3.142 inf 0.785 3.142\n"},
  });
}

TEST_F(HarmlessPrograms, WaitForeverForAHostThatDoesNotAnswer) {
  const cli::ProgramRun endless = run_case("endless");
  EXPECT_EQ(endless.out, "24\n");
  EXPECT_TRUE(contains(endless.err, "DEFECT  endless-wait"));
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

TEST_F(StoppedPrograms, GetAFindingThatAnArgumentMayBeMissing) {
  write("size.cu", R"(#include <cstdio>
#include <cstdlib>
int main(int, char** words) { printf("%d\n", atoi(words[1])); }
)");
  const cli::ProgramRun ran = run({"run", "size.cu"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.err, "follows a null pointer: is it given one, as atoi(argv[1]) is"));
  write("copies.cu", R"(#include <cstring>
int main(int count, char**) {
  int *device, *host = nullptr, number = 0;
  cudaMalloc(&device, 128);
  if (count == 1) cudaMemcpy(host + 4, device, 64, cudaMemcpyDeviceToHost);
  if (count == 2) memcpy(host, &number, sizeof number);
  cudaFree(device);
}
)");
  EXPECT_TRUE(
      contains(run({"run", "copies.cu"}).err,
               "DEFECT  null-pointer\ncudaMemcpy is given a null pointer plus an offset as its destination"));
  EXPECT_TRUE(
      contains(run({"run", "copies.cu", "--", "more"}).err, "follows a null pointer: is it given one?\n"));
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
  EXPECT_TRUE(contains(call.err, "stopped.cu:6: const cudaError_t error"));
  EXPECT_EQ(launch.exit_code, 6) << launch.err;
  EXPECT_TRUE(contains(launch.err, "note  launch-failure"));
}

}  // namespace
}  // namespace gpulab::program::runtime
