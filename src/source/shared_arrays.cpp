#include "source/shared_arrays.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace gpulab::source {
namespace {

using Value = std::optional<std::int64_t>;

// Computes constant expressions of whole numbers, as they stand between the brackets of an array.
class ConstantExpressions {
 public:
  explicit ConstantExpressions(const Code& code) : code_(code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code.text(i).starts_with('#')) add_macro(i);
      if (code.text(i) == "=" && i > 0 && code.is_word(i - 1) && is_constant(i - 1))
        definitions_[code.text(i - 1)].push_back({i, code, i + 1});
    }
  }

  // Returns the value of the expression that begins there, with each constant as it was last defined before.
  Value value(std::size_t begin) {
    used_at_ = begin;
    return sum({&code_, begin});
  }

 private:
  // A place in the code, or in the words of a macro.
  struct Expression {
    const Code* code = nullptr;
    std::size_t at = 0;
  };
  struct Definition {
    std::size_t place = 0;  // its token in the file
    Code code;              // the file, or the words of a macro
    std::size_t begin = 0;  // of the expression
  };
  // Most levels of constants that name other constants, and of parentheses.
  static constexpr int max_depth = 20;

  bool is_constant(std::size_t name) const {
    constexpr std::string_view ends[] = {";", "{", "}", "("};
    for (std::size_t i = name; i-- > 0 && std::ranges::find(ends, code_.text(i)) == std::end(ends);)
      if (code_.text(i) == "const" || code_.text(i) == "constexpr") return true;
    return false;
  }

  void add_macro(std::size_t directive) {
    const Code words = code_.part(code_.text(directive).substr(1), code_[directive].line);
    if (words.text(0) != "define" || words.size() < 3) return;
    const bool has_parameters = words.text(2) == "(" && words.begin_of(2) == words.end_of(1);
    if (!has_parameters) definitions_[words.text(1)].push_back({directive, words, 2});
  }

  static Value applied(std::string_view operation, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (operation == "+") return __builtin_add_overflow(a, b, &result) ? Value() : result;
    if (operation == "-") return __builtin_sub_overflow(a, b, &result) ? Value() : result;
    if (operation == "*") return __builtin_mul_overflow(a, b, &result) ? Value() : result;
    if (a < 0 || b <= 0) return std::nullopt;
    return operation == "/" ? a / b : a % b;
  }

  Value sum(Expression begin) {
    at_ = begin;
    const Value result = sum();
    const std::string_view end = at_.code->text(at_.at);
    const bool is_complete = end.empty() || end == "]" || end == ")" || end == ";" || end == ",";
    return is_complete ? result : std::nullopt;
  }

  Value sum() { return chain({"+", "-"}, &ConstantExpressions::product); }
  Value product() { return chain({"*", "/", "%"}, &ConstantExpressions::operand); }

  Value chain(std::initializer_list<std::string_view> operations, Value (ConstantExpressions::*next)()) {
    Value result = (this->*next)();
    while (result && std::ranges::find(operations, at_.code->text(at_.at)) != operations.end()) {
      const std::string_view operation = at_.code->text(at_.at++);
      const Value other = (this->*next)();
      result = other ? applied(operation, *result, *other) : std::nullopt;
    }
    return result;
  }

  Value operand() {
    if (depth_ >= max_depth) return std::nullopt;
    ++depth_;
    const std::string_view word = at_.code->text(at_.at++);
    Value result;
    if (word == "(") {
      result = sum();
      if (at_.code->text(at_.at++) != ")") result.reset();
    } else {
      result = word.empty() || word.front() < '0' || word.front() > '9' ? named(word) : number(word);
    }
    --depth_;
    return result;
  }

  static Value number(std::string_view word) {
    const bool is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    std::int64_t value = 0;
    const char* const first = word.data() + (is_hexadecimal ? 2 : 0);
    const auto [end, error] =
        std::from_chars(first, word.data() + word.size(), value, is_hexadecimal ? 16 : 10);
    const std::string_view suffix(end, static_cast<std::size_t>(word.data() + word.size() - end));
    const bool is_whole = suffix.find_first_not_of("uUlL") == std::string_view::npos;
    return error == std::errc() && is_whole ? Value(value) : std::nullopt;
  }

  Value named(std::string_view name) {
    const auto known = definitions_.find(name);
    if (known == definitions_.end()) return std::nullopt;
    const auto behind = std::ranges::upper_bound(known->second, used_at_, std::less<>(), &Definition::place);
    if (behind == known->second.begin()) return std::nullopt;
    const Expression use = at_;
    const std::size_t used_at = std::exchange(used_at_, std::prev(behind)->place);
    const Value result = sum({&std::prev(behind)->code, std::prev(behind)->begin});
    at_ = use;
    used_at_ = used_at;
    return result;
  }

  const Code& code_;
  Expression at_ = {};
  std::size_t used_at_ = 0;  // the token of the file before which a constant must be defined
  int depth_ = 0;
  std::map<std::string_view, std::vector<Definition>> definitions_;  // of one name in order
};

std::size_t product(const std::vector<std::size_t>& dimensions) {
  std::size_t elements = 1;
  for (const std::size_t dimension : dimensions) elements *= dimension;
  return elements;
}

// Reads [32][33]; returns nothing if one of the numbers is unknown or too large for shared memory.
std::vector<std::size_t> dimensions_at(const Code& code, std::size_t at, ConstantExpressions& expressions) {
  constexpr std::int64_t most = 1 << 20;
  std::vector<std::size_t> dimensions;
  for (; code.text(at) == "["; at = code.after_bracket(at)) {
    const Value value = expressions.value(at + 1);
    if (!value || *value < 1 || *value > most) return {};
    dimensions.push_back(static_cast<std::size_t>(*value));
    if (product(dimensions) > most) return {};
  }
  return dimensions;
}

}  // namespace

std::size_t SharedArray::elements() const {
  return product(dimensions);
}

std::vector<SharedArray> shared_arrays(const Code& code) {
  std::vector<SharedArray> found;
  std::optional<ConstantExpressions> expressions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.text(i) != "__shared__") continue;
    const std::size_t end = code.after_statement(i);
    for (std::size_t name = i + 1; name + 1 < end; ++name) {
      if (!code.is_word(name) || code.text(name + 1) != "[") continue;
      if (!expressions) expressions.emplace(code);
      found.push_back(
          {std::string(code.text(name)), dimensions_at(code, name + 1, *expressions), code[name].line});
    }
  }
  return found;
}

void add_dimensions(std::vector<Defect>& defects, const std::string& text) {
  const auto is_about_variable = [](const Defect& defect) { return !defect.memory.variable.empty(); };
  if (std::ranges::none_of(defects, is_about_variable)) return;
  const std::vector<SharedArray> arrays = shared_arrays(text);
  for (Defect& defect : defects) {
    Defect::Memory& memory = defect.memory;
    for (const SharedArray& array : arrays) {
      if (array.name != memory.variable || array.dimensions == memory.dimensions) continue;
      const bool fits = !array.dimensions.empty() && memory.bytes >= array.elements() &&
                        memory.bytes % array.elements() == 0;
      if (!fits) continue;
      const bool is_ambiguous = !memory.dimensions.empty();
      memory.dimensions = array.dimensions;
      if (!is_ambiguous) continue;
      memory.dimensions.clear();
      break;
    }
  }
}

}  // namespace gpulab::source
