#include "exercise/answered_sheet.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "exercise/answer_sheet.hpp"

namespace gpulab {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string answered_sheet(const Exercise& exercise) {
  const std::vector<std::string> lines = lines_of(exercise.starter), reasons = lines_of(exercise.answers);
  const std::vector<AskedQuestion> answers = asked_questions(exercise.answers);
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

}  // namespace gpulab
