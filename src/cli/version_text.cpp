#include "cli/version_text.hpp"

#include <fmt/core.h>

#include "core/build_facts.hpp"

namespace gpulab {

std::string version_text() {
  const BuildFacts& facts = build_facts();
  return fmt::format("gpulab {} (revision {}, {} build)\nhost compiler: {}\nCUDA Toolkit: {}", facts.version,
                     facts.revision, facts.build_type, facts.compiler,
                     facts.cuda_toolkit.empty() ? "none, simulator only" : facts.cuda_toolkit);
}

}  // namespace gpulab
