#include "program/runtime/errors.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"

namespace gpulab::program::runtime {
namespace {

struct KnownError {
  cudaError_t error;
  const char *name, *text, *driver_name;
};

#define GPULAB_KNOWN_ERROR(name, number, text, driver_name) {name, #name, text, driver_name},
constexpr KnownError errors[] = {GPULAB_ERRORS(GPULAB_KNOWN_ERROR)};
#undef GPULAB_KNOWN_ERROR

const KnownError* find_error(cudaError_t error) {
  const auto found = std::ranges::find(errors, error, &KnownError::error);
  return found == std::end(errors) ? nullptr : &*found;
}

thread_local cudaError_t last_error_of_thread = cudaSuccess;

}  // namespace

cudaError_t cuda_error_of(std::string_view driver_name) {
  for (const KnownError& error : errors)
    if (driver_name == error.driver_name) return error.error;
  return cudaErrorUnknown;
}

cudaError_t Runtime::fail(cudaError_t error, const char* call, Site site, const std::string& why) {
  remember({error, call, site, why});
  return error;
}

void Runtime::remember(const FailedCall& failed) {
  last_error_of_thread = failed.error;
  const bool is_failure = failed.error != cudaSuccess && failed.error != cudaErrorNotReady;
  if (!is_failure || failed.why.empty()) return;
  failed_calls_.push_back(failed);
  failed_calls_.back().calls_before = timeline_.calls();
  failed_calls_.back().findings_before = findings_.size();
}

cudaError_t Runtime::peek_at_last_error(const ErrorQuery& query) {
  const cudaError_t error = sticky_ != cudaSuccess ? sticky_ : last_error_of_thread;
  // Adds the query to the calls that failed with this error since the last error was cleared.
  for (auto call = failed_calls_.rbegin(); call != failed_calls_.rend() && !call->is_taken; ++call) {
    if (call->error != error) continue;
    const bool has_query = std::ranges::find(call->queries, query) != call->queries.end();
    if (has_query) break;  // so have all earlier ones
    call->queries.push_back(query);
  }
  return error;
}

cudaError_t Runtime::take_last_error(const ErrorQuery& query) {
  const cudaError_t error = peek_at_last_error(query);
  if (!failed_calls_.empty()) failed_calls_.back().is_taken = true;
  last_error_of_thread = cudaSuccess;
  return error;
}

void Runtime::mark_error_seen(cudaError_t error) {
  const auto latest =
      std::ranges::find_if(failed_calls_.rbegin(), failed_calls_.rend(),
                           [&](const FailedCall& call) { return call.error == error && !call.is_seen; });
  if (latest != failed_calls_.rend()) latest->is_seen = true;
}

// Adds errors as findings, at their time. If the program asked for an error's text, it has handled the error:
// there is a note, with the reason, if the program failed or a launch was refused. If the kernel does not run
// later, and the program copies data later and succeeds, it is a defect. Whether the program uses the value
// that a call returned is not known here: the finding's premise says what has to hold, and the parent looks
// at the source.
void Runtime::add_errors(int exit_status) {
  const std::size_t findings_before = findings_.size();
  for (const FailedCall& failed : failed_calls_) {
    if (failed.is_seen && exit_status == 0 && !failed.is_launch) continue;
    const bool goes_on = failed.is_launch && (failed.is_seen || !failed.queries.empty()) &&
                         exit_status == 0 && timeline_.has_call("cudaMemcpy", failed.calls_before) &&
                         !timeline_.has_call(std::string(failed.call) + "<<<>>>", failed.calls_before);
    ProgramFinding finding{.pattern = failed.is_launch ? "launch-failure"
                                      : failed.is_seen ? "failed-call"
                                                       : "unchecked-error",
                           .is_note = failed.is_seen != goes_on,
                           .place = place_of(failed.site),
                           .text = failed.is_launch
                                       ? failed.why
                                       : fmt::format("{} failed with {}: {}", failed.call,
                                                     cudaGetErrorName(failed.error), failed.why)};
    if (failed.is_seen && goes_on)
      finding.text += "; the program asks for the error's text, goes on and ends with 0";
    if (!failed.is_seen && (!failed.is_launch || !failed.queries.empty()))
      finding.premise = exit_status == 0 && !goes_on ? ProgramFinding::Premise::value_is_unused
                                                     : ProgramFinding::Premise::value_is_unused_at_failure;
    for (const auto& [call, site] : failed.queries)
      if (!failed.is_seen)
        finding.others.push_back({place_of(site), "the error is returned here, and nothing uses it", call});
    if (failed.is_launch) {
      finding.correction = !failed.correction.empty() || failed.is_seen
                               ? failed.correction
                               : "cudaGetLastError() after the launch, and check what it returns";
    } else if (!failed.is_seen) {
      finding.call = failed.call;
      if (exit_status == 0) finding.text += "; its return value is not checked";
      finding.correction = "if (" + finding.call + "(...) != cudaSuccess) ...";
    }
    const std::size_t count = findings_.size();
    add(std::move(finding));
    if (findings_.size() == count) continue;
    // A failed allocation is the cause of what uses a null pointer.
    const bool is_cause = failed.error == cudaErrorMemoryAllocation && !failed.is_seen;
    const std::size_t place = is_cause ? 0 : failed.findings_before + (count - findings_before);
    std::rotate(findings_.begin() + static_cast<std::ptrdiff_t>(std::min(place, count)), findings_.end() - 1,
                findings_.end());
  }
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

const char* cudaGetErrorName(cudaError_t error) {
  const auto* const found = find_error(error);
  return found ? found->name : "unrecognized error code";
}

// Counts as a check of the error by the program.
const char* cudaGetErrorString(cudaError_t error) {
  if (!is_in_kernel()) Call().runtime().mark_error_seen(error);
  const auto* const found = find_error(error);
  return found ? found->text : "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  if (is_in_kernel()) return cudaSuccess;
  const Call call("", __builtin_return_address(0));
  return call.runtime().take_last_error({"cudaGetLastError", call.site()});
}

cudaError_t cudaPeekAtLastError() {
  if (is_in_kernel()) return cudaSuccess;
  const Call call("", __builtin_return_address(0));
  return call.runtime().peek_at_last_error({"cudaPeekAtLastError", call.site()});
}
