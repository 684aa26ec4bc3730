#include "exercise/source_loops.hpp"

#include <algorithm>

#include "core/bare_code.hpp"

namespace gpulab {
namespace {

// Finds where statements end by their brackets and semicolons, which is all that a loop's extent takes.
class Statements {
 public:
  explicit Statements(const std::string& code) : code_(code) {}

  bool is_word(std::size_t at, const std::string& word) const {
    const std::size_t end = at + word.size();
    return code_.compare(at, word.size(), word) == 0 && (at == 0 || !is_of_a_word(code_[at - 1])) &&
           (end >= code_.size() || !is_of_a_word(code_[end]));
  }

  bool begins_loop(std::size_t at) const {
    return is_word(at, "for") || is_word(at, "while") || is_word(at, "do");
  }

  // Past the last character of the statement that begins at or after that place.
  std::size_t end_of(std::size_t at) const {
    at = next(at);
    if (at < code_.size() && code_[at] == '{') return past_bracket(at);
    if (is_word(at, "for") || is_word(at, "while") || is_word(at, "switch"))
      return end_of(past_bracket(code_.find('(', at)));
    if (is_word(at, "do")) return past_semicolon(end_of(at + 2));
    if (!is_word(at, "if")) return past_semicolon(at);
    const std::size_t end = end_of(past_bracket(code_.find('(', at)));
    return is_word(next(end), "else") ? end_of(next(end) + 4) : end;
  }

 private:
  // Lines for the preprocessor, such as #pragma unroll, are passed over.
  std::size_t next(std::size_t at) const {
    at = std::min(code_.find_first_not_of(" \t\r\n", at), code_.size());
    return at < code_.size() && code_[at] == '#' ? next(std::min(code_.find('\n', at), code_.size())) : at;
  }
  std::size_t past_semicolon(std::size_t at) const {
    for (; at < code_.size() && code_[at] != ';'; ++at)
      if (code_[at] == '{' || code_[at] == '(') at = past_bracket(at) - 1;
    return std::min(at + 1, code_.size());
  }
  // Of the opening bracket at that place, past the one that closes it.
  std::size_t past_bracket(std::size_t at) const {
    int depth = 0;
    for (; at < code_.size(); ++at) {
      if (code_[at] == '(' || code_[at] == '{') ++depth;
      if ((code_[at] == ')' || code_[at] == '}') && --depth == 0) return at + 1;
    }
    return code_.size();
  }

  const std::string& code_;
};

int line_at(const std::string& code, std::size_t place) {
  return 1 +
         static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

}  // namespace

std::optional<SourceLoop> innermost_loop(const std::string& text, const std::vector<int>& lines) {
  const std::string code = bare_code(text);
  const Statements statements(code);
  std::optional<SourceLoop> innermost;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!statements.begins_loop(at)) continue;
    const SourceLoop loop{line_at(code, at), line_at(code, statements.end_of(at) - 1)};
    // A loop that begins later and has the lines, too, is inside of the one before.
    if (std::ranges::all_of(lines, [&](int line) { return loop.has(line); })) innermost = loop;
  }
  return innermost;
}

}  // namespace gpulab
