#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/lesson.hpp"
#include "core/result.hpp"
#include "device/device.hpp"
#include "learn/child_process.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::learn {

// What a learner's kernel is tried with: first the settings at which most mistakes show, then edge sizes and
// the lesson's other choices.
std::vector<Settings> check_settings(const Lesson& lesson, unsigned block_size);

// How to come to these settings from the first that a kernel is tried with, and what is unusual in them.
TriedWith tried_with(const Lesson& lesson, unsigned block_size, const Settings& settings);

// What somebody wants a kernel to be tried with.
struct Trial {
  std::optional<Settings> settings = {};    // all that it is checked with, when absent
  std::optional<unsigned> block_size = {};  // the solution's, when absent

  // Then a kernel may pass that would fail otherwise.
  bool is_limited() const { return settings || block_size; }
};

// Runs a learner's kernel in place of the lesson's solution, watched, and in three orders of its threads,
// until it does something wrong. Fills in everything that depends on a run. Throws UsageError for a trial
// that the lesson cannot take.
void check_on_simulator(const Lesson& lesson, const device::KernelSource& source, device::Device& simulator,
                        const Trial& trial, CheckResult& result);

// Where there is a GPU: the learner's kernel in place of the lesson's solution, then the lesson's own
// variants that are right, each checked and timed, in a process of their own. Empty without a GPU. Throws
// WorkStopped.
std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const device::KernelSource& source,
                                       double time_limit_s, const StopRequest& stop);

// Has NVRTC, where there is one, compile a learner's file for this machine's GPU or, without one, for the
// oldest that has all that the simulator has. Fills in what NVRTC refuses, and nothing otherwise. Confines this
// process, which must be one of its own.
void check_by_nvrtc(const device::KernelSource& source, sandbox::Mode mode, CheckResult& result);

// Fills in what a compiler refused.
void judge_compile_error(const CompileError& error, const device::KernelSource& source, CheckResult& result);

// A check's result as bytes that a child process hands to its parent, and back. Throws std::runtime_error for
// bytes that are not all there.
std::string packed(const CheckResult& result);
CheckResult unpacked(const std::string& bytes);

// The same of what a GPU made of some variants: names, outcomes, explanations and median times.
std::string packed(const std::vector<VariantResult>& variants);
std::vector<VariantResult> unpacked_variants(const std::string& bytes);

}  // namespace gpulab::learn
