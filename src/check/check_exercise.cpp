#include "check/checks.hpp"
#include "check/judging.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <chrono>

#include "base/process.hpp"
#include "base/text.hpp"
#include "check/answers.hpp"
#include "check/causes.hpp"
#include "check/files.hpp"
#include "cuda/support.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/problems.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"
#include "run/validate/evidence.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"
#include "simulator/remote/remote_device.hpp"
#include "source/device_code.hpp"

namespace gpulab::check {
namespace {

// Judges a kernel whose process has ended or was stopped.
void judge_end(const simulator::remote::DeviceGone& end, CheckResult& result) {
  result.verdict = Verdict::wrong;
  result.pattern = end.is_out_of_time ? "time-limit" : "kernel-failure";
  result.summary = end.what();
}

// Replaces the result if NVRTC refuses the file. A failure of NVRTC itself changes nothing.
void use_refusal_by_nvrtc(ChildWork& child, const CheckOptions& options, CheckResult& result) try {
  const ChildEnd end = child.wait(options.time_limit_s, options.stop);
  if (end.kind != ChildEnd::Kind::finished || end.output.empty()) return;
  const CheckResult compiled = unpacked(end.output);
  if (compiled.verdict == Verdict::does_not_compile) result = compiled;
} catch (const std::runtime_error&) {
}

// Names the __constant__ variable of the starter that the refused line has and the file no longer declares.
void name_declaration_of_starter(const std::string& starter, const device::KernelSource& source,
                                 CheckResult& result) {
  const source::Code code(starter), line(result.source), file(source.text);
  for (std::size_t at = 0; at < code.size(); ++at)
    if (code.text(at) == "__constant__" && !source::has_word(file, "__constant__", 0, file.size()) &&
        source::has_word(line, code.text(at + 2), 0, line.size()))
      result.summary = fmt::format(
          "line {} has {}, and the file no longer declares it: write the starter's line above the kernel, {};",
          result.line, code.text(at + 2), code.text_between(at, source::end_of_value(code, at + 2)));
}

// Check with the learner's kernel in a confined process; expected results and verdict stay here.
class ConfinedCheck {
 public:
  ConfinedCheck(const Lesson& lesson, const device::KernelSource& source, const CheckOptions& options,
                WarpSize warp_size, CheckResult& result)
      : lesson_(lesson), source_(source), options_(options), warp_size_(warp_size), result_(result) {}

