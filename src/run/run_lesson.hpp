#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "estimate/gpu.hpp"
#include "lesson/estimate.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"

namespace gpulab::run {

// Tests the lesson's claims about variants that ran. A claim about times holds if it is true for all values
// in the two confidence intervals, and fails if it is true for none. A claim about counts is tested directly.
// A claim that does not apply in its context, or is about a wrong result, is not measured.
std::vector<ClaimResult> judge_claims(const std::vector<Claim>& claims, const LessonResult& result,
                                      const std::function<LaunchContext(const Claim&)>& context_of = {});

// Runs a lesson on a device: inputs, references, every chosen variant, validation, times, claims. Failures of
// variants are part of the result. Throws UsageError for inconsistent options.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, device::Device& device);

// Does the same with a problem already made with the options' settings: making it may read files.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, Problem problem,
                        device::Device& device);

class LessonRun;

// A lesson run repeatedly while its kernel files are edited. Makes inputs and measures references once.
class RepeatedRun {
 public:
  // The lesson, options and device must outlive this object. Throws like run_lesson.
  RepeatedRun(const Lesson& lesson, const RunOptions& options, device::Device& device);
  ~RepeatedRun();

  // Reads the kernel files, and runs the variants whose file has changed since their result, or all if
  // `runs_all`. Keeps the other results; options.on_result gets all of them. Throws UsageError if the files
  // cannot be read. Must not be called after a result that lost the device.
  LessonResult run(bool runs_all = false);

 private:
  std::unique_ptr<LessonRun> run_;
};

struct PredictedRun {
  Estimate estimate;
  std::optional<AccessCounts> counts = {};  // of all launches, if every block was sampled
};

// Adds a remark if launching takes so much of an estimate that a larger problem may have another order.
void add_remark_on_size(const Lesson& lesson, const estimate::Gpu& gpu, LessonResult& result);

// Predicts the time of a variant on a GPU. Runs it once more on the simulator, which counts the accesses of a
// sample of its blocks. Expects that the variant has just been run, with that number of launches, and that
// the arrays still hold its results. If nothing can be predicted, the estimate says why.
PredictedRun predicted(const RunContext& context, const Variant& variant, unsigned block_size,
                       std::size_t launches, const estimate::Gpu& gpu);

// Predicts the chosen variants that are always right, at the requested size. If `learners` is given, it
// replaces the file of the lesson's solution, and only the solution is predicted, if it is right at a small
// size.
LessonResult predicted_lesson(const Lesson& lesson, RunOptions options, const device::KernelSource* learners,
                              device::Device& simulator);

// Predicts a learner's kernel, which has been found right, and the lesson's solution at the default size.
PredictedTimes predicted_beside_solution(const Lesson& lesson, const device::KernelSource& learners,
                                         const estimate::Gpu& gpu, device::Device& simulator);

// A fault of a whole program.
struct ProgramFault {
  enum class Kind {
    defect,        // found by watching
    abnormal_end,  // did not exit, or exited abnormally
    output,        // prints a wrong number, or not all numbers
  };
  Kind kind = Kind::defect;
  ProgramFinding finding;  // with its line, if known
};

// Returns the fault that causes the others: watched defects first, then the end of the program, then its
// output. None if nothing is wrong. Sentences about the output begin with the subject.
std::optional<ProgramFault> fault_of(const ProgramResult& run, const ProgramTask& task, std::size_t size,
                                     const std::string& subject = "the program");

// Checks the output alone.
std::optional<ProgramFinding> wrong_output(const std::string& output, const ProgramTask& task,
                                           std::size_t size, const std::string& subject = "the program");

// Runs a variant that is a whole program: compiled and watched on the simulator or, with a GPU, built by
// nvcc. Judges it by what watching finds and by its output. All failures are in the result.
VariantResult run_program(const RunContext& context, const Variant& variant);

}  // namespace gpulab::run
