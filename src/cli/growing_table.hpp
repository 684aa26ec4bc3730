#pragma once

#include <string>

#include "cli/output.hpp"
#include "core/result.hpp"

namespace gpulab::cli {

// The table of a lesson that runs, on the terminal: it is drawn over itself as rows are done, and taken away
// before the whole report is printed in its place. It never takes more than the screen: of a longer table the
// last rows are shown. Nothing is drawn without a terminal that can do it, or in the background.
class GrowingTable {
 public:
  // Progress stands below the table, on the same terminal.
  GrowingTable(bool is_wanted, Narrator& narrator);

  void show(const LessonResult& so_far);
  void remove();
  // Prints a line above the table.
  void remark(const std::string& line);

 private:
  void draw(const std::string& text);

  bool is_wanted_;
  Narrator& narrator_;
  std::string shown_;
};

}  // namespace gpulab::cli
