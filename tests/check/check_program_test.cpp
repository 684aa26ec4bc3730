#include <gtest/gtest.h>

#include "check/checks.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "text_contains.hpp"

namespace gpulab::check {
namespace {

// A program that does another thing at each size. It is compiled once.
constexpr const char* many_things = R"(
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <unistd.h>

__global__ void nothing() {}

int main(int, char** argv) {
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  switch (std::atoi(argv[1])) {
    case 1: while (true) usleep(1000);
    case 2: while (true) std::puts("again and again and again");
    case 3: std::fprintf(stderr, "something is missing\n"); return 7;
    case 4: std::printf("sum 17\nweighted 1\nlast 1\n"); return 0;
    case 5: std::printf("my own line\n"); return 0;
    case 6: std::ofstream("written-by-a-program"); std::printf("sum %d\n", std::ifstream("written-by-a-program").good() ? 0 : -1); return 0;
    case 7: { std::string word; std::printf("sum %d\n", std::cin >> word ? 1 : 2); return 0; }
    case 9: std::abort();
    case 10: *(volatile int*)nullptr = 1;
    case 11: std::fclose(stdin); std::fclose(stdout); std::fclose(stderr); while (true) sleep(1);
    case 12: std::printf("sum %d\n", std::fopen("/dev/tty", "r") ? 1 : 2); return 0;
  }
}
)";

class CheckProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!simulator::simulator_with("")) GTEST_SKIP() << "there is no compiler";
  }

  static CheckResult checked_at(std::size_t size) {
    for (const Exercise& exercise : all_exercises())
      if (exercise.name == "runtime-api")
        return check_program(exercise, {"my program.cu", many_things},
                             {.time_limit_s = 2, .trial = {.settings = Settings{.size = size}}});
    return {};
  }
};

TEST_F(CheckProgram, StopsAProgramThatDoesNotEnd) {
  EXPECT_EQ(checked_at(1).pattern, "time-limit");
  EXPECT_EQ(checked_at(11).pattern, "time-limit") << "nor answers";
}

TEST_F(CheckProgram, StopsAProgramThatPrintsWithoutEnd) {
  const CheckResult result = checked_at(2);
  EXPECT_EQ(result.pattern, "too-much-output");
  EXPECT_LT(result.printed.size(), 10'000u);
}

TEST_F(CheckProgram, TellsAnExitCodeAndWhatWasSaid) {
  const CheckResult result = checked_at(3);
  EXPECT_EQ(result.pattern, "exit-code");
  EXPECT_EQ(result.printed, "something is missing\n");
}

TEST_F(CheckProgram, ComparesTheNumbersBehindTheirNames) {
  const CheckResult result = checked_at(4);
  EXPECT_EQ(result.pattern, "wrong-output");
  EXPECT_EQ(result.summary, "the program prints \"sum 17\", and right is 60");
  EXPECT_EQ(checked_at(5).pattern, "no-output");
}

TEST_F(CheckProgram, HasNoFileAndNoInput) {
  if (!sandbox::support().is_whole()) GTEST_SKIP() << "this machine cannot confine";
  EXPECT_TRUE(contains(checked_at(6).summary, "\"sum -1\""));
  EXPECT_TRUE(contains(checked_at(7).summary, "\"sum 2\""));
  EXPECT_TRUE(contains(checked_at(12).summary, "\"sum 2\""));
}

TEST_F(CheckProgram, TellsAProgramThatEndsInAnotherWay) {
  EXPECT_EQ(checked_at(9).pattern, "host-crash");
  const CheckResult crashed = checked_at(10);
  EXPECT_EQ(crashed.pattern, "host-crash");
  EXPECT_EQ(crashed.source, "case 10: *(volatile int*)nullptr = 1;");
}

}  // namespace
}  // namespace gpulab::check
