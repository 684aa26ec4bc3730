#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace gpulab::cli {

// Keeps the file of an earlier run from being taken for the result of this one, whatever becomes of this one,
// even if it is killed: while this lives, the earlier file is called FILE.previous.
//
// Files are recognised in the words, behind the options that write one, so that words that cannot be parsed
// set them aside too. Left alone are devices and pipes, empty files, those that must not be written to, and
// those that the words name a second time, such as an input.
class EarlierOutputs {
 public:
  EarlierOutputs(const CLI::App& app, const std::vector<std::string>& words);
  // Removes an earlier file where there is a new one, and says on stderr how it is called where there is
  // none.
  ~EarlierOutputs();
  EarlierOutputs(const EarlierOutputs&) = delete;
  EarlierOutputs& operator=(const EarlierOutputs&) = delete;

 private:
  struct Earlier {
    std::string typed;
    std::filesystem::path file, previous;
  };

  void set_aside(const std::string& typed);

  std::vector<Earlier> earlier_;
};

}  // namespace gpulab::cli
