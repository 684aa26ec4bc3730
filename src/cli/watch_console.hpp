#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/terminal_keys.hpp"
#include "cli/terminal_screen.hpp"
#include "learn/watched_files.hpp"

namespace gpulab::cli {

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
  using Text = std::function<std::string(const report::TextStyle&)>;

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
  std::string wait(const learn::FolderEvents& saves);

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

}  // namespace gpulab::cli
