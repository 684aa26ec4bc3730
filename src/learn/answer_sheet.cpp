#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <regex>
#include <sstream>
#include <vector>

#include "core/text.hpp"
#include "learn/answers.hpp"

namespace gpulab::learn {
namespace {

constexpr Unit units[] = {
    {"", Dimension::number, 1},         {"x", Dimension::number, 1},       {"times", Dimension::number, 1},
    {"%", Dimension::number, 0.01},     {"sectors", Dimension::number, 1}, {"sector", Dimension::number, 1},
    {"elements", Dimension::number, 1}, {"element", Dimension::number, 1}, {"s", Dimension::time, 1},
    {"ms", Dimension::time, 1e-3},      {"us", Dimension::time, 1e-6},     {"\u00b5s", Dimension::time, 1e-6},
    {"\u03bcs", Dimension::time, 1e-6}, {"ns", Dimension::time, 1e-9},     {"B", Dimension::bytes, 1},
    {"bytes", Dimension::bytes, 1},     {"byte", Dimension::bytes, 1},     {"kB", Dimension::bytes, 1e3},
    {"KB", Dimension::bytes, 1e3},      {"MB", Dimension::bytes, 1e6},     {"GB", Dimension::bytes, 1e9},
    {"KiB", Dimension::bytes, 0x1p10},  {"MiB", Dimension::bytes, 0x1p20}, {"GiB", Dimension::bytes, 0x1p30},
    {"MB/s", Dimension::rate, 1e6},     {"GB/s", Dimension::rate, 1e9},
};

}  // namespace

const Unit* unit_called(const std::string& name) {
  const auto found = std::ranges::find_if(units, [&](const Unit& unit) { return unit.name == name; });
  return found == std::end(units) ? nullptr : &*found;
}

bool is_in_some_unit(double number, Dimension dimension, double value) {
  constexpr double about = 1e-9;
  return std::ranges::any_of(units, [&](const Unit& unit) {
    return unit.dimension == dimension && std::abs(number * unit.in_si - value) <= about * std::abs(value);
  });
}

std::optional<Quantity> quantity(const std::string& text, const Unit& unit_of_bare_numbers) {
  constexpr std::size_t longest = 60;
  static const std::regex form(
      R"(\s*((?:[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)?(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([^0-9\s.]\S*)?\s*)");
  std::smatch match;
  if (text.size() > longest || !std::regex_match(text, match, form)) return std::nullopt;
  std::string digits = match[1];
  std::erase(digits, ' ');
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const Unit* unit = match[2].matched ? unit_called(match[2]) : &unit_of_bare_numbers;
  if (!unit) return std::nullopt;
  return Quantity{number * unit->in_si, number, unit->dimension};
}

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
    static const std::regex form("([a-z][a-zA-Z -]*): +([0-9].*)");
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
  for (const std::string& line : lines_of(sheet)) reader.take(line);
  return reader.questions();
}

std::string answered_sheet(const Exercise& exercise) {
  const std::vector<std::string> lines = lines_of(exercise.starter), reasons = lines_of(exercise.solution);
  const std::vector<AskedQuestion> answers = asked_questions(exercise.solution);
  std::string text;
  std::size_t copied = 0;
  for (const AskedQuestion& asked : asked_questions(exercise.starter)) {
    const auto given = std::ranges::find(answers, asked.heading, &AskedQuestion::heading);
    if (given == answers.end()) continue;
    const auto place = static_cast<std::size_t>(asked.line);
    for (; copied < place; ++copied) text += lines[copied] + (copied + 1 < place ? "\n" : "");
    text += " " + given->answer + "\n";
    for (auto line = static_cast<std::size_t>(given->line);
         line < reasons.size() && reasons[line].starts_with('#'); ++line)
      text += reasons[line] + "\n";
  }
  for (; copied < lines.size(); ++copied) text += lines[copied] + "\n";
  return text;
}

}  // namespace gpulab::learn
