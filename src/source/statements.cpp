#include "source/statements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <string>

namespace gpulab::source {
namespace {

bool begins_loop(const Code& code, std::size_t at) {
  return is_one_of(code.text(at), {"for", "while", "do"});
}

// Skips lines for the preprocessor, such as #pragma unroll.
std::size_t after_directives(const Code& code, std::size_t at) {
  while (at < code.size() && code[at].kind == TokenKind::directive) ++at;
  return at;
}

std::size_t end_of_nested_statement(const Code& code, std::size_t at, int depth) {
  constexpr int max_depth = 200;  // nesting of statements without braces, more than anybody writes
  at = depth > max_depth ? code.size() : after_directives(code, at);
  const std::string_view word = code.text(at);
  if (word == "{") return code.after_bracket(at);
  if (word == "do") return code.after_statement(end_of_nested_statement(code, at + 1, depth + 1));
  if (!is_one_of(word, {"for", "while", "switch", "if"})) return code.after_statement(at);
  while (at < code.size() && code.text(at) != "(") ++at;
  at = end_of_nested_statement(code, code.after_bracket(at), depth + 1);
  const std::size_t behind = after_directives(code, at);
  const bool has_else = word == "if" && code.text(behind) == "else";
  return has_else ? end_of_nested_statement(code, behind + 1, depth + 1) : at;
}

Loop loop_at(const Code& code, std::size_t at) {
  Loop loop{.begin = at, .end = end_of_statement(code, at), .lines = lines_of_statement(code, at)};
  std::size_t bracket = at + 1;
  if (code.text(at) == "do") bracket = end_of_nested_statement(code, at + 1, 0) + 1;
  loop.condition = bracket + 1;
  loop.condition_end = code.matching(bracket);
  if (code.text(at) != "for") return loop;
  loop.condition = code.after_statement(bracket + 1);
  loop.condition_end = std::max(code.after_statement(loop.condition), loop.condition + 1) - 1;
  return loop;
}

}  // namespace

std::size_t end_of_statement(const Code& code, std::size_t at) {
  return end_of_nested_statement(code, at, 0);
}

LineRange lines_of_statement(const Code& code, std::size_t at) {
  return {code[at].line, code[end_of_statement(code, at) - 1].line};
}

std::vector<Loop> loops_around(const Code& code, const std::vector<int>& lines) {
  const int first = std::ranges::min(lines);
  // Looks only at the last 200 loops that begin before the lines, since each is scanned; nobody nests more.
  constexpr std::size_t max_loops = 200;
  std::deque<std::size_t> begins;
  for (std::size_t at = 0; at < code.size() && code[at].line <= first; ++at) {
    if (!begins_loop(code, at)) continue;
    begins.push_back(at);
    if (begins.size() > max_loops) begins.pop_front();
  }
  std::vector<Loop> loops;
  for (const std::size_t at : begins) {
    const LineRange range = lines_of_statement(code, at);
    if (std::ranges::all_of(lines, [&](int line) { return range.has(line); }))
      loops.push_back(loop_at(code, at));
  }
  return loops;
}

std::vector<Loop> all_loops(const Code& code) {
  std::vector<Loop> loops;
  for (std::size_t at = 0; at < code.size(); ++at)
    if (begins_loop(code, at)) loops.push_back(loop_at(code, at));
  return loops;
}

bool is_operation(const Code& code, std::size_t at, std::string_view symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (code.text(at + i) != symbols.substr(i, 1) || code.begin_of(at + i) != code.begin_of(at) + i)
      return false;
  return true;
}

bool is_step(const Code& code, std::size_t at) {
  return is_operation(code, at, "++") || is_operation(code, at, "--");
}

bool compares(const Code& code, std::size_t at) {
  const std::string_view sign = code.text(at), before = at > 0 ? code.text(at - 1) : "";
  if ((sign != "<" && sign != ">") || before == sign || code.text(at + 1) == sign || before == "-")
    return false;
  // Only two comparisons have an operator such as && between them, as in i < n && k > 0.
  std::size_t open = sign == "<" ? at : code.matching(at), close = code.matching(open);
  if (code.text(close + 1) == ">") open = code.matching(++close);  // of the outer list, or none for a shift
  while (open < close && std::string_view("&|?").find(code.text(open).front()) == std::string_view::npos)
    ++open;
  return close == code.size() || open != close;
}

namespace {

bool is_built_in_type(std::string_view word) {
  return is_one_of(word, {"bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed",
                          "size_t", "half", "__half", "int32_t", "uint32_t"});
}

bool is_qualifier(std::string_view word) {
  return is_one_of(word, {"const", "constexpr", "static", "volatile", "extern", "__shared__", "__constant__",
                          "__device__", "register", "__restrict__"});
}

bool is_declarator(std::string_view word) {
  return is_one_of(word, {"*", "&", "__restrict__", "const", "volatile"});
}

// Reads the declaration that begins at a token, if one does, and adds its variables. Returns the token after
// what was read.
std::size_t read_declaration(const Code& code, std::size_t at, std::size_t scope_end,
                             std::vector<LocalVariable>& variables) {
  LocalVariable variable{.scope_end = scope_end};
  std::size_t next = at;
  for (; is_built_in_type(code.text(next)) || is_qualifier(code.text(next)); ++next) {
    const std::string_view word = code.text(next);
    if (word == "half" && !variable.type.empty()) break;  // after a type, half is a name
    if (is_built_in_type(word) && variable.type != "unsigned") variable.type = word;
    variable.is_const |= word.starts_with("const");
    variable.is_shared |= word.starts_with("__") || word == "static";
  }
  if (variable.type.empty()) return at + 1;
  while (next < code.size()) {
    variable.is_pointer = is_one_of(code.text(next), {"*", "&"});
    if (variable.is_pointer) ++next;
    if (!code.is_word(next)) return next + 1;
    variable.name = code.text(next);
    variable.at = next;
    variable.is_array = code.text(next + 1) == "[";
    next = end_of_element(code, variable.at);
    variable.has_initializer = is_one_of(code.text(next), {"=", "{", "(", ":"});
    while (next < code.size() && !is_one_of(code.text(next), {",", ";"})) {
      const bool is_bracket = is_one_of(code.text(next), {"(", "[", "{"});
      if (is_one_of(code.text(next), {")", "}"})) break;
      next = is_bracket ? code.after_bracket(next) : next + 1;
    }
    variables.push_back(variable);
    if (code.text(next) != ",") return next;
    ++next;
  }
  return next;
}

// Returns whether the brace begins the members of a class.
bool begins_members(const Code& code, std::size_t brace) {
  for (std::size_t at = brace; at-- > 0 && !is_one_of(code.text(at), {";", "{", "}", ")"});)
    if (is_one_of(code.text(at), {"struct", "class", "union", "enum"})) return true;
  return false;
}

// Returns the token after the type of the declaration that seems to have this name: "float *x, name".
std::size_t end_of_type(const Code& code, std::size_t name) {
  std::size_t at = name;
  while (at > 0 && is_declarator(code.text(at - 1))) --at;
  if (at == 0 || code.text(at - 1) != ",") return at;
  for (; at > 0; --at) {
    const std::size_t open = code.matching(at - 1);
    const bool is_value = open < at && open > 0 && code.text(open) == "{" && code.text(open - 1) == "=";
    if (is_one_of(code.text(at - 1), {";", "{", "}", "("}) && !is_value) break;
    if (open < at) at = open + 1;
  }
  while (is_one_of(code.text(at), {"__shared__", "__device__", "__managed__", "const", "static"})) ++at;
  while (is_built_in_type(code.text(at))) ++at;
  return at;
}

}  // namespace

DeclaredType declared_type(const Code& code, std::string_view name, std::size_t token) {
  for (std::size_t at = token; at-- > 1;) {
    if (code.text(at) != name) continue;
    std::size_t type = end_of_type(code, at);
    std::string words;
    for (; type > 0 && is_built_in_type(code.text(type - 1)); --type)
      words = std::string(code.text(type - 1)) + (words.empty() ? "" : " ") + words;
    if (words.empty()) continue;
    while (type > 0 && is_declarator(code.text(type - 1))) --type;
    const bool is_pointer = code.text(at + 1) == "[" || is_one_of(code.text(at - 1), {"*", "__restrict__"});
    const bool is_shared = is_one_of(code.text(type - 1), {"__shared__", "__device__", "__managed__"});
    return {words, is_pointer, type > 0 && is_shared};
  }
  return {};
}

bool is_pointer_parameter(const Code& code, std::string_view name) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code.text(at) != "__global__") continue;
    const std::size_t parameters = start_of_parameters(code, at);
    for (std::size_t word = parameters; word < code.matching(parameters); ++word) {
      const bool is_pointer = is_one_of(code.text(word - 1), {"*", "__restrict__"});
      if (code.text(word) == name && is_pointer) return true;
    }
  }
  return false;
}

