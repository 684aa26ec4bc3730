#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/table.hpp"

namespace gpulab {

// The size of a terminal.
struct ScreenSize {
  unsigned columns = 80, rows = 24;

  friend bool operator==(const ScreenSize&, const ScreenSize&) = default;
};

// Returns the terminal's size, with values of `fallback` where the terminal does not report its own.
ScreenSize size_of_terminal(int descriptor, const ScreenSize& fallback);

// Returns colour and the terminal's width if stdout is a terminal, else plain text. Honours NO_COLOR and
// TERM=dumb.
TextStyle style_of_stdout();

bool stdout_is_terminal();

// Returns the value of COLUMNS, if plausible.
std::optional<unsigned> wanted_columns();

// Returns whether TERM is "dumb", so that only plain text works.
bool is_dumb();

// Splits the text into rows of at most this width, continuing colours in the next row. Removes everything
// else that could move the cursor.
std::vector<std::string> screen_rows(const std::string& text, std::size_t columns);

// The part of a longer text shown on a screen.
class Page {
 public:
  // Returns the rows to show, padded with empty ones.
  std::vector<std::string> shown(std::vector<std::string> rows, std::size_t room);

  // Both scroll by one row less than a screen.
  void page_down() { top_ += room_ - 1; }
  void page_up() { top_ -= std::min(top_, room_ - 1); }

  std::size_t top() const { return top_; }  // index of the first row shown
  std::size_t rows() const { return rows_; }
  bool has_more() const { return top_ + room_ < rows_; }

 private:
  std::size_t top_ = 0, room_ = 1, rows_ = 0;
};

// Returns whether one of the keys asks to end: q, or the end of the input.
bool is_quit(std::string_view keys);

// Reads keys without Return or echo, if stdin is a terminal and this program in its foreground. Restores the
// terminal on destruction and when a signal ends or stops the program. Only one may exist at a time.
class TerminalKeys {
 public:
  explicit TerminalKeys(bool are_wanted = true);
  ~TerminalKeys();
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;

  // Returns a descriptor for poll(); -1, which poll() ignores, where there are no keys.
  int descriptor() const { return descriptor_; }

  // Waits for a key or for the other descriptor, at most max_ms milliseconds (-1: no limit). Returns whether
  // the other one is readable. A resize or a return from a stop ends the wait, too.
  bool wait(int other = -1, int max_ms = -1) const;

  // leave() gives the terminal to another program, such as an editor; enter() takes it back, whatever mode
  // that program has left it in.
  void leave();
  void enter();

  // Returns the keys pressed, without waiting. Page down and right arrow become a space, page up and left
  // arrow a b; other multi-byte keys are dropped.
  std::string read();

 private:
  int descriptor_ = -1;
};

// A full-screen terminal. Restores the old content on destruction and, if TerminalKeys outlive it, when a
// signal ends or stops the program. Only one may exist at a time.
class TerminalScreen {
 public:
  TerminalScreen();
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  // Returns whether stdout is a terminal that can be drawn on.
  static bool is_possible();

  // Returns the current size, at least 40 x 10, even if part of that is invisible. A resize wakes poll() with
  // EINTR.
  ScreenSize size() const;

  // Shows exactly these lines from the top. A line may have colours and is no wider than the screen; lines
  // below the last row are dropped. Writes only what has changed, so nothing flickers.
  void show(const std::vector<std::string>& lines);

  // Returns whether the size has changed, or the program was stopped meanwhile.
  bool is_stale() const;

  // Redraws everything next time: others may have written to the terminal.
  void forget() { shown_.clear(); }

  // leave() gives the terminal to another program, such as an editor; enter() takes it back.
  void leave();
  void enter();

 private:
  std::vector<std::string> shown_;
  ScreenSize shown_size_;
  int stops_ = 0;  // how often the program had been stopped (Ctrl-Z) at the last drawing
};

// A text at the end of the terminal's content, redrawn in place as it grows. Only one may exist at a time.
class RedrawnText {
 public:
  RedrawnText();

  // Returns the screen's size, if large enough and this program is in its foreground.
  static std::optional<ScreenSize> screen();

  // Replaces the previous text; an empty text erases it. Throws Error.
  void draw(const std::string& text);

  const std::string& shown() const { return shown_; }

 private:
  std::string shown_;
  int stops_;  // how often the program had been stopped; after a stop, other lines follow the text
};

// Captures what is written to stdout or stderr, such as by a driver, or while a screen is drawn. On
// destruction, writes what was not taken.
class CapturedOutput {
 public:
  explicit CapturedOutput(int descriptor);
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  // Returns what was written since the last call, or at least its beginning.
  std::string take();

 private:
  int descriptor_;
  Descriptor captured_, original_;
};

}  // namespace gpulab
