#include "exercise/check_exercise.hpp"

#include <cstdlib>
#include <cstring>

#include "core/number_text.hpp"
#include "core/registry.hpp"
#include "exercise/check_answers.hpp"
#include "exercise/child_process.hpp"
#include "exercise/gpu_check.hpp"
#include "exercise/nvrtc_check.hpp"
#include "exercise/result_text.hpp"
#include "exercise/simulated_check.hpp"
#include "run/devices.hpp"
#include "run/read_text_file.hpp"

namespace gpulab {
namespace {

// Seconds without a thread returning, unless the user has said something else: a learner waits for the
// answer.
constexpr const char* time_limit_of_a_kernel = "3";

Lesson lesson_of(const Exercise& exercise) {
  for (Lesson& lesson : all_lessons())
    if (lesson.name == exercise.lesson) return lesson;
  throw std::logic_error("there is no lesson " + exercise.lesson);
}

CheckResult judged(const Lesson& lesson, const KernelSource& source, const Trial& trial, CheckResult result) {
  ::setenv("GPULAB_TIME_LIMIT", time_limit_of_a_kernel, /*overwrite=*/0);
  CompileCache cache;
  const auto simulator = open_device(DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  check_on_simulator(lesson, source, *simulator, trial, result);
  return result;
}

// What a child that could not say it has come to.
void judge_end(const ChildEnd& end, double time_limit_s, CheckResult& result) {
  result.verdict = Verdict::wrong;
  if (end.kind == ChildEnd::Kind::time_limit) {
    result.pattern = "time-limit";
    result.summary = "it was stopped after " + with_decimals(time_limit_s, 0) + " s, before it was done";
    return;
  }
  result.pattern = "launch-failure";
  result.summary = "the process that ran it ended by itself" +
                   (end.signal ? std::string(": ") + ::strsignal(end.signal) : std::string());
}

// In a child. What cannot be checked on this machine at all, such as a missing compiler, is told by its
// message.
std::string judged_as_text(const Lesson& lesson, const KernelSource& source, const Trial& trial,
                           const CheckResult& begun) try {
  return "+" + packed(judged(lesson, source, trial, begun));
} catch (const Error& error) {
  return "-" + std::to_string(static_cast<int>(error.code())) + error.what();
}

void judge_on_simulator(ChildProcess& child, const CheckOptions& options, CheckResult& result) {
  const ChildEnd end = child.wait(options.time_limit_s, options.stop);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty())
    judge_end(end, options.time_limit_s, result);
  else if (end.output[0] == '-')
    throw Error(static_cast<ExitCode>(end.output.at(1) - '0'), end.output.substr(2));
  else
    result = unpacked(end.output.substr(1));
}

// An NVRTC that breaks down has nothing to say.
void judge_by_nvrtc(ChildProcess& child, const CheckOptions& options, CheckResult& result) {
  const ChildEnd end = child.wait(options.time_limit_s, options.stop);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty()) return;
  const CheckResult compiled = unpacked(end.output);
  if (compiled.verdict == Verdict::does_not_compile) result = compiled;
}

}  // namespace

CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options) {
  if (exercise.has_questions()) return check_answers(exercise, file);
  const KernelSource source{file.string(), read_text_file(file, kernel_file)};
  const Lesson lesson = lesson_of(exercise);
  const CheckResult begun{.exercise = exercise.lesson, .file = file.string()};
  // NVRTC takes a fraction of the time that the simulator takes, on a CPU that this leaves idle while it
  // compiles.
  ChildProcess nvrtc([&] {
    CheckResult result = begun;
    check_by_nvrtc(source, result);
    return packed(result);
  });
  ChildProcess simulator([&] { return judged_as_text(lesson, source, options.trial, begun); });
  CheckResult result = begun;
  judge_on_simulator(simulator, options, result);
  if (result.verdict != Verdict::does_not_compile) judge_by_nvrtc(nvrtc, options, result);
  if (options.trial.is_limited() && result.verdict == Verdict::right)
    result.notes.push_back(
        "it was tried with these settings alone, so the exercise does not count as passed");
  if (options.with_gpu && result.verdict != Verdict::does_not_compile)
    result.on_gpu = time_on_gpu(lesson, source, options.time_limit_s, options.stop);
  return result;
}

}  // namespace gpulab
