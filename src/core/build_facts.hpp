#pragma once

#include <string>

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

}  // namespace gpulab
