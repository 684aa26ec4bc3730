#include "learn/check_exercise.hpp"

#include <chrono>

#include "core/registry.hpp"
#include "learn/answers.hpp"
#include "learn/checks.hpp"
#include "learn/child_process.hpp"
#include "learn/files.hpp"
#include "run/inspect_lesson.hpp"
#include "simulator/remote/remote_device.hpp"

namespace gpulab::learn {
namespace {

Lesson lesson_of(const Exercise& exercise) {
  for (Lesson& lesson : all_lessons())
    if (lesson.name == exercise.lesson) return lesson;
  throw std::logic_error("there is no lesson " + exercise.lesson);
}

// What became of a process that ran the kernel and is gone.
void judge_end(const simulator::remote::DeviceGone& end, CheckResult& result) {
  result.verdict = Verdict::wrong;
  result.pattern = end.is_out_of_time ? "time-limit" : "kernel-failure";
  result.summary = end.what();
}

// An NVRTC that breaks down has nothing to say.
void judge_by_nvrtc(ChildProcess& child, const CheckOptions& options, CheckResult& result) try {
  const ChildEnd end = child.wait(options.time_limit_s, options.stop);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty()) return;
  const CheckResult compiled = unpacked(end.output);
  if (compiled.verdict == Verdict::does_not_compile) result = compiled;
} catch (const std::runtime_error&) {
}

// The learner's kernel runs in a process that is confined; what it must compute, and the verdict, stay here.
class ConfinedCheck {
 public:
  ConfinedCheck(const Lesson& lesson, const device::KernelSource& source, const CheckOptions& options,
                CheckResult& result)
      : lesson_(lesson), source_(source), options_(options), result_(result) {}

  // Whether it compiles; nothing of it runs yet.
  bool compile() try {
    simulator_ = simulator::remote::open_confined(
        cache_, {.mode = options_.sandbox, .time_limit_s = options_.time_limit_s, .stop = options_.stop});
    simulator_->compile(source_, {.instrumentation = device::Instrumentation::checked});
    return true;
  } catch (const CompileError& error) {
    judge_compile_error(error, source_, result_);
    return false;
  } catch (const simulator::remote::DeviceGone& end) {
    judge_end(end, result_);
    return false;
  }

  void run() try {
    check_on_simulator(lesson_, source_, *simulator_, options_.trial, result_);
  } catch (const simulator::remote::DeviceGone& end) {
    judge_end(end, result_);
  }

 private:
  const Lesson& lesson_;
  const device::KernelSource& source_;
  const CheckOptions& options_;
  CheckResult& result_;
  device::CompileCache cache_;
  std::unique_ptr<device::Device> simulator_;
};

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

CheckResult judged(const Exercise& exercise, const device::KernelSource& source,
                   const CheckOptions& options) {
  const Lesson lesson = lesson_of(exercise);
  const CheckResult begun{.exercise = exercise.name, .file = source.name};
  // NVRTC compiles at the same time. What it refuses is not run at all.
  ChildProcess nvrtc([&] {
    CheckResult result = begun;
    check_by_nvrtc(source, options.sandbox, result);
    return packed(result);
  });
  CheckResult result = begun;
  ConfinedCheck check(lesson, source, options, result);
  if (!check.compile()) return result;
  judge_by_nvrtc(nvrtc, options, result);
  if (result.verdict == Verdict::does_not_compile) return result;
  check.run();
  if (options.trial.is_limited() && result.verdict == Verdict::right)
    result.notes.push_back("only these settings were checked, so the exercise does not count as passed");
  if (options.with_gpu && options.sandbox != sandbox::Mode::require)
    result.on_gpu = time_on_gpu(lesson, source, options.time_limit_s, options.stop);
  judge_on_gpu(result);
  return result;
}

}  // namespace

CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options) {
  return check_exercise(exercise, learners_file(exercise, file), options);
}

CheckResult check_exercise(const Exercise& exercise, const device::KernelSource& source,
                           const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  CheckResult result;
  if (exercise.has_questions())
    result = check_answers(exercise, source.name, source.text);
  else if (exercise.is_program())
    result =
        check_program(exercise, source, {options.time_limit_s, options.sandbox, options.trial, options.stop});
  else
    result = judged(exercise, source, options);
  if (!exercise.has_questions()) find_places(source, result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners) try {
  device::CompileCache cache;
  const auto simulator = simulator::remote::open_confined(cache, {});
  return run::inspect_replaced(lesson, options, learners, *simulator);
} catch (const simulator::remote::DeviceGone& end) {
  throw Error(ExitCode::device,
              learners.name + ": " + end.what() + (end.is_out_of_time ? ": ask for a smaller problem" : ""));
}

}  // namespace gpulab::learn
