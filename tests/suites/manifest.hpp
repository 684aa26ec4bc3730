#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/launch.hpp"
#include "device/instruments.hpp"

// A manifest describes the kernels of one foreign suite: what to launch each one with, and what the suite's own label says
// about it. tests/suites/README.md explains the fields of the JSON.

namespace gpulab::suites {

// What a kernel gets for one parameter.
struct Given {
  std::string type;   // as gpulab spells it: "const float*", "unsigned int volatile*"
  std::string bytes;  // of a scalar its value, of an array its elements
  bool is_array = false;
  bool is_unwritten = false;  // nobody has written the array before the launch
};

// A number that the suite states about a kernel's accesses.
struct ExpectedCount {
  std::string what;  // "extra wavefronts", "sectors per request"
  double value = 0;
  // Where the suite's number is wrong: the right one, and why.
  std::optional<double> corrected;
  std::string reason;
};

struct Case {
  std::string name;
  std::filesystem::path file;
  std::string kernel;
  std::vector<Given> arguments;
  LaunchConfig launch;
  std::vector<device::ThreadOrder> orders;
  double time_limit_s = 0;  // for each order
  std::size_t max_accesses = 0;
  std::vector<std::string> expected;            // classes of defects (judgement.hpp) that the label says it has
  std::map<std::string, std::string> explained;  // class -> why what is observed differs from the label, and is right
  std::vector<ExpectedCount> counts;            // of a case that is counted, not checked
};

struct Manifest {
  std::string suite, about;
  std::vector<std::string> judged;  // the classes of defects that the suite's labels are about
  std::vector<Case> cases;
};

// Paths in it are relative to its folder. Throws UsageError that names the case and the field that is wrong.
Manifest read_manifest(const std::filesystem::path& file);

}  // namespace gpulab::suites
