#include "run/documents.hpp"
#include "text_contains.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/table.hpp"
#include "inspection_fixtures.hpp"

namespace gpulab::run {
namespace {

using fixtures::failed_variant;
using fixtures::inspection_of;
using fixtures::strided_variant;

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(InspectionText, HasATableOfLinesAndSaysTheWorst) {
  EXPECT_EQ(inspection_text(inspection_of({strided_variant()}), {.width = 110}),
            R"(coalescing · 1 024 float32, seed 42 · accesses counted on the simulator

strided · scale in scale.cu · 4 blocks of 256 threads
line  access        requests  sectors  best    used  lanes  source
   8  global load         32        4     4   100 %     32  if (item < size) output[item * 32] = twice(input[…
      global store        32       32     4  12.5 %     32
worst: line 8, global store: each request of a warp touches 32 sectors where 4 would be enough: neighbouring
  threads write addresses 128 bytes apart.

requests: one for each time that a warp runs the line · sectors: 32-byte pieces of global memory for each
  request · best: the fewest that are needed · used: share of the fetched bytes that is used · lanes: active
  lanes of 32
counted at 1 024 of 4 096 work items: more would show the same
)");
}

TEST(InspectionText, StaysWithinTheTerminalsWidth) {
  for (const unsigned width : {40u, 60u, 80u, 133u}) {
    const std::string text = inspection_text(inspection_of({strided_variant()}), {.width = width});
    EXPECT_LE(widest_line(text), width);
    EXPECT_TRUE(contains(text, "\n   8  global load ")) << text;
    EXPECT_TRUE(contains(text, "  if ")) << text;
  }
}

TEST(InspectionText, SaysInOneLineWhyAVariantWasNotCounted) {
  const std::string text =
      inspection_text(inspection_of({strided_variant(), failed_variant()}), {.width = 110});
  EXPECT_TRUE(
      contains(text, "\nbroken · scale in scale.cu\nFAILS TO COMPILE: scale.cu does not compile: line 8"))
      << text;
  VariantInspection stated = failed_variant();
  stated.result.expected = Outcome::fails_to_compile;
  EXPECT_TRUE(
      contains(inspection_text(inspection_of({stated}), {}), "\nas expected: fails to compile: scale.cu"));
}

TEST(InspectionText, SaysSoWhereNothingStandsOut) {
  VariantInspection variant = strided_variant();
  variant.counts.lines.pop_back();
  EXPECT_TRUE(contains(inspection_text(inspection_of({variant}), {}), "worst: no line asks for much more"));
  variant.counts = {};
  EXPECT_TRUE(contains(inspection_text(inspection_of({variant}), {}), "nothing is asked of memory"));
}

TEST(InspectionText, SaysThatARaceIsOnPurpose) {
  VariantInspection variant = strided_variant();
  variant.result.expected = Outcome::race;
  EXPECT_TRUE(contains(inspection_text(inspection_of({variant}), {}), "as expected: its threads race"));
}

TEST(InspectionText, SaysWhichVariantsWereCountedAtAnotherSize) {
  VariantInspection smaller = strided_variant();
  smaller.result.size = 16;
  smaller.problem = "16 float32";
  const std::string text = inspection_text(inspection_of({smaller, strided_variant()}), {.width = 110});
  EXPECT_TRUE(contains(text, "coalescing · 1 024 float32"));
  EXPECT_TRUE(contains(text, "threads · 16 float32\n"));
  EXPECT_TRUE(contains(text, "counted at 1 024 of 4 096"));
}

TEST(AnnotatedText, HasEveryLineOfTheKernelsWithTheNumbersBesideIt) {
  const std::string text = annotated_text(inspection_of({strided_variant()}), {.width = 110}, {.width = 500});
  EXPECT_TRUE(contains(text, "    5  // Neighbours take neighbours.\n")) << text;
  EXPECT_TRUE(contains(text, "     32     8    if (item < size) output[item * 32] = twice(input[item]);\n"))
      << text;
  EXPECT_TRUE(contains(text, "\nglobal store        32       32     4  12.5 %     32\n")) << text;
  EXPECT_FALSE(contains(text, "other()")) << "a kernel that was not run";
  EXPECT_TRUE(contains(text, "worst: line 8, global store"));
}

TEST(AnnotatedText, LeavesOutNumbersBeforeItCutsTheSourceMuch) {
  const std::string text = annotated_text(inspection_of({strided_variant()}), {.width = 80}, {.width = 80});
  EXPECT_LE(widest_line(text), 80u);
  EXPECT_TRUE(contains(text, "  8    if (item < size) output[item * 32] = twice(")) << text;
}

}  // namespace
}  // namespace gpulab::run
