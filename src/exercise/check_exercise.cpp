#include "exercise/check_exercise.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/number_text.hpp"
#include "core/registry.hpp"
#include "exercise/check_answers.hpp"
#include "exercise/child_process.hpp"
#include "exercise/gpu_check.hpp"
#include "exercise/learner_file.hpp"
#include "exercise/result_text.hpp"
#include "exercise/simulated_check.hpp"
#include "run/devices.hpp"

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

CheckResult judged(const Lesson& lesson, const KernelSource& source, CheckResult result) {
  ::setenv("GPULAB_TIME_LIMIT", time_limit_of_a_kernel, /*overwrite=*/0);
  CompileCache cache;
  const auto simulator = open_device(DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  check_on_simulator(lesson, source, *simulator, result);
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

}  // namespace

CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options) {
  if (exercise.has_questions()) return check_answers(exercise, file);
  const KernelSource source{file.string(), read_learner_file(file, kernel_file)};
  const Lesson lesson = lesson_of(exercise);
  CheckResult result{.exercise = exercise.lesson, .file = file.string()};
  // What cannot be checked on this machine at all, such as a missing compiler, is told by its message.
  const auto work = [&]() -> std::string {
    try {
      return "+" + packed(judged(lesson, source, result));
    } catch (const Error& error) {
      return "-" + std::to_string(static_cast<int>(error.code())) + error.what();
    }
  };
  const ChildEnd end = run_in_child(work, options.time_limit_s);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty())
    judge_end(end, options.time_limit_s, result);
  else if (end.output[0] == '-')
    throw Error(static_cast<ExitCode>(end.output.at(1) - '0'), end.output.substr(2));
  else
    result = unpacked(end.output.substr(1));
  if (options.with_gpu && result.verdict != Verdict::does_not_compile)
    result.on_gpu = time_on_gpu(lesson, source, options.time_limit_s);
  return result;
}

}  // namespace gpulab
