#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "suites/manifest.hpp"
#include "suites/observation.hpp"

// Compares the observations of a case with the suite's label.

namespace gpulab::suites {

// Labels name classes of defects: "race", "bounds", "divergence", "uninitialised" ...
void require_class(const std::string& name);  // throws UsageError for an unknown name
bool is_of_classes(const std::string& kind, const std::vector<std::string>& classes);

enum class Outcome {
  found,             // the label says it has the defect, and so does gpulab
  noted,             // gpulab has a note about it: several threads write the same value
  not_manifest,      // the defect does not happen in this launch, for the reason in the manifest
  missed,            // gpulab does not see it
  silent,            // the label says it has none, and gpulab reports nothing
  silent_with_note,  // the same, and gpulab reports only a note
  label_wrong,       // gpulab sees a defect that the label denies, and the manifest says why it is a defect
  false_alarm,       // the same, without such a reason
  not_run,
};
std::string_view name_of(Outcome outcome);

struct JudgedCount {
  ExpectedCount expected;
  double observed = 0;
  bool is_equal = false;      // to the suite's number
  bool is_corrected = false;  // to the correct number, where the suite's is wrong
};

struct Judged {
  const Case* test_case = nullptr;
  std::vector<Observation> observations;    // of each order
  std::map<std::string, Outcome> outcomes;  // of each class that is judged
  std::vector<JudgedCount> counts;
  std::string not_run, detail;  // why there is no verdict
  double seconds = 0;
};

Judged judge(const Manifest& manifest, const Case& test_case, std::vector<Observation> observations);

// Returns whether somebody should look at it: a miss, a false alarm, a wrong count, a case that did not run.
bool is_remarkable(const Judged& judged);

}  // namespace gpulab::suites
