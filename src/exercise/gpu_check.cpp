#include "exercise/gpu_check.hpp"

#include "core/registry.hpp"
#include "device/cuda_support.hpp"
#include "exercise/child_process.hpp"
#include "exercise/result_text.hpp"
#include "run/problem_cache.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"

namespace gpulab {
namespace {

constexpr double seconds_for_each = 0.2;

// A bench has one text for each file, so the learner's kernel has one of its own.
std::vector<VariantResult> run_with(const Lesson& lesson, const KernelFiles& files, Device& device,
                                    const std::vector<Variant>& variants) {
  const auto stream = device.create_stream();
  ProblemCache benches(lesson, files, device, *stream);
  const Settings settings = lesson.default_settings();
  Problem problem = lesson.problem(settings);
  const Tolerance tolerance = problem.tolerance;
  const RunContext& bench = benches.make(std::move(problem), settings, tolerance);
  std::vector<VariantResult> results;
  for (const Variant& variant : variants) {
    if (variant.expects.at(bench.launch_context(variant.block.threads)) != Outcome::right || variant.max_size)
      continue;
    results.push_back(run_variant(
        bench, {.variant = variant, .block_size = variant.block.threads, .time_budget_s = seconds_for_each}));
    if (results.back().lost_the_device) break;
  }
  return results;
}

std::vector<VariantResult> all_timed(const Lesson& lesson, const KernelSource& source) {
  if (cuda_support().status().devices == 0) return {};
  CompileCache cache;
  const auto device = cuda_support().open(0, cache);
  const Variant& solution = find_variant(lesson, lesson.solution);
  KernelFiles files(lesson, std::nullopt);
  KernelFiles with_learners = files;
  with_learners.replace(lesson.file_of(solution), source);
  std::vector<VariantResult> results = run_with(lesson, with_learners, *device, {solution});
  if (results.empty() || results.front().lost_the_device) return results;
  results.front().name = "yours";
  for (VariantResult& result : run_with(lesson, files, *device, lesson.variants))
    results.push_back(std::move(result));
  return results;
}

}  // namespace

std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const KernelSource& source, double time_limit_s,
                                       const StopRequest& stop) {
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

}  // namespace gpulab
