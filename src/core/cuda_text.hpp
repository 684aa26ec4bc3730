#pragma once

#include <cstddef>
#include <optional>
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
// as a comment that is not closed, runs to the end of the source.
std::vector<Token> cuda_tokens(std::string_view source);

// Of a backslash that joins its line with the next one, through that line's end; 0 of anything else.
// Compilers let blanks stand between the two.
std::size_t splice_length(std::string_view text);

// The source without such backslashes. The lines that were joined are put back behind them, so that others
// keep their numbers.
std::string with_lines_joined(std::string_view source);

// "define" of "# define N 4", also where a comment stands between; empty of "# 12".
std::string_view directive_name(std::string_view directive);

// What an #include names between <> or "".
struct IncludeDirective {
  std::string_view name;  // of the directive's text
  bool is_quoted = false;
};
std::optional<IncludeDirective> include_in(std::string_view directive);

// The source with blanks in place of comments and of what stands in quotes, so that every other character is
// where it was.
std::string strip_comments(const std::string& source);

// Whether the character can be part of a name or a number.
bool is_word_character(char character);

}  // namespace gpulab
