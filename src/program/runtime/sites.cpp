#include <execinfo.h>
#include <map>

#include "program/runtime/runtime.hpp"
#include "simulator/watch/kernel_fault.hpp"

// Which lines of the program call the runtime.

namespace gpulab::program::runtime {

SourcePlace place_of(Site site) {
  static auto& known =
      *new std::map<std::uintptr_t, SourcePlace>;  // also for what is said when the process ends
  if (site.code == 0) return {};
  const auto [at, is_new] = known.try_emplace(site.code);
  if (is_new) {
    const std::string line = simulator::watch::source_line(site.code - 1);  // of the call, before it returns
    at->second = {simulator::watch::other_file(line), simulator::watch::line_number(line)};
  }
  return at->second;
}

Site site_in_program(std::uintptr_t instruction) {
  const auto* const module = Runtime::instance().module();
  if (!module) return {};
  if (module->contains_code(instruction)) return {instruction + 1};
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  for (int i = 0; i < count; ++i)
    if (const auto code = reinterpret_cast<std::uintptr_t>(frames[i]); module->contains_code(code))
      return {code};
  return {};
}

}  // namespace gpulab::program::runtime
