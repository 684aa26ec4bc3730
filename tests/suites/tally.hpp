#pragma once

#include <string>
#include <vector>

#include "suites/judgement.hpp"

namespace gpulab::suites {

// Counts of cases for each outcome.
struct Tally {
  const Manifest* manifest = nullptr;
  const std::vector<Judged>* cases = nullptr;
  double seconds = 0;

  std::size_t count(const std::string& name, Outcome outcome) const;
  std::size_t equal_counts() const, corrected_counts() const, all_counts() const;
};

std::string text_of(const Tally& tally);
std::string json_of(const Tally& tally);

}  // namespace gpulab::suites
