#pragma once

#include <string>
#include <vector>

namespace gpulab::cli {

// Columns and rows of the terminal at stdout.
struct ScreenSize {
  unsigned columns = 80, rows = 24;

  friend bool operator==(const ScreenSize&, const ScreenSize&) = default;
};

// A whole terminal to draw on: what stood there before is back when this is gone, and when a signal ends or
// stops the program, given TerminalKeys that live longer. There is one at a time.
class TerminalScreen {
 public:
  TerminalScreen();
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  // Where stdout is a terminal that can be drawn on.
  static bool is_possible();

  // As it is now; at least 40 x 10, where some of it cannot be seen. A resize wakes poll() with EINTR.
  ScreenSize size() const;

  // Shows these lines from the top on and nothing else. A line may have colours, and is no wider than the
  // screen; lines below its last row are left out. Only what has changed is written, so nothing flickers.
  void show(const std::vector<std::string>& lines);

  // Draws everything the next time: somebody else may have written to the terminal.
  void forget() { shown_.clear(); }

  // Gives the terminal to another program, such as an editor, and takes it back.
  void leave();
  void enter();

 private:
  std::vector<std::string> shown_;
  ScreenSize shown_size_;
  int stops_ = 0;  // of the program, since when everything has to be drawn anew
};

}  // namespace gpulab::cli
