#pragma once

#include <string>
#include <vector>

namespace gpulab {

// How this program was built: what --version and the JSON documents say of it.
struct BuildFacts {
  std::string version;
  std::string revision;  // of git, with -dirty when files were changed
  std::string compiler;  // of the host code
  std::string build_type;
  std::string cuda_toolkit;  // empty when it was built without
};

const BuildFacts& build_facts();

// Who measured, where and when: what makes two result files comparable, or not.
struct RunFacts {
  std::string started_utc;        // ISO 8601: "2026-03-01T09:30:00Z"
  std::vector<std::string> argv;  // as typed, the program's name first
  std::string hostname;
  std::string cpu;  // the model's name; empty when the system does not tell
  int cores = 0;    // threads that the system can run at once
  BuildFacts build;
  std::string fallback = {};  // why the simulator took the place of a GPU; empty where it did not
};

}  // namespace gpulab
