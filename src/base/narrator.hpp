#pragma once

#include <string>

namespace gpulab {

// Whether somebody is there to be asked.
bool can_ask();

// Asks on stderr, and reads a line from stdin; whether it begins with a y.
bool says_yes(const std::string& question);

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

// How long something may still take: "40 s", "3 min".
std::string rough_time(double seconds);

}  // namespace gpulab
