#include <fmt/format.h>
#include <algorithm>
#include <string_view>

#include "source/statements.hpp"

namespace gpulab::source {
namespace {

// An update of a variable in memory: what it does, and with which value.
struct Update {
  std::string_view function;  // "atomicAdd"; empty for none
  std::string value;
  std::string_view old = {};  // the variable that keeps the old value, if an earlier statement reads it
  int old_line = 0;           // of that statement
};

std::string text_of(const Code& code, const TokenRange& tokens) {
  return code.text_between(tokens.begin, tokens.end);
}

bool are_equal(const Code& code, const TokenRange& a, const TokenRange& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (code.text(a.begin + i) != code.text(b.begin + i)) return false;
  return true;
}

// Returns the first of these symbols outside of brackets, or the end. Skips ->, whose > compares nothing.
std::size_t find_symbol(const Code& code, const TokenRange& tokens, std::string_view symbols) {
  std::size_t at = tokens.begin;
  for (;;) {
    if (at < tokens.end && is_operation(code, at, "->")) {
      at += 2;
      continue;
    }
    if (at >= tokens.end || symbols.find(code.text(at)) != std::string_view::npos) break;
    at = is_one_of(code.text(at), {"(", "["}) ? code.after_bracket(at) : at + 1;
  }
  return std::min(at, tokens.end);
}

// Reads the condition "e > x": the update is an atomicMax of e if x becomes e where the condition is true.
Update update_by_comparison(const Code& code, const TokenRange& condition, const TokenRange& variable) {
  const std::size_t at = find_symbol(code, condition, "<>");
  const bool is_shift = code.text(at + 1) == code.text(at);
  if (at == condition.end || is_shift) return {};
  const TokenRange left{condition.begin, at},
      right{code.text(at + 1) == "=" ? at + 2 : at + 1, condition.end};
  const bool is_left = are_equal(code, left, variable);
  if (!is_left && !are_equal(code, right, variable)) return {};
  const bool is_max = (code.text(at) == "<") == is_left;
  return {is_max ? "atomicMax" : "atomicMin", text_of(code, is_left ? right : left)};
}

// Reads the value of "x = x + e", "x = e + x", "x = x - e", "x = max(x, e)" or "x = e > x ? e : x".
Update update_by_assignment(const Code& code, const TokenRange& value, const TokenRange& variable) {
  const TokenRange first{value.begin, std::min(value.begin + variable.size(), value.end)};
  const std::string_view behind = code.text(first.end);
  // Operations that bind less tightly than + would take the sum apart, and a - b + c is not a - (b + c).
  const auto is_one_term = [&](const TokenRange& tokens) {
    return find_symbol(code, tokens, behind == "-" ? "+-?<>&|^=" : "?<>&|^=") == tokens.end;
  };
  const TokenRange rest{first.end + 1, value.end};
  const bool has_rest = rest.begin < rest.end && (behind == "+" || behind == "-");
  if (has_rest && are_equal(code, first, variable) && is_one_term(rest))
    return {behind == "+" ? "atomicAdd" : "atomicSub", text_of(code, rest)};
  const TokenRange last{value.end - std::min(value.size(), variable.size()), value.end};
  if (last.begin > value.begin + 1 && are_equal(code, last, variable) && code.text(last.begin - 1) == "+" &&
      find_symbol(code, value, "?<>&|^=") == value.end)
    return {"atomicAdd", text_of(code, {value.begin, last.begin - 1})};
  const std::string_view function = code.text(value.begin);
  const bool is_max = is_one_of(function, {"max", "fmaxf", "fmax"}),
             is_min = is_one_of(function, {"min", "fminf", "fmin"});
  if ((is_max || is_min) && code.after_bracket(value.begin + 1) == value.end) {
    const std::size_t comma = find_symbol(code, {value.begin + 2, value.end - 1}, ",");
    const TokenRange left{value.begin + 2, comma}, right{comma + 1, value.end - 1};
    if (!are_equal(code, left, variable) && !are_equal(code, right, variable)) return {};
    return {is_max ? "atomicMax" : "atomicMin",
            text_of(code, are_equal(code, left, variable) ? right : left)};
  }
  const std::size_t question = find_symbol(code, value, "?"), colon = find_symbol(code, value, ":");
  if (question == value.end || colon == value.end) return {};
  Update update = update_by_comparison(code, {value.begin, question}, variable);
  if (update.value == text_of(code, {question + 1, colon})) return update;
  if (update.value != text_of(code, {colon + 1, value.end})) return {};
  return {update.function == "atomicMax" ? "atomicMin" : "atomicMax", update.value};
}

// Returns the condition of the if whose body begins with that statement; empty if there is none.
TokenRange condition_before(const Code& code, std::size_t statement) {
  std::size_t end = statement;
  if (end > 0 && code.text(end - 1) == "{") --end;
  if (end == 0 || code.text(end - 1) != ")") return {};
  const std::size_t begin = code.matching(end - 1);
  return begin > 0 && begin < end && code.text(begin - 1) == "if" ? TokenRange{begin + 1, end - 1}
                                                                  : TokenRange{};
}

// Returns whether the statement with the token `at` always runs before the statement that begins at `later`:
// both are in one block, and none of them is the braceless body of an if or a loop.
bool comes_always_before(const Code& code, std::size_t at, std::size_t later) {
  const auto has_condition = [&](std::size_t i) {
    while (i > 0 && (code.is_word(i - 1) || code.text(i - 1) == "*") && code.text(i - 1) != "else") --i;
    return i > 0 && is_one_of(code.text(i - 1), {")", "else"});
  };
  int depth = 0;
  for (std::size_t i = at; i < later && depth >= 0; ++i)
    depth += (code.text(i) == "{") - (code.text(i) == "}");
  return depth == 0 && !has_condition(at) && !has_condition(later);
}

// Reads "x = old + e", if the last statement before it that changes old is "old = x".
Update update_of_copy(const Code& code, const TokenRange& value, const TokenRange& variable) {
  if (!code.is_word(value.begin)) return {};
  const std::string_view old = code.text(value.begin);
  for (std::size_t at = variable.begin; at-- > 1;) {
    if (code.text(at) != old || use_at(code, at) == VariableUse::read) continue;
    if (code.text(at + 1) != "=" || !are_equal(code, {at + 2, end_of_value(code, at + 2)}, variable) ||
        !comes_always_before(code, at, variable.begin))
      return {};
    Update update = update_by_assignment(code, value, {value.begin, value.begin + 1});
    update.old = old;
    update.old_line = code[at].line;
    return update;
  }
  return {};
}

Update update_at(const Code& code, const TokenRange& variable, std::size_t statement) {
  const std::size_t behind = variable.end;
  const auto has_step = [&](std::size_t at, std::string_view operation) {
    return is_operation(code, at, operation) ||
           (statement + 2 <= variable.begin && is_operation(code, statement, operation));
  };
  if (has_step(behind, "++")) return {"atomicAdd", "1"};
  if (has_step(behind, "--")) return {"atomicSub", "1"};
  const auto value = [&](std::size_t begin) { return TokenRange{begin, end_of_value(code, begin)}; };
  constexpr std::pair<std::string_view, std::string_view> operations[] = {
      {"+=", "atomicAdd"}, {"-=", "atomicSub"}, {"|=", "atomicOr"}, {"&=", "atomicAnd"}, {"^=", "atomicXor"}};
  for (const auto& [operation, function] : operations)
    if (is_operation(code, behind, operation)) return {function, text_of(code, value(behind + 2))};
  if (code.text(behind) != "=" || is_operation(code, behind, "==")) return {};
  const TokenRange assigned = value(behind + 1);
  if (const Update update = update_by_assignment(code, assigned, variable); !update.function.empty())
    return update;
  if (const Update update = update_of_copy(code, assigned, variable); !update.function.empty()) return update;
  TokenRange condition = condition_before(code, statement);
  while (condition.begin < condition.end) {  // each of those that && joins
    const TokenRange part{condition.begin, find_symbol(code, condition, "&")};
    const Update update = update_by_comparison(code, part, variable);
    if (!update.function.empty() && update.value == text_of(code, assigned)) return update;
    condition.begin = part.end + 2;
  }
  return {};
}

// Returns whether CUDA has this atomic for the type. An unknown type is taken for a float.
bool has_atomic(std::string_view function, std::string_view type) {
  if (is_one_of(type, {"int", "unsigned", "unsigned int", "unsigned long long", "int32_t", "uint32_t"}))
    return function != "atomicSub" || type != "unsigned long long";
  return function == "atomicAdd" && (type == "float" || type == "double" || type.empty());
}

// Returns whether the * dereferences a pointer and does not multiply: it begins a statement, follows an
// operator, or stands after the condition of an if or a loop.
bool is_dereference(const Code& code, std::size_t star) {
  if (star == 0) return false;
  if (code.text(star - 1) == "]" || code.is_word(star - 1) || code[star - 1].kind == TokenKind::number)
    return false;
  if (code.text(star - 1) != ")") return true;
  const std::size_t open = code.matching(star - 1);
  return open > 0 && open < star && is_one_of(code.text(open - 1), {"if", "while", "for"});
}

// Returns the variable that begins there, with its indices and members, or what a * points to. It is empty
// for *p++, which changes the pointer.
TokenRange variable_at(const Code& code, std::size_t at) {
  TokenRange variable{at, at + 1};
  const bool is_pointed_to = at > 0 && code.text(at - 1) == "*" && is_dereference(code, at - 1);
  const bool is_in_brackets = is_pointed_to && at > 1 && code.text(at - 2) == "(" && code.text(at + 1) == ")";
  if (is_in_brackets) return {at - 2, at + 2};
  if (is_pointed_to && is_step(code, at + 1)) return {};
  if (is_pointed_to) return {at - 1, at + 1};
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

std::string atomic_for(const Code& code, int line, int other_line, int column) {
  std::size_t at = code.first_from_line(line);
  if (column > 0 && at < code.size()) {
    const std::size_t line_begin = code.whole().rfind('\n', code.begin_of(at)) + 1;  // 0 in the first line
    while (at < code.size() && code.begin_of(at) + 1 < line_begin + static_cast<std::size_t>(column)) ++at;
  }
  const std::size_t end = column > 0 ? code.after_statement(at) : code.first_from_line(line + 1);
  for (; at < end; ++at) {
    const bool is_member = at > 1 && (code.text(at - 1) == "." || is_operation(code, at - 2, "->"));
    if (code[at].line != line || !code.is_word(at) || is_member) continue;
    const TokenRange variable = variable_at(code, at);
    if (variable.size() == 0) continue;
    std::size_t statement = variable.begin;
    if (statement >= 2 && is_step(code, statement - 2)) statement -= 2;
    Update update = update_at(code, variable, statement);
    if (update.function.empty() || update.value.find('\n') != std::string::npos) continue;
    const DeclaredType declared = declared_type(code, code.text(at), at);
    const bool is_name_alone = variable.size() == 1;
    if (is_name_alone && !declared.is_shared) continue;  // each thread has its own
    const Code value(update.value);
    const TokenRange condition = condition_before(code, statement);
    const bool other_line_takes_part = other_line == line ||
                                       (!update.old.empty() && other_line == update.old_line) ||
                                       (condition.size() > 0 && code[condition.begin].line == other_line);
    if (!other_line_takes_part || has_word(value, code.text(at), 0, value.size())) continue;
    if (update.function == "atomicSub" && !has_atomic("atomicSub", declared.type))
      update = {"atomicAdd", value.size() > 1 ? "-(" + update.value + ")" : "-" + update.value, update.old};
    const bool is_swapped = declared.type == "float" && update.function.starts_with("atomicM");
    if (!is_swapped && !has_atomic(update.function, declared.type)) return "";
    const bool is_pointed_to = is_one_of(code.text(variable.begin), {"*", "("});
    const std::string target = is_pointed_to ? std::string(code.text(at)) : "&" + text_of(code, variable);
    if (is_swapped)
      return fmt::format("{}((int*){}, __float_as_int({})) if no value is negative, or a loop with atomicCAS",
                         update.function, target, update.value);
    const std::string call = fmt::format("{}({}, {})", update.function, target, update.value);
    return update.old.empty() ? call : fmt::format("{} = {}, in place of both statements", update.old, call);
  }
  return "";
}

}  // namespace gpulab::source
