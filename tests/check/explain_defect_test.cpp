#include <fmt/format.h>

#include "check/judging.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

Defect defect(DefectKind kind, DefectAccess access = DefectAccess::load) {
  Defect made;
  made.kind = kind;
  made.party.access = access;
  return made;
}

TEST(DefectPatterns, NameReadsAndWritesApart) {
  EXPECT_EQ(pattern_of(defect(DefectKind::out_of_bounds, DefectAccess::load)), "out-of-bounds-read");
  EXPECT_EQ(pattern_of(defect(DefectKind::out_of_bounds, DefectAccess::store)), "out-of-bounds-write");
  EXPECT_EQ(pattern_of(defect(DefectKind::shared_race)), "race-shared");
}

TEST(DefectPatterns, SayThatDynamicSharedMemoryIsTooSmallIfItIsOverrun) {
  Defect overrun = defect(DefectKind::shared_out_of_bounds, DefectAccess::store);
  overrun.memory.variable = "extern __shared__";
  EXPECT_EQ(pattern_of(overrun), "not-enough-shared");
  overrun.memory.variable = "tile";
  EXPECT_EQ(pattern_of(overrun), "out-of-bounds-write");
}

TEST(DefectPatterns, NameWhyAKernelWasRefusedOrStopped) {
  EXPECT_EQ(name_of(DefectKind::missing_kernel), "missing-kernel");
  EXPECT_EQ(name_of(DefectKind::time_limit), "time-limit");
  EXPECT_EQ(name_of(DefectKind::stack_overflow), "stack-overflow");
  EXPECT_EQ(name_of(DefectKind::other), "kernel-failure");
}

constexpr const char* nothing = "";

// Returns a race between threads 3 and 5 of block 0, both in the given line.
Defect race_in(DefectKind kind, int line, DefectAccess access, DefectAccess other) {
  Defect race{.kind = kind};
  race.party = {.line = line, .access = access, .place = DefectThread{{0, 0, 0}, {3, 0, 0}}};
  race.other = Defect::Party{.line = line, .access = other, .place = DefectThread{{0, 0, 0}, {5, 0, 0}}};
  return race;
}

RaceInSource race_of_two_stores(const std::string& line) {
  return race_in_source(race_in(DefectKind::global_race, 1, DefectAccess::store, DefectAccess::store), line);
}

RaceInSource race_of_load_and_store(const std::string& text, int line) {
  return race_in_source(race_in(DefectKind::shared_race, line, DefectAccess::load, DefectAccess::store),
                        text);
}

TEST(RaceInSource, IsAnUpdateHoweverItIsWritten) {
  for (const char* line : {"counts[input[item]] += 1;", "++counts[bin];", "counts[bin]--;", "*sum += value;",
                           "counts[bin] = counts[bin] + 1;", "if (threadIdx.x < 5) d[0] += x[i];",
                           "for (;;) sums[i % 2] = sums[i % 2] - x[i];"})
    EXPECT_EQ(race_of_two_stores(line).pattern, "race-global-update") << line;
}

TEST(RaceInSource, IsNoUpdateWhereNothingIsAdded) {
  for (const char* line : {"*p++ = A[i] * B[i];", "C[i / 2] = A[i] * B[i];", "C[i] = C[i + 1] + 1;",
                           "a[t] += a[t + s];", "if (a[i] == a[i] + 1) b[0] = 1;"})
    EXPECT_EQ(race_of_two_stores(line).pattern, nothing) << line;
}

TEST(RaceInSource, AsksWhichThreadOfTheBlockShouldStore) {
  for (const char* line : {"partials[blockIdx.x] = sums[threadIdx.x];", "total[0] = sums[0];",
                           "__global__ void f() { int b = blockIdx.x / 2; total[b] = sums[0]; }"})
    EXPECT_TRUE(contains(race_of_two_stores(line).remark, "which thread of the block should store")) << line;
  for (const char* line :
       {"__global__ void f() { int t = threadIdx.x / 2; total[t] = 1; }", "total[bins[blockIdx.x]] = 1;",
        "__global__ void f() { int i = 0; i += threadIdx.x / 2; total[i] = 1; }"})
    EXPECT_EQ(race_of_two_stores(line).remark, nothing) << line;
}