std::vector<LocalVariable> local_variables(const Code& code) {
  constexpr std::size_t max_variables = 300;
  std::vector<LocalVariable> variables;
  std::vector<std::size_t> ends_of_blocks;
  std::size_t end_of_members = 0;  // the brace that closes a class, while its members are read
  for (std::size_t at = 0; at < code.size() && variables.size() < max_variables;) {
    if (code.text(at) == "{") {
      ends_of_blocks.push_back(code.matching(at));
      if (begins_members(code, at)) end_of_members = code.matching(at);
    }
    while (!ends_of_blocks.empty() && at >= ends_of_blocks.back()) ends_of_blocks.pop_back();
    const bool in_for = at >= 2 && code.text(at - 1) == "(" && code.text(at - 2) == "for";
    const bool in_function = !ends_of_blocks.empty() && ends_of_blocks.back() != end_of_members;
    if (in_function && (in_for || is_one_of(code.text(at - 1), {";", "{", "}", ")"})))
      at = read_declaration(code, at, in_for ? end_of_statement(code, at - 2) : ends_of_blocks.back(),
                            variables);
    else
      ++at;
  }
  return variables;
}

VariableUse use_at(const Code& code, std::size_t name) {
  if (name == 0) return VariableUse::unknown;
  const std::size_t behind = end_of_element(code, name);
  if (is_step(code, behind) || (name >= 2 && is_step(code, name - 2))) return VariableUse::changed;
  if (code.text(behind) == "=")
    return is_operation(code, behind, "==") ? VariableUse::read : VariableUse::set;
  for (const std::string_view operation : {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
    if (is_operation(code, behind, operation)) return VariableUse::changed;
  const std::string_view before = code.text(name - 1), after = code.text(behind);
  const bool is_address = before == "&" && !code.is_word(name - 2) && code.text(name - 2) != ")";
  const bool is_argument = (before == "(" || before == ",") && (after == ")" || after == ",");
  const bool is_in_brackets_alone =
      before == "(" && after == ")" && name >= 2 && code[name - 2].kind != TokenKind::string &&
      (!code.is_word(name - 2) || is_one_of(code.text(name - 2), {"if", "while", "for", "switch", "return"}));
  return is_address || (is_argument && !is_in_brackets_alone) ? VariableUse::unknown : VariableUse::read;
}

std::size_t start_of_parameters(const Code& code, std::size_t at) {
  while (at < code.size() && (code.text(at) != "(" || takes_arguments(code.text(at - 1)))) ++at;
  return at;
}

std::vector<std::size_t> uses_between(const Code& code, std::string_view name, std::size_t begin,
                                      std::size_t end) {
  constexpr std::size_t max_uses = 300;
  std::vector<std::size_t> uses;
  for (std::size_t at = begin; at < std::min(end, code.size()) && uses.size() < max_uses; ++at)
    if (code.text(at) == name && code.is_word(at) && (at == 0 || code.text(at - 1) != "."))
      uses.push_back(at);
  return uses;
}

std::vector<std::size_t> changes_between(const Code& code, std::string_view name, std::size_t begin,
                                         std::size_t end) {
  std::vector<std::size_t> uses = uses_between(code, name, begin, end);
  std::erase_if(uses, [&](std::size_t use) { return use_at(code, use) == VariableUse::read; });
  return uses;
}

bool has_word(const Code& code, std::string_view word, std::size_t begin, std::size_t end) {
  return !uses_between(code, word, begin, end).empty();
}

std::size_t end_of_element(const Code& code, std::size_t name) {
  std::size_t end = name + 1;
  while (code.text(end) == "[") end = code.after_bracket(end);
  return end;
}

bool has_two_elements(const Code& code, int line, int other_line) {
  struct Element {
    std::string_view array, indices;
  };
  std::vector<Element> elements;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const bool is_in_line = code[at].line == line || code[at].line == other_line;
    if (!is_in_line || !code.is_word(at) || code.text(at + 1) != "[") continue;
    const std::size_t begin = code.end_of(at), end = code.end_of(end_of_element(code, at) - 1);
    elements.push_back({code.text(at), std::string_view(code.whole()).substr(begin, end - begin)});
  }
  return std::ranges::any_of(elements, [&](const Element& a) {
    return std::ranges::any_of(
        elements, [&](const Element& b) { return a.array == b.array && a.indices != b.indices; });
  });
}

std::size_t end_of_value(const Code& code, std::size_t at) {
  constexpr std::size_t max_tokens = 300;
  const std::size_t end = std::min(at + max_tokens, code.size());
  while (at < end && !is_one_of(code.text(at), {";", ",", ")"}))
    at = is_one_of(code.text(at), {"(", "["}) ? code.after_bracket(at) : at + 1;
  return at;
}

std::size_t end_of_configuration(const Code& code, std::size_t at) {
  for (; at < code.size() && code.text(at) != ";"; ++at) {
    if (is_one_of(code.text(at), {"(", "[", "{"}))
      at = code.matching(at);
    else if (is_operation(code, at, ">>") && code.text(at + 2) == ">" && code.text(at + 3) == "(")
      return at;
  }
  return code.size();
}

TokenRange argument_tokens(const Code& code, std::size_t i, std::size_t number) {
  const std::size_t close = i < code.size() ? code.matching(i + 1) : 0;
  for (std::size_t begin = i + 2; begin < close; --number) {
    std::size_t end = begin;
    while (end < close && code.text(end) != ",") {
      const bool opens = is_one_of(code.text(end), {"(", "[", "{"});
      end = opens ? std::min(code.after_bracket(end), close) : end + 1;
    }
    if (number == 0) return {begin, end};
    begin = end + 1;
  }
  return {};
}

std::string in_one_line(const Code& code, std::size_t begin, std::size_t end) {
  std::string line;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && code.begin_of(i) != code.end_of(i - 1)) line += ' ';
    if (code.text(i) != "\\") line += code.text(i);
  }
  return line;
}

