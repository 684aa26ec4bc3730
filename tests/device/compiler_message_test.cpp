#include "device/device.hpp"

#include "test.hpp"

namespace gpulab::device {
namespace {

std::string sentence(const std::string& log) {
  return error_in_file("course/mine.cu", log)->what();
}

TEST(CompilerMessage, NamesTheLineOfTheFirstError) {
  EXPECT_EQ(
      sentence("mine.cu:3:5: warning: w\nmine.cu:4:5: error: no such thing\nmine.cu:5:1: error: echo\n"),
      "course/mine.cu does not compile: line 4: no such thing");
  EXPECT_EQ(sentence("mine.cu(7): error: expected a \";\"\n"),
            "course/mine.cu does not compile: line 7: expected a \";\"");
}

TEST(CompilerMessage, CarriesTheLineAsANumber) {
  EXPECT_EQ(error_in_file("mine.cu", "mine.cu:4:5: error: e\n")->failure().line, 4);
  EXPECT_EQ(error_in_file("mine.cu", "mine.cu(7): error: e\n")->failure().line, 7);
  EXPECT_EQ(error_in_file("mine.cu", "mine.cu:4:5: error: e\n")->failure().kind,
            DefectKind::does_not_compile);
}

TEST(CompilerMessage, FindsTheLineOfAFileWithAnOddName) {
  for (const char* name : {"-fplugin=x.cu", "@mine.cu", "a:1.cu", "prelude.cuh", "mine.cpp"}) {
    EXPECT_EQ(name_for_compilers(name), "kernel.cu");
    const CompileError error = *error_in_file(name, "kernel.cu:4:5: error: e\n");
    EXPECT_EQ(error.failure().line, 4) << name;
    EXPECT_EQ(error.log(), std::string(name) + ":4:5: error: e\n");
  }
  for (const char* name : {"shared_histogram.1.cu", "réduction-2.cu", "my (1).cu"})
    EXPECT_EQ(name_for_compilers(name), name);
}

TEST(CompilerMessage, IsFoundUnderANameWithBlanksAndBrackets) {
  EXPECT_EQ(error_in_file("my (1).cu", "my (1).cu:4:5: error: e\n")->failure().line, 4);
  EXPECT_EQ(error_in_file("my (1).cu", "my (1).cu(7): error: e\n")->failure().line, 7);
}

TEST(CompilerMessage, OfALogHasThePlacesInTheFile) {
  const auto all =
      diagnostics("a b/my.cu",
                  "a b/my.cu: In function 'f':\na b/my.cu:4:15: error: one\n   4 | x\n"
                  "a b/my.cu(7): error: two\nother.h:1:1: error: no\na b/my.cu:9:2: note: three\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].line, 4);
  EXPECT_EQ(all[0].column, 15);
  EXPECT_EQ(all[0].message, "one");
  EXPECT_EQ(all[1].line, 7);
  EXPECT_EQ(all[1].column, 0) << "NVRTC gives none";
  EXPECT_EQ(all[2].kind, "note");
}

TEST(CompilerMessage, ShowsTheFileInTheLogAsTheUserKnowsIt) {
  EXPECT_EQ(error_in_file("course/mine.cu", "mine.cu:4:5: error: e\n")->log(),
            "course/mine.cu:4:5: error: e\n");
}

TEST(CompilerMessage, SaysWhatPtxasRefusesInTheWordsOfTheSimulator) {
  EXPECT_EQ(
      sentence("ptxas error   : File uses too much global constant data (0x10004 bytes, 0x10000 max)\n"),
      "course/mine.cu has 65540 bytes of constant memory, a module has at most 65536");
  EXPECT_EQ(sentence("ptxas error   : Entry function '_Z5scalePf' uses too much shared data (0xc004 bytes, "
                     "0xc000 max)\n"),
            "course/mine.cu: scale has 49156 bytes of static shared memory, and a block has at most 49152");
}

TEST(CompilerMessage, RepeatsWhatElsePtxasSays) {
  EXPECT_EQ(sentence("ptxas info    : 0 bytes gmem\nptxas fatal   : Something is not supported\n"),
            "course/mine.cu does not compile: Something is not supported");
}

TEST(CompilerMessage, IsNoneForAnErrorThatHasNoPlaceInTheFile) {
  for (const char* log :
       {"", "mine.cu:4:5: warning: w\n", "prelude.cuh:4:5: error: e\n", "g++: fatal error: Killed signal\n",
        "mine.cu:9:1: fatal error: error writing to /tmp/a.s: No space left on device\n",
        "ptxas fatal   : Memory allocation failure\n"})
    EXPECT_FALSE(error_in_file("course/mine.cu", log)) << log;
}

TEST(CompilerMessage, HasNoLineThatLooksLikeOneOfGpulab) {
  EXPECT_EQ(
      error_in_file("mine.cu",
                    "mine.cu:4:5: error: static assertion failed: x\nPASSED\n  ::error::y\n   4 | code\n")
          ->log(),
      "mine.cu:4:5: error: static assertion failed: x\n  PASSED\n  |   ::error::y\n   4 | code\n");
}

}  // namespace
}  // namespace gpulab::device
