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

// A CUDA text, cut once into what a compiler sees of it: no blanks, no comments, a directive in one piece.
// All who want to know something about a text ask this. It takes time in proportion to the text, however
// strange that is and however deep its brackets are. Copies share the text and its tokens.
class Code {
 public:
  // A text is read wherever code is asked for; who asks more than once keeps the code.
  Code(std::string text);  // NOLINT(google-explicit-constructor)
  Code(const char* text);  // NOLINT(google-explicit-constructor)
  // The same text in other tokens, such as those without directives.
  Code(const Code& of, std::vector<CodeToken> tokens);
  // A part of the text, such as the words of a directive, in tokens of its own. It begins in that line, and
  // not at the line's beginning.
  Code part(std::string_view text, int line) const;
  // Without the backslashes that join lines; the other lines keep their numbers.
  Code with_lines_joined() const;

  const std::string& whole() const { return *whole_; }
  std::size_t size() const { return content_->tokens.size(); }
  const std::vector<CodeToken>& tokens() const& { return content_->tokens; }
  const std::vector<CodeToken>& tokens() const&& = delete;  // they end with the code
  const CodeToken& operator[](std::size_t i) const { return content_->tokens[i]; }
  // Empty behind the end.
  std::string_view text(std::size_t i) const { return i < size() ? (*this)[i].text : std::string_view(); }
  bool is_word(std::size_t i) const { return i < size() && (*this)[i].kind == TokenKind::word; }

  // Where the token stands in the whole text, in bytes.
  std::size_t begin_of(std::size_t i) const {
    return static_cast<std::size_t>(text(i).data() - whole_->data());
  }
  std::size_t end_of(std::size_t i) const { return begin_of(i) + text(i).size(); }

  // The bracket that belongs to the one at i: of (), [], {}, and of <> as far as these look like a
  // template's. size() where there is none. Brackets of one kind do not mind those of another that are not
  // closed. Where both ways of an #if and its #else open the same, what comes behind closes the latter's.
  std::size_t matching(std::size_t i) const { return i < size() ? content_->matching[i] : size(); }
  // Behind the bracket that closes the one at i; size() where none does.
  std::size_t behind(std::size_t i) const;
  // Behind the semicolon of the statement that begins or goes on at i. Where it has none, at the } of the
  // block that it is in, or at the end.
  std::size_t behind_statement(std::size_t i) const;

 private:
  struct Content {
    explicit Content(std::vector<CodeToken> tokens);
    std::vector<CodeToken> tokens;
    std::vector<std::size_t> matching;
  };

  std::shared_ptr<const std::string> whole_;
  std::shared_ptr<const Content> content_;
};

// Of its #include directives, in their order. Their names are parts of the text.
std::vector<IncludeDirective> includes_in(const Code& code);

// Whether the word is followed by arguments in a declaration, and is not what is declared:
// __launch_bounds__(256).
bool takes_arguments(std::string_view word);

}  // namespace gpulab::source
