#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/instruments.hpp"
#include "lesson/launch.hpp"

// A manifest describes the kernels of one foreign suite: what to launch each one with, and what the suite's
// own label says about it. tests/suites/README.md explains the fields of the JSON.

namespace gpulab::suites {

// Argument for one parameter of a kernel: a value, or the address of an array.
struct GivenArgument {
  std::string type;  // as gpulab spells it: "const float*", "unsigned int volatile*"
  bool is_array = false;
  std::vector<double> values;  // the scalar, or the first elements of an array
  std::size_t count = 0;       // elements of an array; those beyond `values` equal its last one
  std::string raw;             // the bytes themselves, if not empty
  std::size_t bytes_each = 0;  // size of an element that is a structure of zeros; 0 if it is a number
  bool is_counting = false;    // 0, 1, 2 ...
  std::optional<std::size_t> written_bytes = {};  // of an array that is written in part
};

// Returns the bytes in memory: the value, or all elements of the array.
std::string bytes_of(const GivenArgument& given);

// A number that the suite states about a kernel's accesses.
struct ExpectedCount {
  std::string what;  // "extra wavefronts", "sectors per request"
  double value = 0;
  // The right number where the suite's is wrong, and the reason.
  std::optional<double> corrected;
  std::string reason;
};

struct Case {
  std::string name;
  std::filesystem::path file;
  std::string kernel;
  std::vector<GivenArgument> arguments;
  LaunchConfig launch;
  std::vector<device::ThreadOrder> orders;
  double time_limit_s = 0;  // for each order
  std::size_t max_accesses = 0;
  std::vector<std::string> expected;             // labels of the case
  std::map<std::string, std::string> explained;  // label -> why the observation differs from it and is right
  std::vector<ExpectedCount> counts;             // of a case that is counted, not checked
};

struct Manifest {
  std::string suite, about;
  std::map<std::string, std::vector<std::string>>
      judged;  // label -> the classes of defects (judgement.hpp) it is about
  std::vector<Case> cases;
  std::map<std::string, std::string> skipped;  // other parts of the suite -> why they are no cases
};

// Reads a manifest, whose paths are relative to its folder. Throws UsageError that names the case and the
// field that is wrong.
Manifest read_manifest(const std::filesystem::path& file);

}  // namespace gpulab::suites
