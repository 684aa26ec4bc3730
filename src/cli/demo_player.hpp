#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/demo_stage.hpp"

namespace gpulab::cli {

// What there is to say, for a second terminal that follows the file. Nothing that stands there is lost.
class DemoNotes {
 public:
  // None without a file. Throws UsageError for what cannot be written, and for the script itself.
  DemoNotes(const std::optional<std::filesystem::path>& file,
            const std::optional<std::filesystem::path>& script);

  // What cannot be written does not stop a demo: finish() tells.
  void add(const teach::Demo& demo, std::size_t step, const teach::DemoReveal* reveal);

  // Throws UsageError if something could not be written.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::filesystem::path file_;
  std::ofstream stream_;
  std::string problem_;
};

// Plays a demo on the terminal until somebody quits. The words are those that were typed: a fault that takes
// a GPU away makes the program start anew, at the next step.
ExitCode play_on_terminal(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed);

// One step after the other, with nobody to wait for: wrong_result if an answer came out that the demo has no
// reason for.
ExitCode play_through(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed);

}  // namespace gpulab::cli
