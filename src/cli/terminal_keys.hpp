#pragma once

#include <string>

namespace gpulab::cli {

// Keys as they are pressed, without Return and without an echo, where stdin is a terminal and this program in
// its foreground. The terminal is as it was again when this is gone, and when a signal ends or stops the
// program. There is one at a time.
class TerminalKeys {
 public:
  TerminalKeys();
  ~TerminalKeys();
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;

  // For poll(); -1, which poll() leaves out, where there are no keys.
  int descriptor() const { return descriptor_; }

  // Gives the terminal to another program, such as an editor, and takes it back, in whatever mode that leaves
  // it.
  void leave();
  void enter();

  // What was pressed, without waiting. Page down and the arrow to the right are a space, page up and the
  // arrow to the left a b; other keys that send several letters are left out.
  std::string read();

 private:
  int descriptor_ = -1;
};

// What a signal writes to stdout when it ends or stops the program, and when that goes on: texts that live as
// long as the program. For a screen that is drawn on.
void write_when_stopped(const char* before, const char* after);

// How often a signal has stopped the program.
int stops_of_the_program();

}  // namespace gpulab::cli
