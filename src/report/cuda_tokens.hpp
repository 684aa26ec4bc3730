#pragma once

#include <string_view>
#include <vector>

namespace gpulab {

enum class TokenKind { space, comment, directive, string, number, word, symbol };

struct Token {
  TokenKind kind;
  std::string_view text;  // of the source
};

// CUDA C++ cut into tokens, which joined are the source again. Nothing is refused: what ends too early, such
// as a comment that is not closed, runs to the end of the source. Raw string literals are not known.
std::vector<Token> cuda_tokens(std::string_view source);

}  // namespace gpulab
