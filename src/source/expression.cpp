#include "source/expression.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

namespace gpulab::source {
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

  bool takes(std::string_view symbol) {
    const bool is_there = code_.text(at_) == symbol;
    at_ += is_there ? 1 : 0;
    return is_there;
  }

  Value sum() {
    Value value = product();
    while (value && (code_.text(at_) == "+" || code_.text(at_) == "-")) {
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
    const Value value = takes("-") ? negated(operand()) : takes("(") ? in_brackets() : number_or_name();
    --depth_;
    return value;
  }

  static Value negated(const Value& value) { return value ? Value(-*value) : value; }

  Value in_brackets() {
    const Value value = sum();
    return value && takes(")") ? value : std::nullopt;
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
