#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/exercise.hpp"
#include "exercise/simulated_check.hpp"

// The options of check that try a kernel with certain settings alone.

namespace gpulab {

struct TrialWords {
  std::optional<std::string> size, block_size;
  std::optional<std::uint64_t> seed;
  std::map<std::string, std::string> own;  // the lesson's own options, as typed
};

// Puts them into the command, and every option that only some lessons have.
void add_trial_options(CLI::App& command, TrialWords& words);

// What the words ask for: what is not said is as in the first settings that the kernel is checked with.
// Throws UsageError, in one sentence, for what the lesson does not take.
Trial trial_of(const Exercise& exercise, const TrialWords& words);

}  // namespace gpulab
