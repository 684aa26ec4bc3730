#include "device/simulator/fault/source_line.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>

#include "device/simulator/compile/child_process.hpp"

namespace gpulab {

std::string source_line(std::uintptr_t instruction) {
  Dl_info module{};
  if (!::dladdr(reinterpret_cast<void*>(instruction), &module) || !module.dli_fname) return {};
  char offset[20];
  std::snprintf(
      offset, sizeof offset, "0x%llx",
      static_cast<unsigned long long>(instruction - reinterpret_cast<std::uintptr_t>(module.dli_fbase)));
  // -i unrolls inlining, innermost first; the kernel's own line is the last that is not in the prelude.
  const ChildResult found = run_child({"addr2line", "-s", "-i", "-e", module.dli_fname, offset}, "/");
  if (found.exit_status != 0) return {};
  std::string line;
  for (std::size_t start = 0, end; (end = found.output.find('\n', start)) != std::string::npos;
       start = end + 1) {
    std::string candidate = found.output.substr(start, end - start);
    candidate.resize(std::min(candidate.size(), candidate.find(" (discriminator")));
    if (candidate.find('?') == std::string::npos && !candidate.starts_with("prelude.cuh")) return candidate;
  }
  return {};
}

}  // namespace gpulab
