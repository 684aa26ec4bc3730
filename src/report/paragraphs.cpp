#include "report/paragraphs.hpp"

#include "report/text_layout.hpp"

namespace gpulab {

std::string paragraph(const std::string& text, Ink ink, const TextStyle& style) {
  std::string result;
  for (const std::string& line : wrapped(text, style.width, 2)) result += painted(line, ink, style) + "\n";
  return result;
}

std::string labelled(const std::string& label, Ink ink, const std::string& text, const TextStyle& style) {
  std::string result = paragraph(label + ": " + text, Ink::plain, style);
  if (result.starts_with(label)) result.replace(0, label.size(), painted(label, ink, style));
  return result;
}

}  // namespace gpulab
