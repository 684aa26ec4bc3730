#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/own_exercises.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::check {
namespace {

// Reads a formula from left to right: a sum of products.
class FormulaReader {
 public:
  FormulaReader(const std::string& formula, const Sizes& sizes)
      : formula_(formula), sizes_(sizes), scanner_(formula) {}

  double value() {
    constexpr std::size_t longest = 200;  // and so not deeply nested
    if (formula_.size() > longest) fail("is longer than 200 letters");
    const double value = sum();
    if (!scanner_.is_at_end()) fail_here();
    if (!std::isfinite(value)) fail("divides by zero, or is too large");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError(printable("'" + formula_ + "' " + why));
  }
  [[noreturn]] void fail_here() const {
    fail(scanner_.is_at_end() ? "ends too early"
                              : "makes no sense from '" + std::string(scanner_.rest()) + "' on");
  }

  bool takes(const char* symbol) {
    scanner_.blanks();
    return scanner_.take(symbol);
  }

  double sum() {
    double value = product();
    for (;;)
      if (takes("+"))
        value += product();
      else if (takes("-"))
        value -= product();
      else
        return value;
  }

  double product() {
    double value = factor();
    for (;;)
      if (takes("*"))
        value *= factor();
      else if (takes("/"))
        value = quotient(value, factor());
      else if (takes("%"))
        value = std::fmod(value, factor());
      else
        return value;
  }

  // Divides as C++ does: whole numbers give a whole number.
  static double quotient(double value, double by) {
    const bool is_whole = value == std::trunc(value) && by == std::trunc(by);
    return is_whole ? std::trunc(value / by) : value / by;
  }

  double factor() {
    if (takes("-")) return -factor();
    if (takes("(")) {
      const double value = sum();
      if (!takes(")")) fail("lacks a closing bracket");
      return value;
    }
    const std::string rest(scanner_.rest());
    char* end = nullptr;
    const double number = std::strtod(rest.c_str(), &end);
    const bool is_number = !rest.empty() && !std::isalpha(static_cast<unsigned char>(rest[0]));
    if (is_number && end != rest.c_str()) {
      scanner_.take(rest.substr(0, static_cast<std::size_t>(end - rest.c_str())));
      return number;
    }
    const std::string name(scanner_.word());
    if (name.empty()) fail_here();
    const auto size = sizes_.find(name);
    if (size != sizes_.end()) return size->second;
    std::vector<std::string> known;
    for (const auto& [one, value] : sizes_) known.push_back(one);
    fail("has '" + name + "', which is no size; " + suggestion(name, known, "[sizes] lists them"));
  }

  const std::string& formula_;
  const Sizes& sizes_;
  source::Scanner scanner_;
};

}  // namespace

double value_of(const std::string& formula, const Sizes& sizes) {
  return FormulaReader(formula, sizes).value();
}

}  // namespace gpulab::check
