#include "source/cuda_text.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace cuda_text_test {

std::vector<std::string> tokens_of_kind(std::string_view source, source::TokenKind kind) {
  std::vector<std::string> texts;
  for (const source::Token& token : source::cuda_tokens(source))
    if (token.kind == kind) texts.emplace_back(token.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(CudaTokens, JoinToTheSourceAgain) {
  for (const std::string source :
       {"int a = 1; // b\n#if X\n\"c\\\"\" /* d */ 'e'", "/* open", "\"open\nint", "\\", ""}) {
    std::string joined;
    for (const source::Token& token : source::cuda_tokens(source)) joined += token.text;
    EXPECT_EQ(joined, source);
  }
}

TEST(CudaTokens, KnowNumbersWithSeparatorsSuffixesAndExponents) {
  EXPECT_EQ(tokens_of_kind("1'000u + 0x1Fp-3 - .5f * 2.5e+3 + 0xE+1 a1", source::TokenKind::number),
            (Texts{"1'000u", "0x1Fp-3", ".5f", "2.5e+3", "0xE", "1"}));
}

TEST(CudaTokens, EndCommentsWhereTheyEnd) {
  EXPECT_EQ(tokens_of_kind("a // b\nc /* d\n */ e /* f", source::TokenKind::comment),
            (Texts{"// b", "/* d\n */", "/* f"}));
}

TEST(CudaTokens, KnowEscapesInStrings) {
  EXPECT_EQ(tokens_of_kind(R"(f("a\"b", '\'', "\\") )", source::TokenKind::string),
            (Texts{R"("a\"b")", R"('\'')", R"("\\")"}));
}

TEST(CudaTokens, AreDirectivesOnlyAtTheBeginningOfALine) {
  EXPECT_EQ(tokens_of_kind("  #define A \\\n  b\na # b", source::TokenKind::directive),
            (Texts{"#define A \\\n  b"}));
}

TEST(CudaTokens, KnowCommentsAndStringsInEachOther) {
  const std::string code = "int a; // b\nc /* \"d\n e */ f(\"// g\");";
  EXPECT_EQ(tokens_of_kind(code, source::TokenKind::comment), (Texts{"// b", "/* \"d\n e */"}));
  EXPECT_EQ(tokens_of_kind(code, source::TokenKind::string), (Texts{"\"// g\""}));
  EXPECT_EQ(tokens_of_kind("1'000 + 'x' + '\\''", source::TokenKind::string), (Texts{"'x'", "'\\''"}));
}

TEST(CudaText, JoinsLinesAsCompilersDo) {
  EXPECT_EQ(source::with_lines_joined("a\\\nb\\ \t\nc\nd"), "abc\n\n\nd");
  EXPECT_EQ(tokens_of_kind("// x \\ \ny\nz", source::TokenKind::comment), (Texts{"// x \\ \ny"}));
  EXPECT_EQ(tokens_of_kind("\"x\\ \ny\" z", source::TokenKind::string), (Texts{"\"x\\ \ny\""}));
}

TEST(CudaText, KnowsRawStrings) {
  EXPECT_EQ(tokens_of_kind("R\"x(\")x\" asm", source::TokenKind::string), (Texts{"R\"x(\")x\""}));
  EXPECT_EQ(tokens_of_kind("u8R\"(/*)\" asm", source::TokenKind::string), (Texts{"u8R\"(/*)\""}));
}

TEST(CudaText, CountsACommentToTheDirectiveThatItBeginsIn) {
  const auto tokens = source::cuda_tokens("#pragma x /*\n*/ y\nz");
  EXPECT_EQ(tokens.front().text, "#pragma x /*\n*/ y");
  EXPECT_EQ(source::cuda_tokens("/* */ #define A").back().kind, source::TokenKind::directive);
  EXPECT_EQ(source::directive_name("# /* */ define A"), "define");
}

}  // namespace cuda_text_test
}  // namespace gpulab::source