TEST(RaceInSource, AsksWhetherBlocksShouldAdd) {
  Defect race = race_in(DefectKind::global_race, 1, DefectAccess::store, DefectAccess::store);
  race.other->place->block = {1, 0, 0};
  for (const char* line :
       {"output[threadIdx.x] = counts[threadIdx.x];",
        "__global__ void f() { for (int b = threadIdx.x; b < 256; b += blockDim.x) output[b] = counts[b]; }"})
    EXPECT_TRUE(contains(race_in_source(race, line).remark, "should they add, with atomicAdd()")) << line;
  EXPECT_EQ(race_in_source(race, "output[blockIdx.x / 2] = 1;").remark, nothing);
}

TEST(RaceInSource, MayBeOfTwoIterationsOfALoopWithoutABarrier) {
  const std::string tree = "void f() {\n  for (int s = 64; s > 0; s /= 2)\n    a[t] += a[t + s];\n}\n";
  EXPECT_EQ(race_of_load_and_store(tree, 3).remark,
            "consistent with two iterations of the loop in line 2, with no barrier between them");
}

TEST(RaceInSource, IsNotSaidToBeOfTwoIterationsWhereABarrierMayBe) {
  const std::string calls =
      "__device__ void wait() { __syncthreads(); }\n"
      "void f() {\n  for (int s = 64; s >= 0; s /= 2) {\n    wait();\n    a[t] += a[t + s];\n  }\n}\n";
  EXPECT_EQ(race_of_load_and_store(calls, 5).remark, nothing);
}

TEST(RaceInSource, IsNotSaidToBeOfTwoIterationsAfterALoop) {
  const std::string behind =
      "void f() {\n  for (int k = 0; k < 2; ++k)\n#pragma unroll\n    for (int l = 0; l < 2; ++l) {\n"
      "      s += l;\n    }\n  a[t / 2] = a[t] * s;\n}\n";
  EXPECT_FALSE(contains(race_of_load_and_store(behind, 7).remark, "two iterations"));
}

TEST(RaceInSource, InOneLineIsNotMendedByABarrier) {
  const std::string tree =
      "void f() {\n  for (int s = 64; s > 0; s /= 2) {\n    a[t] += a[t + s];\n    __syncthreads();\n  }\n}\n";
  EXPECT_TRUE(
      contains(race_of_load_and_store(tree, 3).remark, "no condition keeps the threads from s on away"));
  EXPECT_EQ(race_of_load_and_store(tree, 3).pattern, "race-shared-line");
  for (const char* condition : {"t % s == 0", "t <= s", "t < s"}) {
    const std::string with_if =
        std::string(tree).replace(tree.find("a[t]"), 0, fmt::format("if ({}) ", condition));
    EXPECT_TRUE(contains(race_of_load_and_store(with_if, 3).remark,
                         fmt::format("both threads pass 'if ({})', and one reads as a[t + s]", condition)));
  }
  const std::string mirror = "void f() {\n  a[t] = a[63 - t];\n}\n";
  EXPECT_TRUE(contains(race_of_load_and_store(mirror, 2).remark, "no barrier can stand"));
  EXPECT_EQ(race_of_load_and_store("void f() {\n  v[t] += v[t + 2]; v[t] += v[t + 1];\n}\n", 2).pattern, "")
      << "one statement after the other";
  const std::string guarded = std::string(tree).replace(tree.find("__sync"), 0, "if (s > 8) ");
  EXPECT_EQ(race_of_load_and_store(guarded, 3).remark, nothing) << "perhaps of two iterations";
}

}  // namespace
}  // namespace gpulab::check
