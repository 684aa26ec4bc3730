#include "core/registry.hpp"
#include "cuda/support.hpp"
#include "learn/checks.hpp"
#include "learn/child_process.hpp"
#include "learn/explain_defect.hpp"
#include "run/devices.hpp"
#include "run/problem_cache.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"

namespace gpulab::learn {
namespace {

constexpr double seconds_for_each = 0.2;

// A context has one text for each file, so the learner's kernel has one of its own.
std::vector<VariantResult> run_with(const Lesson& lesson, const run::KernelFiles& files,
                                    device::Device& device, const std::vector<Variant>& variants) {
  const auto stream = device.create_stream();
  run::ProblemCache problems(lesson, files, device, *stream);
  const Settings settings = lesson.default_settings();
  Problem problem = lesson.problem(settings);
  const Tolerance tolerance = problem.tolerance;
  const run::RunContext& context = problems.make(std::move(problem), settings, tolerance);
  std::vector<VariantResult> results;
  for (const Variant& variant : variants) {
    if (variant.expects.at(context.launch_context(variant.block.threads)) != Outcome::right ||
        variant.max_size)
      continue;
    results.push_back(run::run_variant(
        context,
        {.variant = variant, .block_size = variant.block.threads, .time_budget_s = seconds_for_each}));
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
  std::vector<VariantResult> results = run_with(lesson, with_learners, *device, {solution});
  if (results.empty() || results.front().lost_the_device) return results;
  results.front().name = "yours";
  for (VariantResult& result : run_with(lesson, files, *device, lesson.variants))
    results.push_back(std::move(result));
  return results;
}

}  // namespace

std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const device::KernelSource& source,
                                       double time_limit_s, const StopRequest& stop) {
  ChildProcess child([&]() -> std::string {
    try {
      return packed(all_timed(lesson, source));
    } catch (const Error&) {
      return packed(std::vector<VariantResult>{});  // none that can be used: the simulator has judged already
    }
  });
  const ChildEnd end = child.wait(time_limit_s, stop);
  if (end.kind == ChildEnd::Kind::finished && !end.output.empty()) return unpacked_variants(end.output);
  VariantResult stopped{.name = "yours", .observed = Outcome::faults};
  stopped.explanation = end.kind == ChildEnd::Kind::time_limit ? "it was stopped: it did not end in time"
                                                               : "the process that ran it ended by itself";
  return {stopped};
}

namespace {

std::string architecture() {
  const std::vector<DeviceProperties> devices = cuda::support().devices();
  return devices.empty() ? "sm_80" : devices.front().architecture();
}

}  // namespace

void judge_compile_error(const CompileError& error, const device::KernelSource& source, CheckResult& result) {
  result.verdict = Verdict::does_not_compile;
  result.pattern = name_of(error.failure().kind);
  result.summary = error.what();
  result.line = error.failure().line;
  result.source = line_of(source.text, result.line);
  result.compiler_log = error.log();
}

void check_by_nvrtc(const device::KernelSource& source, sandbox::Mode mode, CheckResult& result) {
  const std::string for_architecture = architecture();
  const cuda::Status status = cuda::support().status();
  try {
    device::CompileCache cache;
    // #include could name any file.
    std::vector<std::filesystem::path> libraries = sandbox::files_of_a_compiler(status.nvrtc_path);
    const sandbox::Confinement confinement(mode, {.read = libraries, .write = {cache.folder()}},
                                           sandbox::SystemCalls::of_a_compiler);
    if (!confinement.close_files() || !confinement.close_system_calls()) return;
    cuda::support().compile_for(for_architecture, source, cache);
  } catch (const CompileError& error) {
    judge_compile_error(error, source, result);
    result.notes = {"NVRTC " + status.nvrtc_version + ", which compiles for GPUs (here for " +
                    for_architecture + "), refuses what the simulator's compiler accepts"};
  } catch (const device::DeviceError&) {
    // An NVRTC that does not know the architecture has nothing to say of the file.
  }
}

}  // namespace gpulab::learn
