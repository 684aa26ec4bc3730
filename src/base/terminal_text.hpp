#pragma once

#include <string>
#include <string_view>

namespace gpulab {

// A filter for untrusted output to a terminal: text, colours and cursor movements pass. A "?" replaces other
// escape sequences, which can make a terminal send input, or change its title or clipboard.
class TerminalText {
 public:
  // Returns the filtered output up to the end of `piece`. An escape sequence or letter that is cut off at the
  // end waits for the next piece.
  std::string shown(std::string_view piece);
  // Returns what waits, at the end of the output.
  std::string rest();

 private:
  std::string waiting_;
};

}  // namespace gpulab