std::size_t uninitialized_use(const Code& code, const LocalVariable& variable) {
  if (!variable.is_uninitialized_number()) return code.size();
  const std::vector<std::size_t> uses =
      uses_between(code, variable.name, variable.at + 1, variable.scope_end);
  if (uses.empty()) return code.size();
  const std::size_t first = uses.front();
  const VariableUse use = use_at(code, first);
  const bool is_in_own_value =
      !uses_between(code, variable.name, first + 1, end_of_value(code, first + 2)).empty();
  const bool is_read = use == VariableUse::set ? is_in_own_value : use != VariableUse::unknown;
  return is_read ? first : code.size();
}

std::string_view macro_that_hides(const Code& code, std::size_t name) {
  for (const CodeToken& token : code.tokens()) {
    if (token.kind != TokenKind::directive) continue;
    const Code words = code.part(token.text.substr(1), token.line);
    bool declares = false;
    for (std::size_t at = 3; words.text(0) == "define" && at < words.size(); ++at)
      declares |= words.text(at) == code.text(name) && words.is_word(at - 1) && words.text(at + 1) == "=";
    for (std::size_t at = declares ? name : 0; at-- > 1;) {
      if (is_one_of(code.text(at), {";", "{", "}"})) break;
      if (code.text(at) == "(" && code.text(at - 1) == words.text(1)) return code.text(at - 1);
    }
  }
  return {};
}

