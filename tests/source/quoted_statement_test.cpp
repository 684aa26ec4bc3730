#include "source/quoted_statement.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace {

std::string quote(const std::string& line, const std::string& array, DefectAccess access) {
  const Code code("__global__ void k(float* a, const float* b) {\n  __shared__ float s[32], r[32];\n" + line +
                  "\n}\n");
  const int column = column_of_access(code, 3, array, access);
  return column == 0 ? "" : statement_from(line, column);
}

TEST(QuotedStatement, IsTheOneOfItsLineThatAccessesTheArray) {
  const std::string line = "  s[t] = a[t]; r[t] = s[t + 1]; __syncthreads();";
  EXPECT_EQ(quote(line, "s", DefectAccess::store), "s[t] = a[t];");
  EXPECT_EQ(quote(line, "s", DefectAccess::load), "r[t] = s[t + 1];");
  EXPECT_EQ(quote(line, "r", DefectAccess::store), "r[t] = s[t + 1];");
  EXPECT_EQ(quote(line, "", DefectAccess::load), "s[t] = a[t];");
  EXPECT_EQ(quote("  int i = t; if (i < n) { a[i] = b[i]; }", "", DefectAccess::store), "a[i] = b[i];");
}

TEST(QuotedStatement, IsEmptyWhereTheLineHasOneStatementOrSeveralFit) {
  EXPECT_EQ(quote("  if (t < 9) s[t] = 1;", "s", DefectAccess::store), "");
  EXPECT_EQ(quote("  s[t] = 1; s[t + 1] = 2;", "s", DefectAccess::store), "");
  EXPECT_EQ(quote("  for (int i = 0; i < n; ++i) x += a[i];", "", DefectAccess::load), "");
}

}  // namespace
}  // namespace gpulab::source
