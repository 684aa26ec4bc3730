#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/cuda_text.hpp"

namespace gpulab::source {

struct CodeToken {
  TokenKind kind = TokenKind::symbol;
  std::string_view text;
  int line = 0;  // of the text, from 1
};

// The tokens from `begin` up to `end`, without the one at `end`.
struct TokenRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

// A CUDA text as a compiler sees it: tokens without blanks and comments, where a directive is one token. All
// readers of CUDA text use it. It takes time proportional to the length of the text, however deeply brackets
// are nested. Copies share the text and its tokens.
class Code {
 public:
  // Implicit, so that functions for code accept text; a caller that needs the tokens again keeps the Code.
  Code(std::string text);  // NOLINT(google-explicit-constructor)
  Code(const char* text);  // NOLINT(google-explicit-constructor)
  // Makes code of the same text with other tokens, such as those without directives.
  Code(const Code& code, std::vector<CodeToken> tokens);
  // Returns a part of the text, such as the words of a directive, with its own tokens. `line` is its first
  // line. Its first token does not begin a line, so a # there is no directive.
  Code part(std::string_view text, int line) const;
  // Returns the code without backslashes that join lines; the other lines keep their numbers.
  Code with_lines_joined() const;

  const std::string& whole() const { return *whole_; }
  std::size_t size() const { return content_->tokens.size(); }
  const std::vector<CodeToken>& tokens() const& { return content_->tokens; }
  const std::vector<CodeToken>& tokens() const&& = delete;  // they do not outlive the code
  const CodeToken& operator[](std::size_t i) const { return content_->tokens[i]; }
  // Returns an empty text past the end.
  std::string_view text(std::size_t i) const { return i < size() ? (*this)[i].text : std::string_view(); }
  bool is_word(std::size_t i) const { return i < size() && (*this)[i].kind == TokenKind::word; }

  // Returns the token's offset in the whole text, in bytes.
  std::size_t begin_of(std::size_t i) const {
    return static_cast<std::size_t>(text(i).data() - whole_->data());
  }
  std::size_t end_of(std::size_t i) const { return begin_of(i) + text(i).size(); }

  // Returns the text of the tokens from begin up to end, without the token at end.
  std::string text_between(std::size_t begin, std::size_t end) const {
    return begin < end ? whole_->substr(begin_of(begin), end_of(end - 1) - begin_of(begin)) : "";
  }
  // Returns the index of the first token in that line or after it.
  std::size_t first_from_line(int line) const;
  // Return the tokens of a line, and of the lines from `first` to `last`.
  TokenRange line(int number) const { return lines(number, number); }
  TokenRange lines(int first, int last) const { return {first_from_line(first), first_from_line(last + 1)}; }
  // Returns whether such a token is among these.
  bool has(std::string_view token, const TokenRange& range) const;

  // Returns the bracket that matches the one at i, or size(). Brackets are (), [], {}, and <> that look like
  // a template's. Unclosed brackets of one kind do not affect other kinds. If an #if and its #else open the
  // same bracket, the code after them closes that of the #else.
  std::size_t matching(std::size_t i) const { return i < size() ? content_->matching[i] : size(); }
  // Returns the bracket that opens the one closed at i; the beginning if there is none.
  std::size_t opening(std::size_t i) const { return matching(i) < size() ? matching(i) : 0; }
  // Returns the index after the bracket that closes the one at i, or size().
  std::size_t after_bracket(std::size_t i) const;
  // Returns the index after the semicolon of the statement that begins or continues at i. Without a
  // semicolon, returns the index of the } that closes its block, or size().
  std::size_t after_statement(std::size_t i) const;

 private:
  struct Content {
    explicit Content(std::vector<CodeToken> tokens);
    std::vector<CodeToken> tokens;
    std::vector<std::size_t> matching;
  };

  std::shared_ptr<const std::string> whole_;
  std::shared_ptr<const Content> content_;
};

// Returns the #include directives in order. Their names are views of the text.
std::vector<IncludeDirective> includes_in(const Code& code);

// Returns a { that nothing closes; code.size() if there is none. If a } is less indented than the { that it
// matches, it was meant for an outer block, and this { is the one that is not closed.
std::size_t open_brace(const Code& code);

// Returns whether the word takes arguments in a declaration but is not the declared name:
// __launch_bounds__(256).
bool takes_arguments(std::string_view word);

}  // namespace gpulab::source
