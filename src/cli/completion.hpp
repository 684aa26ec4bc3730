#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gpulab::cli {

struct Candidate {
  std::string word, description;
};

// In place of a word: the shell completes the names of files, or of folders.
constexpr const char* any_file = ":files";
constexpr const char* any_folder = ":folders";

// What may stand where a word is unfinished, behind the words that are finished ("gpulab" itself is not among
// them). Made from the commands, their options and the words that these take.
std::vector<Candidate> candidates(const CLI::App& app, const std::vector<std::string>& words,
                                  const std::string& unfinished);

// What bash, zsh or fish has to read. It asks `gpulab complete WORDS... UNFINISHED` at each completion.
std::string completion_script(const std::string& shell);

}  // namespace gpulab::cli
