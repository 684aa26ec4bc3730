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

// Columns and rows that the terminal does not tell, or all where there is none, are those that are unknown.
ScreenSize size_of_terminal(int descriptor, const ScreenSize& unknown);

// How text for stdout should look: colour and the terminal's width where it is a terminal, plain otherwise.
// NO_COLOR and TERM=dumb are honoured.
TextStyle style_of_stdout();

bool stdout_is_terminal();

// The value of COLUMNS, if that can be meant.
std::optional<unsigned> wanted_columns();

// Whether TERM says that the terminal understands nothing but text.
bool is_dumb();

// Rows of at most so many columns: what is longer goes on in the next one, in its colour. Whatever else could
// move the cursor is left out.
std::vector<std::string> screen_rows(const std::string& text, std::size_t columns);

// The part of a longer text that a screen shows.
class Page {
 public:
  // So many of the rows, and empty ones below the last.
  std::vector<std::string> shown(std::vector<std::string> rows, std::size_t room);

  // Turn by the rows that were shown, of which one stays.
  void turn_on() { top_ += room_ - 1; }
  void turn_back() { top_ -= std::min(top_, room_ - 1); }

  std::size_t top() const { return top_; }  // the first row that is shown
  std::size_t rows() const { return rows_; }
  bool has_more() const { return top_ + room_ < rows_; }

 private:
  std::size_t top_ = 0, room_ = 1, rows_ = 0;
};

// Whether one of the keys asks to end: q, or the end of the input.
bool is_quit(std::string_view keys);

// Keys as they are pressed, without Return and without an echo, where stdin is a terminal and this program in
// its foreground. The terminal is as it was again when this is gone, and when a signal ends or stops the
// program. There is one at a time.
class TerminalKeys {
 public:
  explicit TerminalKeys(bool are_wanted = true);
  ~TerminalKeys();
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;

  // For poll(); -1, which poll() leaves out, where there are no keys.
  int descriptor() const { return descriptor_; }

  // Waits for a key, for so many milliseconds or as long as it takes, or until there is something to read
  // from the other descriptor; whether there is. A screen that has another size, or that the program has come
  // back to, ends it, too.
  bool wait(int other = -1, int most_ms = -1) const;

  // Gives the terminal to another program, such as an editor, and takes it back, in whatever mode that leaves
  // it.
  void leave();
  void enter();

  // Those that were pressed, without waiting. Page down and the arrow to the right are a space, page up and
  // the arrow to the left a b; other keys that send several letters are left out.
  std::string read();

 private:
  int descriptor_ = -1;
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

  // Whether the terminal has another size now, or has shown something else while the program was stopped.
  bool is_stale() const;

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

// A text below what stands on the terminal already, drawn over itself as more of it is known. There is one at
// a time.
class RedrawnText {
 public:
  RedrawnText();

  // The screen, where it is large enough and this program in its foreground.
  static std::optional<ScreenSize> screen();

  // In the place of what was drawn before; nothing for an empty text. Throws Error.
  void draw(const std::string& text);

  const std::string& shown() const { return shown_; }

 private:
  std::string shown_;
  int stops_;  // of the program, since when somebody else's lines stand where the text did
};

// Keeps what is written to stderr, by this process or a kernel that prints, while a screen is drawn on that
// it would spoil. What nobody took is written when this is gone.
class KeptStderr {
 public:
  KeptStderr();
  ~KeptStderr();
  KeptStderr(const KeptStderr&) = delete;
  KeptStderr& operator=(const KeptStderr&) = delete;

  // All that was written since the last time, its beginning at least.
  std::string take();

 private:
  Descriptor kept_, stderr_;
};

}  // namespace gpulab
