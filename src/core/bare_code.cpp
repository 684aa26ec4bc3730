#include "core/bare_code.hpp"

#include <algorithm>
#include <cctype>

namespace gpulab {

bool is_of_a_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

std::string bare_code(const std::string& text) {
  std::string code = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < code.size(); ++i)
      if (code[i] != '\n') code[i] = ' ';
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      end = close == std::string::npos ? text.size() : close + 2;
      blank(i, end);
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_of_a_word(text[i - 1])))) {  // not 1'000
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      blank(i + 1, end);
      end = std::min(end + 1, text.size());
    }
    i = end;
  }
  return code;
}

}  // namespace gpulab
