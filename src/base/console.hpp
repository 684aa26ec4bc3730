#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"

namespace gpulab {

// The output of a command that watches files. On a terminal it fills the screen: a text that m and b scroll,
// and a last line with the state and the keys. Elsewhere the texts are printed one after another. When the
// screen closes, the last text is printed once more, so that it remains on the terminal.
class WatchConsole {
 public:
  using Text = std::function<std::string(const TextStyle&)>;

  // `keys` lists the keys that the command obeys: "q quits, h hints". A plain console has no screen, keys or
  // colour.
  WatchConsole(std::string keys, bool is_plain);
  ~WatchConsole();

  bool has_screen() const { return screen_.has_value(); }

  // Returns a descriptor that is readable when a key was pressed; -1 if there are no keys.
  int descriptor() const { return keys_.descriptor(); }

  void show(Text text);
  // Shows a more complete version of the same text, on a screen only.
  void update(Text text);
  // Shows the message instead of the text on a screen, and prints it to stderr elsewhere.
  void show_error(const std::string& message);
  // Shows the current activity until the next text is shown: "checking first_kernel.cu".
  void show_activity(const std::string& what);

  // Returns the keys that were pressed, without waiting. Keys that scroll a long text are not returned.
  std::string pressed();
  // Waits for a save, a key or a resize, at most a quarter of a second, because without notifications the
  // caller has to poll the files. Then returns like pressed().
  std::string wait(const FolderEvents& saves);

 private:
  void print(const Text& text) const;
  void draw();
  bool scroll(char key);
  std::string last_line(std::size_t room) const;

  std::string key_help_;
  bool is_plain_;
  TerminalKeys keys_;  // must outlive the screen
  std::optional<CapturedStderr> stderr_;
  std::optional<TerminalScreen> screen_;
  Narrator narrator_;
  Text text_;
  std::string remarks_, activity_;
  std::string said_;  // answer to a key, in the last line until the next one
  Page page_;
};

}  // namespace gpulab