  // Returns whether the file compiles; runs nothing of it yet.
  bool compile() try {
    simulator_ = simulator::remote::open_confined(cache_, {.mode = options_.sandbox,
                                                           .time_limit_s = options_.time_limit_s,
                                                           .stop = options_.stop,
                                                           .warp_size = warp_size_});
    simulator_->compile(source_, {.instrumentation = device::Instrumentation::checked});
    return true;
  } catch (const CompileError& error) {
    judge_compile_error(error, source_, result_);
    if (result_.pattern == "unknown-name") name_declaration_of_starter(starter_of(lesson_), source_, result_);
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
  const WarpSize warp_size_;
  CheckResult& result_;
  device::CompileCache cache_;
  std::unique_ptr<device::Device> simulator_;
};

// Checks in warps of the other size, if the lesson is about both. Says so if only one size is right.
void check_in_other_warps(const Lesson& lesson, const device::KernelSource& source,
                          const CheckOptions& options, CheckResult& result) {
  const bool was_right = result.verdict == Verdict::right;
  const bool has_result = was_right || (result.verdict == Verdict::wrong && result.size > 0);
  if (!lesson.is_checked_with_64_lanes || !has_result) return;
  const unsigned lanes = options.warp_size.lanes();
  const unsigned other_lanes = lanes == WarpSize::max_lanes ? 32 : WarpSize::max_lanes;
  CheckResult other_result{.exercise = result.exercise, .file = result.file};
  ConfinedCheck check(lesson, source, options, WarpSize(other_lanes), other_result);
  if (check.compile()) check.run();
  if ((other_result.verdict == Verdict::right) == was_right) return;
  if (was_right) result = std::move(other_result);
  result.summary =
      fmt::format("right in warps of {} lanes, wrong in warps of {}: {}", was_right ? lanes : other_lanes,
                  was_right ? other_lanes : lanes, result.summary);
}

// Judges a kernel that is right on the simulator by its run on the GPU. There, more threads run at once,
// another compiler was used, and the problem has another size.
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

// Runs `work` on a simulated device in a confined process.
template <class Work>
auto with_confined_device(const device::KernelSource& learners, WarpSize warp_size, Work work) try {
  device::CompileCache cache;
  const auto simulator = simulator::remote::open_confined(cache, {.warp_size = warp_size});
  return work(*simulator);
} catch (const simulator::remote::DeviceGone& end) {
  throw Error(ExitCode::device,
              learners.name + ": " + end.what() + (end.is_out_of_time ? ": ask for a smaller problem" : ""));
}

// Adds predicted times, and nothing if that fails.
void predict(const Lesson& lesson, const device::KernelSource& source, const CheckOptions& options,
             CheckResult& result) try {
  if (!options.gpu || options.trial.is_limited() || result.verdict != Verdict::right ||
      !result.on_gpu.empty())
    return;
  const PredictedTimes times = with_confined_device(source, {}, [&](device::Device& simulator) {
    return run::predicted_beside_solution(lesson, source, *options.gpu, simulator);
  });
  if (times.yours.why_not.empty() && times.solution.why_not.empty()) result.predicted = times;
} catch (const Error&) {
}

CheckResult judged(const Exercise& exercise, const device::KernelSource& source,
                   const CheckOptions& options) {
  const Lesson lesson = lesson_of(exercise);
  const CheckResult unjudged{.exercise = exercise.name, .file = source.name};
  // NVRTC compiles at the same time. A file that it refuses is not run at all.
  ChildWork nvrtc([&] {
    CheckResult result = unjudged;
    check_by_nvrtc(source, options.sandbox, result);
    return packed(result);
  });
  CheckResult result = unjudged;
  ConfinedCheck check(lesson, source, options, options.warp_size, result);
  if (!check.compile()) return result;
  use_refusal_by_nvrtc(nvrtc, options, result);
  if (result.verdict == Verdict::does_not_compile) return result;
  check.run();
  check_in_other_warps(lesson, source, options, result);
  if (options.trial.is_limited() && result.verdict == Verdict::right)
    result.notes.push_back("only these settings were checked, so the exercise does not count as passed");
  if (options.with_gpu && options.sandbox != sandbox::Mode::require)
    result.on_gpu = time_on_gpu(lesson, source, options.time_limit_s, options.stop);
  judge_on_gpu(result);
  predict(lesson, source, options, result);
  return result;
}

CheckResult judged_without_host_code(const Exercise& exercise, const device::KernelSource& source,
                                     const CheckOptions& options) {
  device::KernelSource kernels = source;
  std::vector<std::string> notes;
  kernels.text = without_host_code(source.text, notes);
  CheckResult result = judged(exercise, kernels, options);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  return result;
}

std::string without_space(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return text;
}

// Replaces the report on an unchanged starter by the starter's TODO: most reports would be about code that
// nobody has written yet. If the report is worth reading, it stays, and the TODO becomes a note.
void judge_starter(const std::string& text, CheckResult& result) {
  const std::string_view worth_reading[] = {"only-one-element", "wrong-mask",
                                            name_of(DefectKind::missing_kernel),
                                            name_of(DefectKind::wrong_parameters)};
  const std::vector<std::string> lines = lines_of(text);
  const auto todo = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find("TODO") != std::string::npos; });
  if (result.verdict == Verdict::right || todo == lines.end()) return;
  std::string message = fmt::format("the file is still the starter: line {} says what is to be done: {}",
                                    todo - lines.begin() + 1, todo->substr(todo->find("TODO")));
  for (auto next = todo + 1; next != lines.end(); ++next) {
    const std::size_t begin = next->find_first_not_of(' ');
    if (begin >= next->size() || next->compare(begin, 3, "// ") != 0 || next->find("TODO") < next->size())
      break;
    message += next->substr(begin + 2);
  }
  if (std::ranges::find(worth_reading, result.pattern) != std::end(worth_reading))
    return result.notes.push_back(message);
  result.pattern = "not-begun";
  result.line = static_cast<int>(todo - lines.begin()) + 1;
  result.summary = message;
  result.first_differences.clear();
  result.wrong_elements = 0;
  result.printed.clear();
}

}  // namespace

CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options) {
  return check_exercise(exercise, learner_file(exercise, file), options);
}

CheckResult check_exercise(const Exercise& exercise, const device::KernelSource& source,
                           const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  CheckResult result;
  if (exercise.has_questions())
    result = check_answers(exercise, source.name, source.text);
  else if (exercise.is_program())
    result = check_program(
        exercise, source,
        {options.time_limit_s, options.sandbox, options.trial, options.stop, options.warp_size});
  else
    result = judged_without_host_code(exercise, source, options);
  if (!exercise.has_questions() && without_space(source.text) == without_space(exercise.starter))
    judge_starter(source.text, result);
  if (!exercise.has_questions()) find_places(source, result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners) {
  return with_confined_device(learners, options.warp_size, [&](device::Device& simulator) {
    return run::inspect_replaced(lesson, options, learners, simulator);
  });
}

LessonResult estimate_file(const Lesson& lesson, const run::RunOptions& options,
                           const device::KernelSource& learners) {
  return with_confined_device(learners, {}, [&](device::Device& simulator) {
    return run::predicted_lesson(lesson, options, &learners, simulator);
  });
}

namespace {

constexpr double seconds_per_variant = 0.2;

// Times the variants that are expected to be right. A variant with a max_size may run at another size, so its
// time would not be comparable. A context has one text for each file, so the learner's kernel is run in a
// context of its own.
std::vector<VariantResult> timed_in_new_context(const Lesson& lesson, const Settings& settings,
                                                const run::KernelFiles& files, device::Device& device,
                                                const std::vector<Variant>& variants) {
  run::ProblemCache problems(lesson, files, device);
  const run::RunContext& context = problems.make(lesson.problem(settings), settings);
  std::vector<VariantResult> results;
  for (const Variant& variant : variants) {
    const Outcome expected = variant.expects.at(context.launch_context(variant.block.threads));
    if (expected != Outcome::right || variant.max_size) continue;
    results.push_back(run::run_variant(
        context,
        {.variant = variant, .block_size = variant.block.threads, .time_budget_s = seconds_per_variant}));
    if (results.back().lost_the_device) break;
  }
  return results;
}

std::vector<VariantResult> all_timed(const Lesson& lesson, const device::KernelSource& source) {
  if (cuda::support().status().devices == 0) return {};
  device::CompileCache cache;
  const auto device = cuda::support().open(0, cache);
  const Variant& solution = run::find_variant(lesson, lesson.solution);
  run::KernelFiles files(lesson, std::nullopt);
  run::KernelFiles with_learners = files;
  with_learners.replace(lesson.file_of(solution), source);
  const Settings settings = lesson.default_settings();
  std::vector<VariantResult> results =
      timed_in_new_context(lesson, settings, with_learners, *device, {solution});
  if (results.empty() || results.front().lost_the_device) return results;
  results.front().name = "yours";
  for (VariantResult& result : timed_in_new_context(lesson, settings, files, *device, lesson.variants))
    results.push_back(std::move(result));
  return results;
}

}  // namespace

std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const device::KernelSource& source,
                                       double time_limit_s, const StopToken& stop) {
  ChildWork child([&]() -> std::string {
    try {
      return packed(all_timed(lesson, source));
    } catch (const Error&) {
      return packed(std::vector<VariantResult>{});  // no usable GPU: the simulator has judged already
    }
  });
  const ChildEnd end = child.wait(time_limit_s, stop);
  if (end.kind == ChildEnd::Kind::finished && !end.output.empty()) return unpacked_variants(end.output);
  VariantResult stopped{.name = "yours", .observed = Outcome::faults};
  stopped.explanation = end.kind == ChildEnd::Kind::time_limit ? "it was stopped: it did not end in time"
                                                               : "the process that ran it ended by itself";
  return {stopped};
}

