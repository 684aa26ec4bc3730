#include "exercise/answer_sheet.hpp"

#include <regex>
#include <sstream>

#include "exercise/quantity.hpp"

namespace gpulab {
namespace {

// What is longer is no part of a sheet, and a regex takes the length of a line on the stack.
constexpr std::size_t longest_line = 400;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class SheetReader {
 public:
  void take(const std::string& whole_line) {
    ++number_;
    const std::string line = trimmed(whole_line.substr(0, longest_line));
    if (take_heading(line) || questions_.empty()) return;
    if (!take_kernel(line) && !take_answer(line)) take_fact(line);
  }

  std::vector<AskedQuestion> questions() { return std::move(questions_); }

 private:
  bool take_heading(const std::string& line) {
    static const std::regex form(R"([0-9]{1,3}\. ([A-Z].*))");
    std::smatch match;
    if (!std::regex_match(line, match, form)) return false;
    questions_.push_back({.heading = line, .name = match[1]});
    in_kernel_ = false;
    return true;
  }

  // Kernels in questions have no braces but those around them.
  bool take_kernel(const std::string& line) {
    if (line.starts_with("__global__")) in_kernel_ = true;
    if (!in_kernel_) return false;
    questions_.back().kernels += line + "\n";
    if (line == "}") in_kernel_ = false;
    return true;
  }

  bool take_answer(const std::string& line) {
    static const std::regex form(
        R"([Aa]nswer\s*(?:\(([^,]*), (?:exact|within ([^)]*))\))?\s*:([^#]*)(?:#.*)?)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) return false;
    AskedQuestion& question = questions_.back();
    // Who answers twice means the last.
    if (const std::string answer = trimmed(match[3]); question.line == 0 || !answer.empty()) {
      question.answer = answer;
      question.line = number_;
      question.source = line;
    }
    question.unit = match[1];
    if (const auto tolerance = quantity(match[2], plain_number)) question.tolerance = tolerance->value;
    return true;
  }

  void take_fact(const std::string& line) {
    static const std::regex form("([a-z][a-zA-Z ]*): +([0-9].*)");
    std::smatch match;
    if (!std::regex_match(line, match, form)) return;
    if (const auto value = quantity(match[2], plain_number))
      questions_.back().facts.set(match[1], value->value);
  }

  std::vector<AskedQuestion> questions_;
  int number_ = 0;
  bool in_kernel_ = false;
};

}  // namespace

std::vector<AskedQuestion> asked_questions(const std::string& sheet) {
  SheetReader reader;
  std::istringstream lines(sheet);
  for (std::string line; std::getline(lines, line);) reader.take(line);
  return reader.questions();
}

}  // namespace gpulab
