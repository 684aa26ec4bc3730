#include "source/slips.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace gpulab::source {

bool is_plain_assignment(const Code& code, std::size_t at) {
  constexpr std::string_view operator_characters = "=<>!+-*/%&|^";
  return code.text(at) == "=" && !is_operation(code, at, "==") && at > 0 &&
         !is_one_of(code.text(at + 1), {"<", ">"}) &&
         operator_characters.find(code.text(at - 1)) == std::string_view::npos;
}

bool begins_statement(const Code& code, std::size_t at) {
  if (at == 0) return false;
  const std::string_view before = code.text(at - 1);
  const std::size_t open = before == ")" ? code.matching(at - 1) : code.size();
  const std::string_view head = open > 0 && open < at ? code.text(open - 1) : before;
  return is_one_of(before, {";", "{", "}", "else"}) || is_one_of(head, {"if", "for", "while"});
}

namespace {

// Returns whether the condition in these brackets is an assignment, "x = y", outside of inner brackets.
bool is_assignment(const Code& code, std::size_t bracket) {
  if (code.is_word(bracket + 1) && code.is_word(bracket + 2)) return false;  // if (int x = f())
  std::size_t at = bracket + 1;
  while (at < code.matching(bracket) && !is_plain_assignment(code, at))
    at = is_one_of(code.text(at), {"(", "["}) ? code.after_bracket(at) : at + 1;
  return at < code.matching(bracket) && code.matching(bracket) < code.size();
}

// Returns whether the token is in brackets, as in for (...; x == y; ...).
bool is_in_brackets(const Code& code, std::size_t at) {
  for (std::size_t before = at; before-- > 0 && !is_one_of(code.text(before), {"{", "}"});)
    if (code.text(before) == "(" && code.matching(before) > at) return true;
  return false;
}

// Returns whether the statement that begins there only compares: "x == y;".
bool is_comparison(const Code& code, std::size_t at) {
  return code.is_word(at) && is_operation(code, end_of_element(code, at), "==") && !is_in_brackets(code, at);
}

// Returns whether the statement that begins there only computes with a variable: "x * y;".
bool is_unused_value(const Code& code, std::size_t at) {
  constexpr std::string_view signs = "+-*/";
  const std::size_t sign = end_of_element(code, at), end = end_of_statement(code, at);
  if (!code.is_word(at) || sign >= code.size() || signs.find(code.text(sign).front()) == signs.npos ||
      code.text(sign) == code.text(sign + 1) || code.text(end - 1) != ";")
    return false;
  for (std::size_t token = at; token < end; ++token)
    if (std::string_view("=(),").find(code.text(token).front()) != std::string_view::npos) return false;
  if (is_in_brackets(code, at)) return false;
  const std::vector<LocalVariable> variables = local_variables(code);
  return std::ranges::find(variables, code.text(at), &LocalVariable::name) != variables.end();
}

// Returns the first token of what belongs to the if, else, for or while at that token; 0 for another token.
std::size_t body_of(const Code& code, std::size_t at) {
  const std::string_view word = code.text(at);
  if (word == "else") return code.text(at + 1) == "if" ? 0 : at + 1;
  return is_one_of(word, {"if", "for", "while"}) && code.text(at + 1) == "(" ? code.after_bracket(at + 1) : 0;
}

// Returns the blanks before the token, if it is the first of its line.
std::optional<std::string> indentation(const Code& code, std::size_t at) {
  if (at >= code.size() || (at > 0 && code[at - 1].line == code[at].line)) return std::nullopt;
  const std::size_t begin = code.whole().rfind('\n', code.begin_of(at)) + 1;
  return code.whole().substr(begin, code.begin_of(at) - begin);
}

// Returns the line after the only statement of an if or a loop, if it is indented like that statement; 0 if
// not.
int line_without_braces(const Code& code, std::size_t at) {
  const std::size_t body = body_of(code, at);
  const std::optional<std::string> inner = body > 0 ? indentation(code, body) : std::nullopt;
  if (!inner || is_one_of(code.text(body), {"{", ";"})) return 0;
  const std::size_t first = at - (at > 0 && code.text(at - 1) == "else"), next = end_of_statement(code, body);
  const std::optional<std::string> outer =
      indentation(code, first - (first > 0 && code.text(first - 1) == "}"));
  const bool continues = is_one_of(code.text(next), {"}", "else", "case", "default"}) ||
                         code[std::min(next, code.size() - 1)].kind == TokenKind::directive;
  return outer && inner->size() > outer->size() && inner == indentation(code, next) && !continues
             ? code[next].line
             : 0;
}

// Returns the slip of the pen that begins at that token; none if there is no slip.
std::optional<Slip> slip_at(const Code& code, std::size_t at) {
  const std::string word(code.text(at)), line = std::to_string(code[at].line);
  const auto slip = [&](const char* pattern, std::string text) {
    return Slip{code[at].line, pattern, std::move(text)};
  };
  const std::size_t after_condition = code.after_bracket(at + 1);
  const std::string_view next = code.text(after_condition + 1);
  const bool is_loop = word == "while" && begins_statement(code, at) && next == "{";
  if ((word == "if" || word == "for" || is_loop) && code.text(after_condition) == ";" && next != "else" &&
      next != "}")
    return slip("stray-semicolon", fmt::format("the {} in line {} ends at the semicolon after its ), "
                                               "so nothing belongs to it",
                                               word, line));
  if (is_operation(code, at, "=<") || is_operation(code, at, "=>"))
    return slip("equals-sign", fmt::format("line {0} has ={1}: write {1}=", line, code.text(at + 1)));
  if ((word == "if" || word == "while") && code.text(at + 1) == "(" && is_assignment(code, at + 1))
    return slip("equals-sign",
                fmt::format("the condition in line {} stores with =, and does not compare", line));
  if (const int misled = line_without_braces(code, at); misled > 0)
    return slip(
        "missing-braces",
        fmt::format("line {} is indented as if it belonged to the {} in line {}, but only line {} does: "
                    "braces are missing",
                    misled, word, line, code[body_of(code, at)].line));
  if (!begins_statement(code, at)) return std::nullopt;
  if (word == "return" && code.is_word(at + 1) && code[at + 1].line > code[at].line &&
      is_plain_assignment(code, end_of_element(code, at + 1)))
    return slip("missing-semicolon", fmt::format("line {} lacks a semicolon after return", line));
  if (is_unused_value(code, at))
    return slip("equals-sign", fmt::format("line {} computes {}, and stores it nowhere", line,
                                           code.text_between(at, end_of_statement(code, at) - 1)));
  if (word.starts_with("__sync") && code.text(at + 1) == ";")
    return slip("barrier-not-called",
                fmt::format("line {} has {} without (), so no thread waits there", line, word));
  if (const std::size_t sign = end_of_element(code, at), call = sign + 1;
      is_plain_assignment(code, sign) && code.text(call).starts_with("atomic") &&
      code.text(call + 2) == "&" &&
      code.text_between(at, sign) == code.text_between(call + 3, call + 3 + sign - at))
    return slip(
        "race-global-update",
        fmt::format("line {} stores what {}() returns, the value before it: it has stored already, so "
                    "leave out {} =",
                    line, code.text(call), code.text_between(at, sign)));
  if (is_comparison(code, at))
    return slip("equals-sign", fmt::format("line {} compares with ==, and stores nothing", line));
  return std::nullopt;
}

}  // namespace

std::optional<Slip> first_slip(const Code& code, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < std::min(end, code.size()); ++at)
    if (std::optional<Slip> slip = slip_at(code, at)) return slip;
  return std::nullopt;
}

}  // namespace gpulab::source
