#include "exercise/check_exercise.hpp"

#include <csignal>
#include <cstring>

#include "core/number_text.hpp"
#include "core/registry.hpp"
#include "exercise/child_process.hpp"
#include "exercise/gpu_check.hpp"
#include "exercise/learners_file.hpp"
#include "exercise/result_text.hpp"
#include "exercise/simulated_check.hpp"
#include "run/devices.hpp"

namespace gpulab {
namespace {

Lesson lesson_of(const Exercise& exercise) {
  for (Lesson& lesson : all_lessons())
    if (lesson.name == exercise.lesson) return lesson;
  throw std::logic_error("there is no lesson " + exercise.lesson);
}

CheckResult judged(const Lesson& lesson, const KernelSource& source, CheckResult result) {
  limit_time_of_learners_kernels();
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
  const KernelSource source = learners_file(file);
  const Lesson lesson = lesson_of(exercise);
  CheckResult result{.exercise = exercise.lesson, .file = file.string()};
  const ChildEnd end =
      run_in_child([&] { return packed(judged(lesson, source, result)); }, options.time_limit_s);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty())
    judge_end(end, options.time_limit_s, result);
  else
    result = unpacked(end.output);
  if (options.with_gpu && result.verdict != Verdict::does_not_compile)
    result.on_gpu = time_on_gpu(lesson, source, options.time_limit_s);
  return result;
}

}  // namespace gpulab
