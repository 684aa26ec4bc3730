#pragma once

#include <string>
#include <string_view>
#include <vector>

// The text of kernel files, as far as it is understood without a compiler.

namespace gpulab {

enum class TokenKind { space, comment, directive, string, number, word, symbol };

struct Token {
  TokenKind kind;
  std::string_view text;  // of the source
};

// CUDA C++ cut into tokens, which joined are the source again. Nothing is refused: what ends too early, such
// as a comment that is not closed, runs to the end of the source. Raw string literals are not known.
std::vector<Token> cuda_tokens(std::string_view source);

// The source with blanks in place of comments and of what stands in quotes, so that every other character is
// where it was.
std::string strip_comments(const std::string& source);

// Whether the character can be part of a name or a number.
bool is_word_character(char character);

}  // namespace gpulab
