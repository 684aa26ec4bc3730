#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpulab::report {

// A line for GitHub's runner, such as "::error file=a.cu,line=3::it is wrong", with what would end a value or
// the line escaped. White space at the end of the message is left out.
std::string workflow_command(const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& properties,
                             const std::string& message);

}  // namespace gpulab::report
