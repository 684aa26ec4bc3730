#include "source/diff.hpp"

#include "base/table.hpp"
#include "base/text.hpp"
#include "test.hpp"

namespace gpulab::source {
namespace {

using Lines = std::vector<std::string>;

// Returns a mark for each row: " " for a line of both, "-" for one of the left, "+" for one of the right.
std::string marks(const Lines& left, const Lines& right) {
  std::string text;
  for (const DiffRow& row : line_diff(left, right)) text += row.is_same() ? ' ' : row.left ? '-' : '+';
  return text;
}

TEST(LineDiff, MarksLinesOfBothAndOfOneSide) {
  EXPECT_EQ(marks({"a", "b"}, {"a", "b"}), "  ");
  EXPECT_EQ(marks({}, {}), "");
  EXPECT_EQ(marks({"a"}, {}), "-");
  EXPECT_EQ(marks({}, {"a"}), "+");
}

TEST(LineDiff, FindsTheLongestCommonSubsequence) {
  EXPECT_EQ(marks({"a", "b", "c", "d"}, {"a", "c", "x", "d"}), " - + ");
  EXPECT_EQ(marks({"x", "a", "b", "c"}, {"a", "b", "c", "x"}), "-   +");
  EXPECT_EQ(marks({"a", "b"}, {"c", "d"}), "--++");
  EXPECT_EQ(marks({"{", "a", "}"}, {"{", "b", "}", "{", "a", "}"}), " +++  ");
}

TEST(LineDiff, GivesBothTextsBack) {
  const Lines left{"a", "b", "a", "c", "", "b"}, right{"b", "a", "", "b", "c"};
  Lines lefts, rights;
  for (const DiffRow& row : line_diff(left, right)) {
    if (row.left) lefts.push_back(*row.left);
    if (row.right) rights.push_back(*row.right);
  }
  EXPECT_EQ(lefts, left);
  EXPECT_EQ(rights, right);
}

TEST(LineDiff, IsFastForTextsOfManyLines) {
  Lines left(100'000, "same"), right(100'000, "same");
  for (int i = 0; i < 50'000; ++i) left[50 + i] = "left", right[50 + i] = "right";
  EXPECT_EQ(line_diff(left, right).size(), 150'000u);
}

TEST(LineDiff, SplitsTextsIntoLines) {
  EXPECT_EQ(lines_of("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\r\nb\r\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(""), Lines{});
}

const NamedSource yours{"mine.cu", "void f() {\n  same();\n  old();\n  gone();\n}\n"};
const NamedSource theirs{"the course's", "void f() {\n  same();\n  fresh();\n}\n// end\n"};

TEST(DiffText, StandsSideBySide) {
  EXPECT_EQ(side_by_side(yours, theirs, {.width = 43}),
            R"(mine.cu                the course's
void f() {             void f() {
  same();                same();
  old();             <
  gone();            <
                     >   fresh();
}                      }
                     > // end
)");
}

TEST(DiffText, WrapsLinesWhereAColumnIsNarrow) {
  const NamedSource wide{"wide", "\t" + std::string(60, 'x') + " " + std::string(60, 'y') + "\n"};
  for (const unsigned width : {40u, 100u}) {
    std::istringstream lines(side_by_side(wide, theirs, {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(DiffText, LetsAWideCommentFlowInItsColumn) {
  const NamedSource words{"words", "  // one two three four five six\n  // seven\n\n// eight\n//  a table\n"};
  EXPECT_EQ(side_by_side({"none", ""}, words, {.width = 43}),
            R"(none                   words
                     >   // one two three
                         // four five six
                         // seven
                     >
                     > // eight
                     > //  a table
)");
}

TEST(DiffText, IsAUnifiedDiff) {
  EXPECT_EQ(unified_diff(yours, theirs, {}),
            "--- mine.cu\n+++ the course's\n@@ -1,5 +1,5 @@\n"
            " void f() {\n   same();\n-  old();\n-  gone();\n+  fresh();\n }\n+// end\n");
  EXPECT_EQ(unified_diff({"a", ""}, {"b", "x\n"}, {}), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
}

TEST(DiffText, WrapsALongLineBetweenItsWords) {
  const std::string line = "  const int a_column = first + threadIdx.x, b_row = first;";
  EXPECT_EQ(
      unified_diff({"a", ""}, {"b", line + "\n// words of a comment that is far too long for this\n"},
                   {.width = 40}),
      "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+  const int a_column = first +\n+      threadIdx.x, b_row = first;\n"
      "+// words of a comment that is far too\n+// long for this\n");
  EXPECT_EQ(unified_diff({"a", ""}, {"b", line}, {}), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+" + line + "\n");
}

TEST(DiffText, HasColourOnlyWhereItIsWanted) {
  EXPECT_EQ(side_by_side(yours, theirs, {.width = 100}).find('\x1b'), std::string::npos);
  EXPECT_NE(side_by_side(yours, theirs, {.colour = true, .width = 100}).find('\x1b'), std::string::npos);
  EXPECT_TRUE(contains(unified_diff(yours, theirs, {.colour = true}), "\x1b[32m+  fresh();"));
}

const std::string two_kernels = R"(// formula

__device__ int twice(int x) { return 2 * x; }

// Plain.
__global__ void plain(int* out) {
  out[0] = twice(1);
}

__global__ void guarded(int* out, int size) {
  if (size > 0)
    out[0] = twice(1);
}
)";

VariantSource variant_source(const std::string& name, const std::string& text = two_kernels) {
  return {.name = name, .idea = "idea of " + name, .file = "a.cu", .file_text = text, .kernel = name};
}

TEST(VariantDiff, ShowsEachLineWithItsNumberInTheFile) {
  EXPECT_EQ(
      variant_diff(variant_source("plain"), variant_source("guarded"), DiffLayout::below, {.width = 80}),
      R"(- plain: idea of plain
+ guarded: idea of guarded
a.cu   - only in plain   + only in guarded

   3    3   __device__ int twice(int x) { return 2 * x; }

   5      - // Plain.
   6      - __global__ void plain(int* out) {
   7      -   out[0] = twice(1);
       10 + __global__ void guarded(int* out, int size) {
       11 +   if (size > 0)
       12 +     out[0] = twice(1);
   8   13   }
)");
}

TEST(VariantDiff, PutsWhatReplacesALineBesideIt) {
  EXPECT_EQ(variant_diff(variant_source("plain"), variant_source("guarded"), DiffLayout::side_by_side,
                         {.width = 111}),
            R"(- plain: idea of plain
+ guarded: idea of guarded
a.cu   ~ changed   - only in plain   + only in guarded

   3 __device__ int twice(int x) { return 2 * x; }          3 __device__ int twice(int x) { return 2 * x; }

   5 // Plain.                                         -
   6 __global__ void plain(int* out) {                 ~   10 __global__ void guarded(int* out, int size) {
                                                       +   11   if (size > 0)
   7   out[0] = twice(1);                              ~   12     out[0] = twice(1);
   8 }                                                     13 }
)");
}

TEST(VariantDiff, LeavesOutWhatIsFarFromADifference) {
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += "  out[" + std::to_string(i) + "] = 0;\n";
  const std::string text = "__global__ void a(int* out) {\n" + lines +
                           "}\n\n__global__ void b(int* out) {\n" + lines + "  out[60] = 1;\n}\n";
  const std::string diff =
      variant_diff(variant_source("a", text), variant_source("b", text), DiffLayout::below, {});
  EXPECT_TRUE(
      contains(diff, "   4   67     out[2] = 0;\n     … 54 lines are the same\n  59  122     out[57]"));
  EXPECT_TRUE(contains(diff, "      125 +   out[60] = 1;\n"));
}

TEST(VariantDiff, SaysWhenOnlyTheLaunchDiffers) {
  VariantSource again = variant_source("plain");
  again.name = "two-blocks";
  const std::string diff = variant_diff(variant_source("plain"), again, DiffLayout::below, {});
  EXPECT_TRUE(contains(diff, "Both run the kernel plain of a.cu; they differ in how it is launched."));
}

TEST(VariantDiff, NamesBothFilesAndKeepsEscapesFromTheTerminal) {
  VariantSource other = variant_source("guarded", two_kernels + "// \x1b[2J\x07");
  other.file_text.insert(other.file_text.find("if (size"), "\x1b[2J");
  other.file = "b.cu";
  const std::string diff = variant_diff(variant_source("plain"), other, DiffLayout::below, {});
  EXPECT_TRUE(contains(diff, "a.cu and b.cu   -"));
  EXPECT_EQ(diff.find('\x1b'), std::string::npos);
}

TEST(VariantDiff, StaysWithinTheWidth) {
  for (const unsigned width : {40u, 80u, 119u})
    for (const DiffLayout layout : {DiffLayout::below, DiffLayout::side_by_side}) {
      const std::string diff =
          variant_diff(variant_source("plain"), variant_source("guarded"), layout, {.width = width});
      for (const std::string& line : lines_of(diff)) EXPECT_LE(display_width(line), width) << line;
    }
}

}  // namespace
}  // namespace gpulab::source
