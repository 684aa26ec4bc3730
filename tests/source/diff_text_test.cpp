#include "source/diff.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/table.hpp"

namespace gpulab::source {
namespace {

const NamedSource yours{"mine.cu", "void f() {\n  same();\n  old();\n  gone();\n}\n"};
const NamedSource theirs{"the course's", "void f() {\n  same();\n  fresh();\n}\n// end\n"};

TEST(DiffText, StandsSideBySide) {
  EXPECT_EQ(side_by_side(yours, theirs, {.width = 43}),
            R"(mine.cu                the course's
void f() {             void f() {
  same();                same();
  old();             |   fresh();
  gone();            <
}                      }
                     > // end
)");
}

TEST(DiffText, GoesOnBelowWhereAColumnIsNarrow) {
  const NamedSource wide{"wide", "\t" + std::string(60, 'x') + " " + std::string(60, 'y') + "\n"};
  for (const unsigned width : {40u, 100u}) {
    std::istringstream lines(side_by_side(wide, theirs, {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(DiffText, IsAUnifiedDiffBelowEachOther) {
  EXPECT_EQ(unified_diff(yours, theirs, {}),
            "--- mine.cu\n+++ the course's\n@@ -1,5 +1,5 @@\n"
            " void f() {\n   same();\n-  old();\n-  gone();\n+  fresh();\n }\n+// end\n");
  EXPECT_EQ(unified_diff({"a", ""}, {"b", "x\n"}, {}), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
}

TEST(DiffText, HasColourOnlyWhereItIsWanted) {
  EXPECT_EQ(side_by_side(yours, theirs, {.width = 100}).find('\x1b'), std::string::npos);
  EXPECT_NE(side_by_side(yours, theirs, {.colour = true, .width = 100}).find('\x1b'), std::string::npos);
  EXPECT_NE(unified_diff(yours, theirs, {.colour = true}).find("\x1b[32m+  fresh();"), std::string::npos);
}

}  // namespace
}  // namespace gpulab::source
