#pragma once

#include <string>
#include <string_view>

namespace gpulab {

// A text for a reader, as it stands in a file, with each paragraph in one long line, to be wrapped to the
// width of the terminal. Empty lines end a paragraph, and indented lines, such as formulas, stay as they are.
std::string flowing_text(std::string_view file);

}  // namespace gpulab
