#include "source/code.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace gpulab::source {
namespace {

std::vector<CodeToken> tokens_of(std::string_view text, int line, bool begins_line) {
  std::vector<CodeToken> tokens;
  for (const Token& token : cuda_tokens(text, begins_line)) {
    if (token.kind != TokenKind::space && token.kind != TokenKind::comment)
      tokens.push_back({token.kind, token.text, line});
    line += static_cast<int>(std::ranges::count(token.text, '\n'));
  }
  return tokens;
}

// Bracket matching in one pass over the tokens. It keeps the last open bracket of each kind and, for each
// bracket, the one that was open before it, so that #else can go back to the brackets open at the #if.
class BracketReader {
 public:
  explicit BracketReader(const std::vector<CodeToken>& tokens)
      : tokens_(tokens), matching_(tokens.size(), none), outer_(tokens.size()), outer_angle_(tokens.size()) {}

  std::vector<std::size_t> matching() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::directive) follow_directive(directive_name(tokens_[i].text));
      if (tokens_[i].kind == TokenKind::symbol) read(i, tokens_[i].text.front());
    }
    std::ranges::replace(matching_, none, tokens_.size());
    return std::move(matching_);
  }

 private:
  static constexpr std::size_t none = std::string_view::npos;
  static constexpr std::size_t angle = 3;  // the kind of < and >: their index in `opening`
  static constexpr std::string_view opening = "([{<", closing = ")]}>";

  void read(std::size_t i, char bracket) {
    if (bracket == ';') open_[angle] = none;  // no template's list has one
    if (const std::size_t kind = opening.find(bracket); kind != none) open(i, kind);
    if (const std::size_t kind = closing.find(bracket); kind != none && !is_arrow(i)) close(i, kind);
  }

  // Returns whether it is the ">" of "->".
  bool is_arrow(std::size_t i) const { return i > 0 && tokens_[i].text == ">" && tokens_[i - 1].text == "-"; }

  void open(std::size_t i, std::size_t kind) {
    outer_[i] = std::exchange(open_[kind], i);
    // A template's list lies within one pair of the other brackets.
    if (kind != angle) outer_angle_[i] = std::exchange(open_[angle], none);
  }

  void close(std::size_t i, std::size_t kind) {
    const std::size_t opened = open_[kind];
    if (opened == none) return;
    open_[kind] = outer_[opened];
    if (kind != angle) open_[angle] = outer_angle_[opened];
    matching_[i] = opened;
    if (matching_[opened] == none) matching_[opened] = i;
  }

  void follow_directive(std::string_view directive) {
    if (directive.starts_with("if")) open_at_if_.push_back(open_);
    if (open_at_if_.empty()) return;
    if (directive.starts_with("el")) open_ = open_at_if_.back();
    if (directive == "endif") open_at_if_.pop_back();
  }

  const std::vector<CodeToken>& tokens_;
  std::vector<std::size_t> matching_, outer_, outer_angle_;
  using Open = std::array<std::size_t, opening.size()>;
  Open open_{none, none, none, none};
  std::vector<Open> open_at_if_;
};

}  // namespace

Code::Content::Content(std::vector<CodeToken> all)
    : tokens(std::move(all)), matching(BracketReader(tokens).matching()) {}

Code::Code(std::string text)
    : whole_(std::make_shared<const std::string>(std::move(text))),
      content_(std::make_shared<const Content>(tokens_of(*whole_, 1, /*begins_line=*/true))) {}

Code::Code(const char* text) : Code(std::string(text)) {}

Code::Code(const Code& code, std::vector<CodeToken> tokens)
    : whole_(code.whole_), content_(std::make_shared<const Content>(std::move(tokens))) {}

Code Code::part(std::string_view text, int line) const {
  return {*this, tokens_of(text, line, /*begins_line=*/false)};
}

Code Code::with_lines_joined() const {
  std::string joined = source::with_lines_joined(*whole_);
  return joined == *whole_ ? *this : Code(std::move(joined));
}

std::size_t Code::after_bracket(std::size_t i) const {
  return std::min(matching(i) + 1, size());
}

std::size_t Code::first_from_line(int line) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(tokens(), line, {}, &CodeToken::line) -
                                  tokens().begin());
}

bool Code::has(std::string_view token, const TokenRange& range) const {
  for (std::size_t i = range.begin; i < range.end; ++i)
    if (text(i) == token) return true;
  return false;
}

std::size_t Code::after_statement(std::size_t i) const {
  while (i < size() && !is_one_of(text(i), {";", "}"})) {
    const bool is_bracket = is_one_of(text(i), {"(", "[", "{"});
    i = is_bracket ? after_bracket(i) : i + 1;
  }
  return text(i) == ";" ? i + 1 : i;
}

std::vector<IncludeDirective> includes_in(const Code& code) {
  std::vector<IncludeDirective> includes;
  for (const CodeToken& token : code.tokens())
    if (const auto include = token.kind == TokenKind::directive ? include_in(token.text) : std::nullopt)
      includes.push_back(*include);
  return includes;
}

bool takes_arguments(std::string_view word) {
  return is_one_of(word,
                   {"__launch_bounds__", "__attribute__", "__maxnreg__", "__align__", "alignas", "decltype",
                    "__declspec", "noexcept", "__block_size__", "__cluster_dims__", "explicit", "requires"});
}

std::size_t open_brace(const Code& code) {
  const std::vector<std::string> lines = lines_of(code.whole());
  const auto indent = [&](std::size_t at) {
    return lines[static_cast<std::size_t>(code[at].line) - 1].find_first_not_of(" \t");
  };
  std::size_t open = code.size();
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t close = code.text(at) == "{" ? code.matching(at) : at;
    if (close == code.size()) open = std::min(open, at);
    if (close < code.size() && code[close].line > code[at].line && indent(close) < indent(at)) return at;
  }
  return open;
}

}  // namespace gpulab::source
