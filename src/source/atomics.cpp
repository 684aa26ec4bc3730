#include "source/atomics.hpp"

#include <algorithm>
#include <string_view>

#include "source/statements.hpp"

namespace gpulab::source {
namespace {

// Tokens from begin up to end.
struct Tokens {
  std::size_t begin = 0, end = 0;
  std::size_t count() const { return end - begin; }
};

// An update of a variable in memory: what it does, and with which value.
struct Update {
  std::string_view function;  // "atomicAdd"; empty for none
  std::string value;
};

std::string text_of(const Code& code, const Tokens& tokens) {
  if (tokens.count() == 0) return "";
  const std::size_t begin = code.begin_of(tokens.begin);
  return code.whole().substr(begin, code.end_of(tokens.end - 1) - begin);
}

bool are_equal(const Code& code, const Tokens& a, const Tokens& b) {
  if (a.count() != b.count()) return false;
  for (std::size_t i = 0; i < a.count(); ++i)
    if (code.text(a.begin + i) != code.text(b.begin + i)) return false;
  return true;
}

// Returns the first of these symbols outside of brackets, or the end.
std::size_t find(const Code& code, const Tokens& tokens, std::string_view symbols) {
  std::size_t at = tokens.begin;
  while (at < tokens.end && symbols.find(code.text(at)) == std::string_view::npos)
    at = code.text(at) == "(" || code.text(at) == "[" ? code.after_bracket(at) : at + 1;
  return std::min(at, tokens.end);
}

// Returns what is compared with the variable in "e > x": atomicMax if x is to become e where that is true.
Update comparison(const Code& code, const Tokens& condition, const Tokens& variable) {
  const std::size_t at = find(code, condition, "<>");
  if (at == condition.end || code.text(at + 1) == code.text(at)) return {};
  const Tokens left{condition.begin, at}, right{code.text(at + 1) == "=" ? at + 2 : at + 1, condition.end};
  const bool is_left = are_equal(code, left, variable);
  if (!is_left && !are_equal(code, right, variable)) return {};
  const bool is_max = (code.text(at) == "<") == is_left;
  return {is_max ? "atomicMax" : "atomicMin", text_of(code, is_left ? right : left)};
}

// Reads the value of "x = x + e", "x = e + x", "x = x - e", "x = max(x, e)" or "x = e > x ? e : x".
Update assignment(const Code& code, const Tokens& value, const Tokens& variable) {
  const Tokens first{value.begin, std::min(value.begin + variable.count(), value.end)};
  const std::string_view behind = code.text(first.end);
  if (are_equal(code, first, variable) && (behind == "+" || behind == "-"))
    return {behind == "+" ? "atomicAdd" : "atomicSub", text_of(code, {first.end + 1, value.end})};
  const std::size_t last = value.end - std::min(value.count(), variable.count());
  if (last > value.begin + 1 && are_equal(code, {last, value.end}, variable) && code.text(last - 1) == "+" &&
      find(code, value, "?<>&|^") == value.end)
    return {"atomicAdd", text_of(code, {value.begin, last - 1})};
  const std::string_view function = code.text(value.begin);
  const bool is_max = function == "max" || function == "fmaxf" || function == "fmax",
             is_min = function == "min" || function == "fminf" || function == "fmin";
  if ((is_max || is_min) && code.after_bracket(value.begin + 1) == value.end) {
    const std::size_t comma = find(code, {value.begin + 2, value.end - 1}, ",");
    const Tokens left{value.begin + 2, comma}, right{comma + 1, value.end - 1};
    if (!are_equal(code, left, variable) && !are_equal(code, right, variable)) return {};
    return {is_max ? "atomicMax" : "atomicMin",
            text_of(code, are_equal(code, left, variable) ? right : left)};
  }
  const std::size_t question = find(code, value, "?"), colon = find(code, value, ":");
  if (question == value.end || colon == value.end) return {};
  Update update = comparison(code, {value.begin, question}, variable);
  if (update.value == text_of(code, {question + 1, colon})) return update;
  if (update.value != text_of(code, {colon + 1, value.end})) return {};
  return {update.function == "atomicMax" ? "atomicMin" : "atomicMax", update.value};
}

// Returns the condition of the if whose first statement begins there.
Tokens condition_before(const Code& code, std::size_t statement) {
  std::size_t end = statement;
  if (end > 0 && code.text(end - 1) == "{") --end;
  if (end == 0 || code.text(end - 1) != ")") return {};
  const std::size_t begin = code.matching(end - 1);
  return begin > 0 && begin < end && code.text(begin - 1) == "if" ? Tokens{begin + 1, end - 1} : Tokens{};
}

Update update_at(const Code& code, const Tokens& variable, std::size_t statement) {
  const std::size_t behind = variable.end;
  const auto steps = [&](std::size_t at, std::string_view operation) {
    return is_operation(code, at, operation) ||
           (statement + 2 <= variable.begin && is_operation(code, statement, operation));
  };
  if (steps(behind, "++")) return {"atomicAdd", "1"};
  if (steps(behind, "--")) return {"atomicSub", "1"};
  const auto value = [&](std::size_t begin) { return Tokens{begin, end_of_value(code, begin)}; };
  constexpr std::pair<std::string_view, std::string_view> operations[] = {
      {"+=", "atomicAdd"}, {"-=", "atomicSub"}, {"|=", "atomicOr"}, {"&=", "atomicAnd"}, {"^=", "atomicXor"}};
  for (const auto& [operation, function] : operations)
    if (is_operation(code, behind, operation)) return {function, text_of(code, value(behind + 2))};
  if (code.text(behind) != "=" || is_operation(code, behind, "==")) return {};
  const Tokens assigned = value(behind + 1);
  if (const Update update = assignment(code, assigned, variable); !update.function.empty()) return update;
  const Update update = comparison(code, condition_before(code, statement), variable);
  return update.value == text_of(code, assigned) ? update : Update{};
}

// Returns the type of the variable's last declaration before a token: "unsigned int"; empty if that is no
// built-in type.
std::string type_before(const Code& code, std::string_view name, std::size_t use) {
  constexpr std::string_view types[] = {"bool",   "char",     "short",  "int",    "long",    "float",
                                        "double", "unsigned", "size_t", "signed", "int32_t", "uint32_t"};
  constexpr std::string_view between[] = {"*", "&", "__restrict__", "const", "volatile"};
  for (std::size_t at = use; at-- > 1;) {
    if (code.text(at) != name) continue;
    std::size_t type = at;
    while (type > 0 && std::ranges::find(between, code.text(type - 1)) != std::end(between)) --type;
    std::string words;
    for (; type > 0 && std::ranges::find(types, code.text(type - 1)) != std::end(types); --type)
      words = std::string(code.text(type - 1)) + (words.empty() ? "" : " ") + words;
    if (!words.empty()) return words;
  }
  return "";
}

bool exists(std::string_view function, std::string_view type) {
  constexpr std::string_view whole[] = {"int",     "unsigned", "unsigned int", "unsigned long long",
                                        "int32_t", "uint32_t"};
  if (std::ranges::find(whole, type) != std::end(whole))
    return function != "atomicSub" || type != "unsigned long long";
  return function == "atomicAdd" && (type == "float" || type == "double" || type.empty());
}

// Returns the variable that begins there, with its indices and members, or what a * points to.
Tokens variable_at(const Code& code, std::size_t at) {
  Tokens variable{at, at + 1};
  const bool is_pointed_to = at > 0 && code.text(at - 1) == "*";
  const bool is_in_brackets = is_pointed_to && at > 1 && code.text(at - 2) == "(" && code.text(at + 1) == ")";
  if (is_pointed_to) return {at - (is_in_brackets ? 2 : 1), at + (is_in_brackets ? 2 : 1)};
  for (;;) {
    if (code.text(variable.end) == "[")
      variable.end = code.after_bracket(variable.end);
    else if (code.text(variable.end) == ".")
      variable.end += 2;
    else if (is_operation(code, variable.end, "->"))
      variable.end += 3;
    else
      return variable;
  }
}

}  // namespace

std::string atomic_for(const Code& code, int line, int other_line) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const bool is_member = at > 1 && (code.text(at - 1) == "." || is_operation(code, at - 2, "->"));
    if (code[at].line != line || !code.is_word(at) || is_member) continue;
    const Tokens variable = variable_at(code, at);
    std::size_t statement = variable.begin;
    if (statement >= 2 &&
        (is_operation(code, statement - 2, "++") || is_operation(code, statement - 2, "--")))
      statement -= 2;
    Update update = update_at(code, variable, statement);
    const Code value(update.value);
    const Tokens condition = condition_before(code, statement);
    const bool has_other =
        other_line == line || (condition.count() > 0 && code[condition.begin].line == other_line);
    if (update.function.empty() || !has_other || has_word(value, code.text(at), 0, value.size()) ||
        update.value.find('\n') != std::string::npos)
      continue;
    const std::string type = type_before(code, code.text(at), at);
    if (update.function == "atomicSub" && !exists("atomicSub", type))
      update = {"atomicAdd", value.size() > 1 ? "-(" + update.value + ")" : "-" + update.value};
    if (!exists(update.function, type)) return "";
    const std::string name(code.text(at));
    const bool is_pointed_to = code.text(at - 1) == "*";
    return std::string(update.function) + "(" + (is_pointed_to ? name : "&" + text_of(code, variable)) +
           ", " + update.value + ")";
  }
  return "";
}

}  // namespace gpulab::source
