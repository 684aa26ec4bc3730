#pragma once

#include <string>
#include <string_view>

namespace gpulab::program {

// A stranger's output as a terminal may show it: text, colours and the cursor's moves. Other sequences make
// some terminals answer as if somebody typed, or change their title or the clipboard: a "?" is in their
// place.
class TerminalText {
 public:
  // As much of the output so far as is whole; the rest waits for the next piece.
  std::string shown(std::string_view piece);
  // What has waited.
  std::string rest();

 private:
  std::string waiting_;
};

}  // namespace gpulab::program
