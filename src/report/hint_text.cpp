#include "report/hint_text.hpp"

#include <fmt/format.h>

#include "report/text_layout.hpp"

namespace gpulab {
namespace {

std::string headed(const std::string& heading, Ink ink, const std::string& text, const TextStyle& style) {
  constexpr std::size_t indent = 2;
  std::string result = painted(heading, ink, style) + "\n";
  for (const std::string& line : wrapped(text, style.width - indent))
    result += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
  return result + "\n";
}

}  // namespace

std::string hint_text(const TakenHint& hint, const TextStyle& style) {
  const std::size_t all = hint.first + hint.texts.size() - 1 + hint.left;
  std::string text;
  if (!hint.pattern.empty())
    text += headed("the last check showed " + hint.pattern, Ink::yellow, hint.of_pattern, style);
  for (std::size_t i = 0; i < hint.texts.size(); ++i)
    text += headed(fmt::format("{}, hint {} of {}", hint.exercise, hint.first + i, all), Ink::bold,
                   hint.texts[i], style);
  if (hint.left > 0) return text + fmt::format("{} left: gpulab hint {}\n", hint.left, hint.exercise);
  return text + fmt::format("none left: gpulab solution {}\n", hint.exercise);
}

}  // namespace gpulab
