#include "source/code.hpp"

#include "source/device_code.hpp"
#include "test.hpp"

namespace gpulab::source {
namespace {

TEST(Code, LeavesOutBlanksAndCommentsAndKnowsEachLine) {
  const Code code("// a\nint b /* c\n */;\n#pragma d");
  ASSERT_EQ(code.size(), 4);
  EXPECT_EQ(code.text(1), "b");
  EXPECT_EQ(code[1].line, 2);
  EXPECT_EQ(code[2].line, 3);
  EXPECT_EQ(code[3].kind, TokenKind::directive);
  EXPECT_EQ(code.text(4), "");
  EXPECT_EQ(code.whole().substr(code.begin_of(1), 1), "b");
}

TEST(Code, FindsTheOtherBracket) {
  const Code code("f<T>(a[1], { b < c }); p->q");
  EXPECT_EQ(code.text(code.matching(1)), ">");
  EXPECT_EQ(code.matching(code.matching(1)), 1);
  EXPECT_EQ(code.text(code.after_bracket(4)), ";");
  EXPECT_EQ(Code("b < c; d > e").matching(1), 7);  // no matching bracket
  EXPECT_EQ(Code("( [ )").matching(0), 2);         // brackets of another kind do not matter
  EXPECT_EQ(Code("#if A\nf(\n#else\ng(\n#endif\na)").matching(5), 8);
}

TEST(Code, TakesBracketsOfAnyDepth) {
  constexpr std::size_t deep = 100'000;
  const Code code(std::string(deep, '(') + std::string(deep, ')'));
  EXPECT_EQ(code.matching(0), 2 * deep - 1);
  EXPECT_FALSE(refused_in_text(Code(std::string(deep, '{'))));
}

TEST(Code, LeavesAnExtraBracketToTheCompiler) {
  EXPECT_FALSE(refused_in_text(
      "__global__ void f(float* a) {\n  if (a)) a[0] = 1;\n  float b = 2;\n  float c = b;\n}\n"));
}

}  // namespace
}  // namespace gpulab::source
