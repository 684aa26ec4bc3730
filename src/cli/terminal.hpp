#pragma once

#include <string>

#include "report/text_style.hpp"

namespace gpulab {

// How text for stdout should look: colour and the terminal's width where it is a terminal, plain otherwise.
// NO_COLOR and TERM=dumb are honoured.
TextStyle style_of_stdout();

bool stdout_is_terminal();

// Whether somebody is there to be asked.
bool can_ask();

// Asks on stderr, and reads a line from stdin; whether it begins with a y.
bool says_yes(const std::string& question);

// An empty screen on a terminal; nothing elsewhere.
void clear_screen();

// Writes to stderr, and does not mind when that is closed or full.
void tell(const std::string& text);

// Lines on stderr about what is going on. Progress is shown on a terminal only, and wiped when it is over.
class Narrator {
 public:
  explicit Narrator(bool quiet);
  ~Narrator();
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void remark(const std::string& line);
  void progress(const std::string& what);
  // Takes the progress away, before something else is printed.
  void wipe();

 private:
  bool quiet_;
  bool shows_progress_;
  bool is_dirty_ = false;
};

}  // namespace gpulab