void add_measured_times(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource* learners, LessonResult& result) {
  const auto measure = [&] {
    device::CompileCache cache;
    const auto device = cuda::support().open(0, cache);
    run::KernelFiles files(lesson, options.kernels);
    if (learners) files.replace(lesson.file_of(run::find_variant(lesson, lesson.solution)), *learners);
    std::vector<Variant> variants;
    for (const VariantResult& predicted : result.variants) {
      variants.push_back(run::find_variant(lesson, predicted.name));
      if (options.block_size) variants.back().block.threads = *options.block_size;
    }
    return timed_in_new_context(lesson, options.settings, files, *device, variants);
  };
  ChildWork child([&]() -> std::string {
    try {
      return cuda::support().status().devices == 0 ? "" : packed(measure());
    } catch (const Error&) {
      return "";  // no GPU that can be used
    }
  });
  constexpr double time_limit_s = 60;
  const ChildEnd end = child.wait(time_limit_s, {});
  if (end.kind != ChildEnd::Kind::finished || end.output.empty()) return;
  for (const VariantResult& measured : unpacked_variants(end.output)) {
    const auto predicted = std::ranges::find(result.variants, measured.name, &VariantResult::name);
    if (predicted != result.variants.end()) predicted->kernel_cold = measured.kernel_cold;
  }
}

namespace {

std::string architecture() {
  const std::vector<DeviceProperties> devices = cuda::support().devices();
  return devices.empty() ? "sm_80" : devices.front().architecture();
}

}  // namespace

void judge_compile_error(const CompileError& error, const device::KernelSource& source, CheckResult& result) {
  const RefusalInSource refusal = refusal_in_source(error.failure(), source.text);
  result.verdict = Verdict::does_not_compile;
  result.pattern = refusal.pattern;
  result.summary = refusal.text.empty() ? error.what() : refusal.text;
  result.fact = error.failure().complaint;
  result.line = refusal.line;
  result.source = line_of(source.text, result.line);
  result.compiler_log = error.log();
  blame_slip(source.text, result);
  if (!dynamic_cast<const source::NotOffered*>(&error)) return;
  result.verdict = Verdict::not_checked;
  result.pattern = "not-offered";
  result.summary = fmt::format("not judged: line {}: {}", result.line, result.fact);
}

void check_by_nvrtc(const device::KernelSource& source, sandbox::Mode mode, CheckResult& result) {
  const std::string for_architecture = architecture();
  const cuda::Status status = cuda::support().status();
  try {
    device::CompileCache cache;
    // Confined because an #include could name any file.
    std::vector<std::filesystem::path> libraries = sandbox::files_of_a_compiler(status.nvrtc_path);
    const sandbox::Confinement confinement(mode, {.read = libraries, .write = {cache.folder()}},
                                           sandbox::SystemCalls::compiler);
    if (!confinement.confine_files() || !confinement.confine_system_calls()) return;
    cuda::support().compile_for(for_architecture, source, cache);
  } catch (const CompileError& error) {
    judge_compile_error(error, source, result);
    result.notes = {fmt::format(
        "NVRTC {}, which compiles for GPUs (here for {}), refuses what the simulator's compiler accepts",
        status.nvrtc_version, for_architecture)};
  } catch (const device::DeviceError&) {
    // An NVRTC that does not know the architecture has nothing to say of the file.
  }
}

}  // namespace gpulab::check