bool is_in_destructor(const Code& code, int line) {
  for (std::size_t i = 0; i < code.size() && code[i].line <= line; ++i) {
    if (code.text(i) != "~" || !code.is_word(i + 1) || code.text(i + 2) != "(") continue;
    const std::size_t behind = code.after_bracket(i + 2);
    const std::size_t body = code.text(behind) == "noexcept" ? behind + 1 : behind;
    if (code.text(body) != "{" || code[body].line > line) continue;
    if (const std::size_t end = code.matching(body); end < code.size() && line <= code[end].line) return true;
  }
  return false;
}

bool has_initializer(const Code& code, std::string_view name) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.text(i) != "__constant__") continue;
    while (i < code.size() && code.text(i) != ";" && code.text(i) != name) ++i;
    const bool has_value = is_one_of(code.text(end_of_element(code, i)), {"=", "{"});
    if (code.text(i) == name && has_value) return true;
  }
  return false;
}

bool has_signals(const Code& code) {
  return std::ranges::any_of(code.tokens(), [](const CodeToken& token) {
    if (token.kind == TokenKind::directive) return token.text.find("omp ") != std::string_view::npos;
    return token.kind == TokenKind::word &&
           (is_one_of(token.text, {"atomic", "volatile", "future", "promise", "async", "thread", "jthread",
                                   "latch", "barrier", "usleep", "nanosleep", "sleep", "sleep_for",
                                   "sleep_until", "yield", "sched_yield", "semaphore"}) ||
            begins_with_one_of(token.text,
                               {"atomic_", "__atomic_", "__sync_", "mutex", "condition_variable", "pthread_",
                                "sem_", "omp_", "shared_mutex", "counting_semaphore", "binary_semaphore"}));
  });
}

