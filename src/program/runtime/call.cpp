#include "program/runtime/call.hpp"

#include <unwind.h>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/watch/defect_log.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::program::runtime {

// Source lines of calls of the runtime.

namespace {

// Returns the lines of the return addresses, the innermost first.
std::vector<SourcePlace> lines_of_stack(const Site& site) {
  std::vector<std::uintptr_t> calls{site.pc - 1};  // in the call instruction
  for (const std::uintptr_t caller : site.callers)
    if (caller != 0) calls.push_back(caller - 1);
  std::vector<SourcePlace> places;
  for (const std::string& chain : simulator::watch::source_chains(calls))
    for (const std::string& line : lines_of(chain))
      if (const int number = simulator::watch::line_number(line); number > 0)
        places.push_back({simulator::watch::other_file(line), number});
  return places;
}

// Returns whether an instruction of the program is in a function of Thrust, or of a library that it uses.
bool is_in_thrust(const simulator::compile::SimulatedModule& module, std::uintptr_t pc) {
  static auto& known = *new std::map<std::uintptr_t, bool>;  // never destroyed, like the map in place_of
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(pc, false);
  if (const auto function = is_new ? module.function_at(pc - 1) : std::nullopt)
    entry->second =
        begins_with_one_of(function->symbol, {"_ZN6thrust", "_ZNK6thrust", "_ZN4cuda", "_ZNK4cuda"});
  return entry->second;
}

// A walk up this thread's stack: to the program's frame with return address `pc`, or to its innermost frame
// if `pc` is 0, and on to the callers of that frame. It ends after the program's last frame, to save time.
struct StackWalk {
  const simulator::compile::SimulatedModule& module;
  std::uintptr_t pc = 0;
  Site site = {};
  std::size_t callers = 0;
};

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* data) {
  StackWalk& walk = *static_cast<StackWalk*>(data);
  const std::uintptr_t pc = ::_Unwind_GetIP(context);
  const bool is_own = walk.module.contains_code(pc), is_caller = walk.site.pc != 0;
  if (is_caller && (!is_own || walk.callers == walk.site.callers.size())) return _URC_END_OF_STACK;
  if (is_own && is_caller && Runtime::instance().has_thrust() && is_in_thrust(walk.module, pc))
    return _URC_NO_REASON;
  if (is_own && is_caller)
    walk.site.callers[walk.callers++] = pc;
  else if (is_own && (walk.pc == 0 || walk.pc == pc))
    walk.site.pc = pc;
  return _URC_NO_REASON;
}

// A walk from the program's frame with return address `pc` to a function of Thrust.
struct ThrustSearch {
  const simulator::compile::SimulatedModule& module;
  std::uintptr_t pc = 0;
  bool is_inside = false, is_found = false;
};

_Unwind_Reason_Code look_for_thrust(_Unwind_Context* context, void* data) {
  ThrustSearch& search = *static_cast<ThrustSearch*>(data);
  const std::uintptr_t pc = ::_Unwind_GetIP(context);
  search.is_inside = search.is_inside || pc == search.pc;
  if (!search.is_inside) return _URC_NO_REASON;
  if (!search.module.contains_code(pc)) return _URC_END_OF_STACK;
  search.is_found = is_in_thrust(search.module, pc);
  return search.is_found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

Site site_on_stack(std::uintptr_t pc) {
  const auto* const module = Runtime::instance().module();
  if (!module) return {};
  StackWalk walk{*module, pc};
  ::_Unwind_Backtrace(visit_frame, &walk);
  return walk.site;
}

}  // namespace

bool is_called_by_thrust(std::uintptr_t pc) {
  if (!Runtime::instance().has_thrust()) return false;
  const auto* const module = Runtime::instance().module();
  if (!module) return true;  // constructors of global vectors run while the program is loaded
  ThrustSearch search{*module, pc};
  ::_Unwind_Backtrace(look_for_thrust, &search);
  return search.is_found;
}

