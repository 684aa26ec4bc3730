#pragma once

#include <string>

#include "report/text_style.hpp"

namespace gpulab {

// How text for stdout should look: colour and the terminal's width where it is a terminal, plain otherwise.
// NO_COLOR and TERM=dumb are honoured.
TextStyle style_of_stdout();

// Lines on stderr about what is going on. Progress is shown on a terminal only, and wiped when it is over.
class Narrator {
 public:
  explicit Narrator(bool quiet);
  ~Narrator();
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void remark(const std::string& line);
  void progress(const std::string& what);

 private:
  void wipe();

  bool quiet_;
  bool is_terminal_;
  bool shows_progress_ = false;
};

}  // namespace gpulab
