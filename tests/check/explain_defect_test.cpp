#include "check/checks.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

Defect defect(DefectKind kind, DefectAccess access = DefectAccess::load) {
  Defect made;
  made.kind = kind;
  made.party.access = access;
  return made;
}

TEST(DefectPatterns, TellWhatACompilerAsksFor) {
  const std::string text = "const int i = blockIdx.x + threadIdx;\nC[i] = 1\nfloat_sums[threadIdx] = sum;\n";
  const auto pattern = [&](int line, const std::string& complaint) {
    return pattern_of_refusal({.kind = DefectKind::does_not_compile, .line = line, .complaint = complaint},
                              text);
  };
  EXPECT_EQ(pattern(1, "no match for 'operator+' (operand types are 'unsigned int' and 'const uint3')"),
            "component-missing");
  EXPECT_EQ(pattern(3, "no match for 'operator[]' (operand types are 'float [256]' and 'const uint3')"),
            "component-missing");
  EXPECT_EQ(pattern(2, "expected ';' before '}' token"), "missing-semicolon");
  EXPECT_EQ(pattern(2, "expected ',' or ';' before 'if'"), "missing-semicolon");
  EXPECT_EQ(pattern(2, "expected '}' at end of input"), "missing-bracket");
  EXPECT_EQ(pattern(2, "'C' was not declared in this scope"), "unknown-name");
  EXPECT_EQ(pattern(2, "identifier \"C\" is undefined"), "unknown-name");
  EXPECT_EQ(pattern(2, "invalid types 'float*[const float]' for array subscript"), "wrong-subscript");
  EXPECT_EQ(pattern(2, "assignment of read-only location '*(A + 4)'"), "stores-to-const");
  EXPECT_EQ(pattern(2, "sum is used before it has a value"), "unset-variable");
  EXPECT_EQ(pattern(2, "'k' does not name a type"), "does-not-compile");
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

// Returns a race of two threads of block 0 in that line of the text.
Defect race_in(DefectKind kind, int line, DefectAccess access, DefectAccess other) {
  Defect race{.kind = kind};
  race.party = {.line = line, .access = access, .place = DefectThread{{0, 0, 0}, {3, 0, 0}}};
  race.other = Defect::Party{.line = line, .access = other, .place = DefectThread{{0, 0, 0}, {5, 0, 0}}};
  return race;
}

RaceInSource of_two_stores(const std::string& line) {
  return race_in_source(race_in(DefectKind::global_race, 1, DefectAccess::store, DefectAccess::store), line);
}

RaceInSource of_a_load_and_a_store(const std::string& text, int line) {
  return race_in_source(race_in(DefectKind::shared_race, line, DefectAccess::load, DefectAccess::store),
                        text);
}

TEST(RaceInSource, IsAnUpdateHoweverItIsWritten) {
  for (const char* line : {"counts[input[item]] += 1;", "++counts[bin];", "counts[bin]--;", "*sum += value;",
                           "counts[bin] = counts[bin] + 1;", "if (threadIdx.x < 5) d[0] += x[i];",
                           "for (;;) sums[i % 2] = sums[i % 2] - x[i];"})
    EXPECT_EQ(of_two_stores(line).pattern, "race-global-update") << line;
}

TEST(RaceInSource, IsNoUpdateWhereNothingIsAdded) {
  for (const char* line : {"*p++ = A[i] * B[i];", "C[i / 2] = A[i] * B[i];", "C[i] = C[i + 1] + 1;",
                           "a[t] += a[t + s];", "if (a[i] == a[i] + 1) b[0] = 1;"})
    EXPECT_EQ(of_two_stores(line).pattern, nothing) << line;
}

TEST(RaceInSource, MayBeOfTwoRoundsOfALoopWithoutABarrier) {
  const std::string tree = "void f() {\n  for (int s = 64; s > 0; s /= 2)\n    a[t] += a[t + s];\n}\n";
  EXPECT_EQ(of_a_load_and_a_store(tree, 3).remark,
            "consistent with two rounds of the loop in line 2, with no barrier between them");
}

TEST(RaceInSource, IsNotSaidToBeOfTwoRoundsWhereABarrierMayBe) {
  const std::string calls =
      "__device__ void wait() { __syncthreads(); }\n"
      "void f() {\n  for (int s = 64; s >= 0; s /= 2) {\n    wait();\n    a[t] += a[t + s];\n  }\n}\n";
  EXPECT_EQ(of_a_load_and_a_store(calls, 5).remark, nothing);
}

TEST(RaceInSource, IsNotSaidToBeOfTwoRoundsBehindALoop) {
  const std::string behind =
      "void f() {\n  for (int k = 0; k < 2; ++k)\n#pragma unroll\n    for (int l = 0; l < 2; ++l) {\n"
      "      s += l;\n    }\n  a[t / 2] = a[t] * s;\n}\n";
  EXPECT_EQ(of_a_load_and_a_store(behind, 7).remark, nothing);
}

const device::KernelSource source{"mine.cu", "one\n    two\n\tthree\n\nfive\n"};

CheckResult placed(CheckResult result) {
  find_places(source, result);
  return result;
}

CheckResult refused(int line, const std::string& log) {
  return placed({.verdict = Verdict::does_not_compile,
                 .pattern = "does-not-compile",
                 .line = line,
                 .compiler_log = log});
}

TEST(FindPlaces, BeginsWhereTheTextOfTheLineDoes) {
  EXPECT_EQ(placed({.line = 2}).column, 5);
  EXPECT_EQ(placed({.line = 3}).column, 2);
  EXPECT_EQ(placed({.line = 4}).column, 1) << "an empty line";
  EXPECT_EQ(placed({.line = 0}).column, 1);
  EXPECT_EQ(placed({.line = 99}).column, 1);
  const CheckResult race = placed({.line = 1, .related = {{.line = 2, .text = "the other thread"}}});
  EXPECT_EQ(race.related[0].column, 5);
  EXPECT_EQ(race.related[0].source, "two");
}

TEST(FindPlaces, KeepsTheCompilersColumnsAndItsFurtherErrors) {
  const CheckResult result = refused(
      2, "mine.cu:2:7: error: a\nmine.cu:3:9: note: b\nmine.cu:5:2: error: c\nmine.cu:5:2: warning: d\n");
  EXPECT_EQ(result.column, 7);
  ASSERT_EQ(result.related.size(), 2u);
  EXPECT_EQ(result.related[0].text, "b");
  EXPECT_EQ(result.related[0].pattern, "") << "a note belongs to the error before it";
  EXPECT_EQ(result.related[1].line, 5);
  EXPECT_EQ(result.related[1].column, 2);
  EXPECT_EQ(result.related[1].pattern, "does-not-compile");
}

TEST(FindPlaces, TakesTheTextOfTheLineWhereNvrtcTellsNoColumn) {
  EXPECT_EQ(refused(2, "mine.cu(2): error: a\n").column, 5);
}

TEST(FindPlaces, EndsALongListOfErrors) {
  std::string log;
  for (int i = 1; i < 100; ++i)
    log += "mine.cu:1:" + std::to_string(i) + ": error: " + std::to_string(i) + "\n";
  EXPECT_EQ(refused(1, log).related.size(), 20u);
}

}  // namespace
}  // namespace gpulab::check