SourcePlace place_of(const Site& site) {
  static auto& known = *new std::map<Site, SourcePlace>;  // never destroyed: still used when the process ends
  if (site.pc == 0) return {};
  const auto [entry, is_new] = known.try_emplace(site);
  if (!is_new) return entry->second;
  std::vector<SourcePlace> places = lines_of_stack(site);
  if (places.empty()) return {};
  entry->second = places.front();
  entry->second.callers.assign(places.begin() + 1, places.end());
  return entry->second;
}

Site site_in_program(std::uintptr_t instruction) {
  const auto* const module = Runtime::instance().module();
  if (!module) return {};
  if (!module->contains_code(instruction)) return site_on_stack(0);
  const Site around = site_on_stack(instruction);
  return {instruction + 1, around.callers};
}

Site site_of_call(const void* returns_to) {
  const auto pc = address_of(returns_to);
  const Site found = Runtime::instance().is_watching() ? site_on_stack(pc) : Site{};
  return found.pc == 0 ? Site{pc} : found;
}

// Returns whether a function waits for all work, or may. That is not allowed while a stream is captured.
static bool is_unsafe_in_capture(std::string_view name) {
  return is_one_of(
      name, {"cudaDeviceSynchronize", "cudaMalloc", "cudaMallocHost", "cudaHostAlloc", "cudaMallocManaged",
             "cudaFree", "cudaFreeHost", "cudaMallocPitch", "cudaMemcpy", "cudaMemset"});
}

cudaError_t Call::pending_error() {
  if (runtime_.is_in_callback())
    return defect(cudaErrorNotPermitted, "call-in-callback",
                  std::string(name_) + " is called in a stream callback, which must not call CUDA functions",
                  "set a flag or notify a condition variable there, and call " + std::string(name_) +
                      " on the host's thread");
  if (Capture* const capture =
          is_unsafe_in_capture(name_)
              ? runtime_.forbidding_capture(std::string_view(name_).ends_with("Synchronize"))
              : nullptr)
    return invalidate_capture(*capture);
  if (std::string_view(name_).find("lloc") != std::string_view::npos)
    runtime_.note_allocation({name_, site_});
  return runtime_.sticky_error();
}

cudaError_t Call::invalidate_capture(Capture& capture, cudaError_t error) const {
  capture.is_invalid = true;
  return fail(error,
              std::string(name_) + " is not possible while a stream is captured, and ends the capture");
}

cudaError_t Call::finish(cudaError_t result) const {
  const std::string_view name = name_;
  const bool is_query = name.empty() || name.ends_with("Query");  // which a program may repeat without end
  if (result != cudaSuccess || is_query || !runtime_.has_to_fail(is_sticky_error(name))) return result;
  return fail(name.starts_with("cudaMalloc") ? cudaErrorMemoryAllocation : cudaErrorInvalidValue, "");
}

cudaError_t Call::defect(cudaError_t error, const std::string& pattern, const std::string& text,
                         const std::string& correction, std::vector<ProgramFinding::Other> others) const {
  simulator::watch::gpulab_name_of_defect = pattern.c_str();
  simulator::watch::gpulab_found_a_defect();
  runtime_.add({.pattern = pattern,
                .place = place_of(site_),
                .text = text,
                .correction = correction,
                .others = std::move(others),
                .call = name_});
  return error == cudaSuccess ? error : runtime_.fail(error, name_, site_, "");
}

cudaError_t Call::with(cudaStream_t handle, const std::function<cudaError_t(Stream&)>& function) const {
  Stream* const found = runtime_.stream(handle);
  if (found && found->is_default && runtime_.invalidate_capture_of_default_stream())
    return fail(cudaErrorStreamCaptureImplicit,
                std::string(name_) + " uses the default stream while a stream that waits for it is captured");
  if (found) return function(*found);
  return defect(cudaErrorInvalidResourceHandle, "invalid-handle",
                std::string(name_) + " is given a stream that was never created, or was destroyed");
}

cudaError_t Call::with(cudaEvent_t handle, const std::function<cudaError_t(Event&)>& function) const {
  if (Event* const found = runtime_.event(handle)) return function(*found);
  return defect(cudaErrorInvalidResourceHandle, "invalid-handle",
                std::string(name_) + " is given an event that was never created, or was destroyed");
}

}  // namespace gpulab::program::runtime
