#include "base/test_report.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpulab {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0 for what is not UTF-8
};

// RFC 3629: no bytes more than needed, no surrogates, nothing above U+10FFFF.
Letter letter_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {.code = byte(0), .bytes = 1};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
  char32_t code = byte(0) & (0xFF >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[bytes] || code > 0x10FFFF || is_surrogate ? Letter{}
                                                                : Letter{.code = code, .bytes = bytes};
}

bool is_xml(char32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code != 0xFFFE && code != 0xFFFF);
}

std::string_view entity_of(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\n':
      return "&#10;";  // an attribute would make it a space
    case '\r':
      return "&#13;";
    case '\t':
      return "&#9;";
    default:
      return {};
  }
}

}  // namespace

std::string xml_text(const std::string& text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const Letter letter = letter_at(rest);
    if (letter.bytes == 0 || !is_xml(letter.code)) {
      safe += replacement;
    } else {
      const std::string_view entity = entity_of(letter.code);
      safe += entity.empty() ? rest.substr(0, letter.bytes) : entity;
    }
    at += letter.bytes > 0 ? letter.bytes : 1;
  }
  return safe;
}

namespace {

// A line break ends a command, and a comma or a colon a property.
std::string escaped(const std::string& text, bool is_property) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '%')
      safe += "%25";
    else if (letter == '\r')
      safe += "%0D";
    else if (letter == '\n')
      safe += "%0A";
    else if (is_property && letter == ':')
      safe += "%3A";
    else if (is_property && letter == ',')
      safe += "%2C";
    else
      safe += letter;
  }
  return safe;
}

}  // namespace

std::string workflow_command(const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& properties,
                             const std::string& message) {
  std::string text = "::" + name;
  for (const auto& [property, value] : properties)
    text += (&property == &properties.front().first ? " " : ",") + property + "=" + escaped(value, true);
  return text + "::" + escaped(message.substr(0, message.find_last_not_of(" \n") + 1), false) + "\n";
}

}  // namespace gpulab
