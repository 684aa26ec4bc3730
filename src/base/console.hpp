#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"

namespace gpulab {

// The output of a command that watches files. On a terminal that is a whole screen: the top of a text, which
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
  int descriptor() const { return keys_.descriptor(); }

  void show(Text text);
  // The same text, of which more is known by now. It is for a screen, nothing is printed.
  void update(Text text);
  // On a screen it takes the place of the text, elsewhere it goes to stderr.
  void show_error(const std::string& message);
  // Says what goes on until the next text is shown: "checking first_kernel.cu".
  void working(const std::string& what);

  // The keys that were pressed, without waiting. Those that scroll are obeyed and left out.
  std::string pressed();
  // The same after something was saved or pressed, the screen has another size, or a quarter of a second has
  // passed: where there are no alarms, files have to be looked at.
  std::string wait(const FolderEvents& saves);

 private:
  void print(const Text& text) const;
  void draw();
  bool scroll(char key);
  std::string last_line(std::size_t room) const;

  std::string key_words_;
  bool is_plain_;
  TerminalKeys keys_;  // lives longer than the screen
  std::optional<KeptStderr> told_;
  std::optional<TerminalScreen> screen_;
  Narrator narrator_;
  Text text_;
  std::string remarks_, work_;
  Page page_;
};

}  // namespace gpulab
