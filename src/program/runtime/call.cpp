#include "program/runtime/call.hpp"

#include <execinfo.h>
#include <map>
#include <string_view>

#include "program/runtime/runtime.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::program::runtime {

// Source lines of calls of the runtime.

SourcePlace place_of(Site site) {
  static auto& known =
      *new std::map<std::uintptr_t, SourcePlace>;  // never destroyed: still used when the process ends
  if (site.code == 0) return {};
  const auto [at, is_new] = known.try_emplace(site.code);
  if (is_new) {
    const std::string line = simulator::watch::source_line(site.code - 1);  // in the call instruction
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

cudaError_t Call::obstacle() {
  if (runtime_.is_in_callback())
    return defect(cudaErrorNotPermitted, "call-in-callback",
                  std::string(name_) + " is called in a stream callback, which must not call CUDA functions",
                  "set a flag or notify a condition variable there, and call " + std::string(name_) +
                      " on the host's thread");
  return runtime_.sticky_error();
}

cudaError_t Call::end(cudaError_t result) const {
  const std::string_view name = name_;
  const bool is_question = name.empty() || name.ends_with("Query");  // some programs ask again and again
  if (result != cudaSuccess || is_question || !runtime_.has_to_fail(error_stays(name))) return result;
  return fail(name.starts_with("cudaMalloc") ? cudaErrorMemoryAllocation : cudaErrorInvalidValue, "");
}

cudaError_t Call::defect(cudaError_t error, const std::string& pattern, const std::string& text,
                         const std::string& instead, std::vector<ProgramFinding::Other> others) const {
  runtime_.add({.pattern = pattern,
                .place = place_of(site_),
                .text = text,
                .instead = instead,
                .others = std::move(others)});
  return error == cudaSuccess ? error : runtime_.fail(error, name_, site_, "");
}

cudaError_t Call::with(cudaStream_t handle, const std::function<cudaError_t(Stream&)>& function) const {
  if (Stream* const found = runtime_.stream(handle)) return function(*found);
  return defect(cudaErrorInvalidResourceHandle, "invalid-handle",
                std::string(name_) + " is given a stream that was never created, or was destroyed");
}

cudaError_t Call::with(cudaEvent_t handle, const std::function<cudaError_t(Event&)>& function) const {
  if (Event* const found = runtime_.event(handle)) return function(*found);
  return defect(cudaErrorInvalidResourceHandle, "invalid-handle",
                std::string(name_) + " is given an event that was never created, or was destroyed");
}

}  // namespace gpulab::program::runtime