namespace {

using Value = std::optional<double>;

class ExpressionReader {
 public:
  ExpressionReader(const Code& code, std::size_t begin, const ValueOfName& value_of)
      : code_(code), at_(begin), value_of_(value_of) {}

  ComputedValue read() {
    const Value value = sum();
    return {value, at_};
  }

 private:
  static constexpr int max_depth = 100;  // levels of parentheses

  bool take(std::string_view symbol) {
    const bool is_symbol = code_.text(at_) == symbol;
    if (is_symbol) ++at_;
    return is_symbol;
  }

  Value sum() {
    Value value = product();
    while (value && is_one_of(code_.text(at_), {"+", "-"})) {
      const double sign = code_.text(at_++) == "+" ? 1 : -1;
      const Value other = product();
      value = other ? Value(*value + sign * *other) : std::nullopt;
    }
    return value;
  }

  Value product() {
    Value value = operand();
    constexpr std::string_view operations = "*/%";
    while (value && code_.text(at_).size() == 1 &&
           operations.find(code_.text(at_)) != std::string_view::npos) {
      const std::string_view operation = code_.text(at_++);
      const Value other = operand();
      value = other ? Value(applied(operation, *value, *other)) : std::nullopt;
    }
    return value;
  }

  static double applied(std::string_view operation, double value, double other) {
    if (operation == "*") return value * other;
    if (operation == "%") return std::fmod(value, other);
    const bool is_whole = value == std::trunc(value) && other == std::trunc(other);
    return is_whole ? std::trunc(value / other) : value / other;
  }

  Value operand() {
    if (depth_ >= max_depth) return std::nullopt;
    ++depth_;
    const Value value = take("-") ? negated(operand()) : take("(") ? in_brackets() : number_or_name();
    --depth_;
    return value;
  }

  static Value negated(const Value& value) { return value ? Value(-*value) : value; }

  Value in_brackets() {
    const Value value = sum();
    return value && take(")") ? value : std::nullopt;
  }

  Value number_or_name() {
    const std::string word(code_.text(at_));
    if (at_ >= code_.size()) return std::nullopt;
    Value value;
    if (code_[at_].kind == TokenKind::number) {
      char* end = nullptr;
      const double number = std::strtod(word.c_str(), &end);
      if (std::string_view(end).find_first_not_of("uUlLfF") == std::string_view::npos) value = number;
    } else if (code_.is_word(at_)) {
      value = value_of_(word);
    }
    at_ += value ? 1 : 0;
    return value;
  }

  const Code& code_;
  std::size_t at_;
  const ValueOfName& value_of_;
  int depth_ = 0;
};

}  // namespace

ComputedValue computed_value(const Code& code, std::size_t begin, const ValueOfName& value_of) {
  return ExpressionReader(code, begin, value_of).read();
}

}  // namespace gpulab::source
