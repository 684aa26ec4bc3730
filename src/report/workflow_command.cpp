#include "report/workflow_command.hpp"

namespace gpulab::report {
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

}  // namespace gpulab::report
