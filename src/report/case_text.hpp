#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/bench_result.hpp"

namespace gpulab::report {

// What tells cases of a lesson apart, besides their variants and sizes: options, seeds and blocks that not
// all of them share.
class CaseDifferences {
 public:
  explicit CaseDifferences(const std::vector<BenchCase>& cases);

  // "distribution=sorted seed=7"; empty where all cases are alike.
  std::string text(const BenchCase& what) const;

 private:
  std::map<std::string, std::map<std::string, std::set<std::string>>> values_;  // by lesson, then option
};

}  // namespace gpulab::report
