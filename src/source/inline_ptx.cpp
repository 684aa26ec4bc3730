#include "source/inline_ptx.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace gpulab::source {
namespace {

// C++ types of registers, by the constraint letter of the asm operand.
const std::map<char, const char*> register_types{
    {'h', "unsigned short"}, {'r', "unsigned"}, {'l', "unsigned long long"},
    {'f', "float"},          {'d', "double"},   {'n', "long long"}};

// Returns the text of a string literal.
std::string text_of_literal(std::string_view literal) {
  const std::size_t quote = literal.find('"');
  if (quote != 0) throw NotTranslated();
  std::string text;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    const bool is_escape = literal[i] == '\\';
    if (is_escape) ++i;
    if (is_escape && i + 1 < literal.size())
      text += literal[i] == 'n' || literal[i] == 't' || literal[i] == 'r' ? ' ' : literal[i];
    else
      text += literal[i];
  }
  return text;
}

// Returns PTX without its comments, with %% as %.
std::string without_comments(std::string text) {
  for (std::size_t begin; (begin = text.find("/*")) != std::string::npos;) {
    const std::size_t end = text.find("*/", begin);
    text.erase(begin, end == std::string::npos ? end : end + 2 - begin);
  }
  if (text.find("//") != std::string::npos) throw NotTranslated();  // line ends have become blanks
  for (std::size_t at; (at = text.find("%%")) != std::string::npos;) text.erase(at, 1);
  return text;
}

struct AsmOperand {
  std::string constraint, expression;
};

class AsmReader {
 public:
  AsmReader(const Code& code, std::size_t at) : code_(code), at_(at + 1) {}

  TranslatedPtx read() {
    while (current() == "volatile" || current() == "__volatile__") ++at_;
    if (current() != "(") throw NotTranslated();
    const std::size_t first = at_, end = code_.matching(at_);
    if (end >= code_.size()) throw NotTranslated();
    ++at_;
    std::string ptx;
    while (is_string()) ptx += text_of_literal(code_.text(at_++));
    std::vector<AsmOperand> operands;
    std::size_t outputs = 0;
    for (int section = 0; section < 2 && current() == ":"; ++section) {
      ++at_;
      while (is_string()) operands.push_back(operand());
      if (section == 0) outputs = operands.size();
    }
    if (current() != ":" && at_ != end) throw NotTranslated();  // the third section, clobbers, is not needed
    TranslatedPtx translated{.statement = statement(without_comments(ptx), operands, outputs),
                             .end = end + 1};
    const std::string_view original(&code_.whole()[code_.begin_of(first)],
                                    code_.end_of(end) - code_.begin_of(first));
    // As many newlines as the original has, so that the lines after it keep their numbers.
    const bool is_in_macro = original.find("\\\n") != std::string_view::npos;
    for (auto lines = std::ranges::count(original, '\n'); lines > 0; --lines)
      translated.statement += is_in_macro ? " \\\n" : "\n";
    return translated;
  }

 private:
  // Returns the current token's text, after the backslashes between the lines of a macro.
  std::string_view current() {
    while (code_.text(at_) == "\\") ++at_;
    return code_.text(at_);
  }
  bool is_string() { return current().starts_with('"'); }

  AsmOperand operand() {
    AsmOperand operand{.constraint = text_of_literal(code_.text(at_++)), .expression = ""};
    if (current() != "(") throw NotTranslated();
    const std::size_t close = code_.matching(at_);
    if (close >= code_.size()) throw NotTranslated();
    operand.expression = code_.text_between(at_, close + 1);
    std::ranges::replace_if(
        operand.expression, [](char c) { return c == '\n' || c == '\\'; }, ' ');
    at_ = close + 1;
    if (current() == ",") ++at_;
    return operand;
  }

  static std::string statement(const std::string& ptx, const std::vector<AsmOperand>& operands,
                               std::size_t outputs) {
    std::string cpp = "do { ", results;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const AsmOperand& operand = operands[i];
      const char constraint = operand.constraint.empty() ? ' ' : operand.constraint.back();
      const auto type = register_types.find(constraint);
      if (type == register_types.end()) throw NotTranslated();
      const std::string name = variable_of_operand(i);
      const bool is_read = i >= outputs || operand.constraint.starts_with('+');
      cpp += fmt::format("{0} {1}", type->second, name);
      cpp += is_read ? fmt::format(" = ({}){}; ", type->second, operand.expression) : "{}; ";
      if (i < outputs) results += fmt::format("gpulab_give({}, {}); ", operand.expression, name);
    }
    return cpp + translated_instructions(ptx, operands.size()) + results + "} while (0)";
  }

  const Code& code_;
  std::size_t at_;
};

}  // namespace

std::vector<std::string> ptx_parts(std::string_view text, char separator) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c == separator && depth == 0)
      parts.push_back(std::exchange(part, ""));
    else
      part += c;
  }
  parts.push_back(part);
  for (std::string& untrimmed : parts) untrimmed = trimmed(untrimmed);
  return parts;
}

std::optional<TranslatedPtx> translated_ptx(const Code& code, std::size_t at) {
  try {
    return AsmReader(code, at).read();
  } catch (const NotTranslated&) {
    return std::nullopt;
  }
}

std::string missing_in_ptx(const Code& code, std::size_t at) {
  try {
    AsmReader(code, at).read();
    return "";
  } catch (const NotTranslated& missing) {
    return missing.what.empty() ? "inline PTX (asm)" : missing.what;
  }
}

}  // namespace gpulab::source
