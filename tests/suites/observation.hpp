#pragma once

#include <map>
#include <string>
#include <vector>

// Result of one launch of a case in one order of its threads. A child process sends it as JSON.

namespace gpulab::suites {

struct SeenDefect {
  std::string kind;  // name_of(DefectKind)
  std::string text;
  int line = 0;
  bool is_note = false;
};

struct Observation {
  std::string order;
  std::vector<SeenDefect> defects;
  std::map<std::string, double> counts;  // what -> how many, of a case that is counted
  // Why there is no verdict: "does not compile", "launch refused", "crash", "time limit"; empty when it ran.
  std::string not_run;
  std::string detail;  // the first line of the message
  double seconds = 0;
};

std::string json_of(const Observation& observation);
Observation observation_of(const std::string& json);

}  // namespace gpulab::suites
