#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpulab {

// A text for an attribute or an element of XML 1.0. What XML cannot hold, which is control characters and
// bytes that are not UTF-8, becomes U+FFFD.
std::string xml_text(const std::string& text);

// A line for GitHub's runner, such as "::error file=a.cu,line=3::it is wrong", with what would end a value or
// the line escaped. White space at the end of the message is left out.
std::string workflow_command(const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& properties,
                             const std::string& message);

}  // namespace gpulab
