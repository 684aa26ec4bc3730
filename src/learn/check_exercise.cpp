#include "learn/check_exercise.hpp"

#include <csignal>
#include <cstring>

#include "core/registry.hpp"
#include "core/text.hpp"
#include "learn/answers.hpp"
#include "learn/checks.hpp"
#include "learn/child_process.hpp"
#include "learn/files.hpp"
#include "run/devices.hpp"

namespace gpulab::learn {
namespace {

Lesson lesson_of(const Exercise& exercise) {
  for (Lesson& lesson : all_lessons())
    if (lesson.name == exercise.lesson) return lesson;
  throw std::logic_error("there is no lesson " + exercise.lesson);
}

CheckResult judged(const Lesson& lesson, const device::KernelSource& source, const Trial& trial,
                   CheckResult result) {
  limit_time_of_learners_kernels();
  device::CompileCache cache;
  const auto simulator = run::open_device(run::DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  check_on_simulator(lesson, source, *simulator, trial, result);
  return result;
}

// What a child that could not say it has come to.
void judge_end(const ChildEnd& end, double time_limit_s, CheckResult& result) {
  result.verdict = Verdict::wrong;
  if (end.kind == ChildEnd::Kind::time_limit) {
    result.pattern = "time-limit";
    result.summary = "it was stopped after " + with_decimals(time_limit_s, 0) + " s";
    return;
  }
  result.pattern = "launch-failure";
  result.summary = "the process that ran it crashed" +
                   (end.signal ? std::string(": ") + ::strsignal(end.signal) : std::string());
}

void judge_on_simulator(ChildProcess& child, const CheckOptions& options, CheckResult& result) {
  const ChildEnd end = child.wait(options.time_limit_s, options.stop);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty())
    judge_end(end, options.time_limit_s, result);
  else
    result = unpacked(end.output);
}

// An NVRTC that breaks down has nothing to say.
void judge_by_nvrtc(ChildProcess& child, const CheckOptions& options, CheckResult& result) try {
  const ChildEnd end = child.wait(options.time_limit_s, options.stop);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty()) return;
  const CheckResult compiled = unpacked(end.output);
  if (compiled.verdict == Verdict::does_not_compile) result = compiled;
} catch (const Error&) {
}

// What the simulator found right and a GPU does not is wrong all the same: it has more threads, another
// compiler, and other sizes are tried there.
void judge_on_gpu(CheckResult& result) {
  if (result.on_gpu.empty() || result.verdict != Verdict::right) return;
  const VariantResult& yours = result.on_gpu.front();
  if (yours.observed == Outcome::right) return;
  result.verdict = Verdict::wrong;
  result.pattern = "wrong-on-gpu";
  result.summary = "right on the simulator, but on the GPU, at the lesson's own size, it " +
                   std::string(yours.observed == Outcome::wrong ? "is wrong" : name_of(yours.observed)) +
                   ": " + yours.explanation;
}

}  // namespace

CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options) {
  if (exercise.has_questions()) return check_answers(exercise, file);
  const device::KernelSource source = learners_file(file);
  const Lesson lesson = lesson_of(exercise);
  const CheckResult begun{.exercise = exercise.lesson, .file = file.string()};
  // NVRTC takes a fraction of the time that the simulator takes, on a CPU that this leaves idle while it
  // compiles.
  ChildProcess nvrtc([&] {
    CheckResult result = begun;
    check_by_nvrtc(source, result);
    return packed(result);
  });
  ChildProcess simulator([&] { return packed(judged(lesson, source, options.trial, begun)); });
  CheckResult result = begun;
  judge_on_simulator(simulator, options, result);
  if (result.verdict != Verdict::does_not_compile) judge_by_nvrtc(nvrtc, options, result);
  if (options.trial.is_limited() && result.verdict == Verdict::right)
    result.notes.push_back("only these settings were checked, so the exercise does not count as passed");
  if (options.with_gpu && result.verdict != Verdict::does_not_compile)
    result.on_gpu = time_on_gpu(lesson, source, options.time_limit_s, options.stop);
  judge_on_gpu(result);
  return result;
}

}  // namespace gpulab::learn
