#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/output.hpp"

namespace gpulab {

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

// Keeps what is written to stderr, by this process or a kernel that prints, while a screen is drawn on that
// it would spoil. What nobody took is written when this is gone.
class KeptStderr {
 public:
  KeptStderr();
  ~KeptStderr();
  KeptStderr(const KeptStderr&) = delete;
  KeptStderr& operator=(const KeptStderr&) = delete;

  // What was written since the last time, its beginning at least.
  std::string take();

 private:
  int kept_, stderr_ = -1;  // descriptors
};

// What a command shows while it watches files. On a terminal that is a whole screen: the top of a text, which
// m and b scroll, and a last line that says what goes on and what the keys do. Elsewhere the texts are
// printed one after another. When it is gone, the last text stands where the program was started.
class WatchConsole {
 public:
  using Text = std::function<std::string(const TextStyle&)>;

  // The keys are those that the command obeys: "q quits, h hints". A plain console has neither screen nor
  // keys nor colour.
  WatchConsole(std::string keys, bool is_plain);
  ~WatchConsole();

  bool has_screen() const { return screen_.has_value(); }

  // Readable when a key was pressed; -1 where there are no keys.
  int descriptor() const { return keys_ ? keys_->descriptor() : -1; }

  void show(Text text);
  // The same text, of which more is known by now. It is for a screen, nothing is printed.
  void update(Text text);
  // On a screen it takes the place of the text, elsewhere it goes to stderr.
  void show_error(const std::string& message);
  // What goes on until the next text is shown: "checking first_kernel.cu".
  void working(const std::string& what);

  // The keys that were pressed, without waiting. Those that scroll are obeyed and left out.
  std::string pressed();
  // The same after something was saved or pressed, the screen has another size, or a quarter of a second has
  // passed: where there are no alarms, files have to be looked at.
  std::string wait(const FolderEvents& saves);

  // Whether one of them asks to end: q, or the end of the input.
  static bool is_quit(const std::string& keys);

 private:
  void print(const Text& text) const;
  void draw();
  bool scroll(char key);
  std::string last_line(std::size_t lines, const ScreenSize& size) const;

  std::string key_words_;
  bool is_plain_;
  std::optional<TerminalKeys> keys_;  // lives longer than the screen
  std::optional<KeptStderr> told_;
  std::optional<TerminalScreen> screen_;
  Narrator narrator_;
  Text text_;
  std::string remarks_, work_;
  std::size_t top_ = 0;  // the first line that is shown
  ScreenSize drawn_size_;
  int drawn_stops_ = 0;
};

}  // namespace gpulab
