#include "run/run_lesson.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>

#include "cuda/support.hpp"
#include "estimate/ptx.hpp"
#include "run/variant_execution.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"

namespace gpulab::run {
namespace {

// Enough accesses that the sampled blocks represent all blocks, few enough to take some hundredths of a
// second.
constexpr std::uint64_t sampled_accesses = std::uint64_t{1} << 16;

// Registers of a thread if there is no NVRTC to report them.
constexpr int guessed_registers = 32;

// Most launches of a variant that are counted. Further launches are taken to be like these.
constexpr std::size_t most_counted = 64;

// Thrown when enough launches are counted.
struct EnoughLaunches {};

// Returns whether the lesson's table needs the counts of all accesses at this size.
bool shows_all_accesses(const RunContext& context) {
  return !context.lesson.shows.accesses.empty() && count_limit.allows(context.prepared.problem);
}

// Counts the work of each launch of a variant, in the grid that the GPU would get. Throws Error before a
// launch whose time cannot be known.
class Prediction : public LaunchObserver {
 public:
  // launched() throws EnoughLaunches after `max_launches`.
  Prediction(const RunContext& context, const Variant& variant, const estimate::Gpu& gpu,
             std::size_t max_launches)
      : context_(context), variant_(variant), gpu_(gpu), max_launches_(max_launches) {
    context.device.instruments()->set_sampled_accesses(
        shows_all_accesses(context) ? device::Instruments::all_accesses : sampled_accesses);
  }
  ~Prediction() override { context_.device.instruments()->set_sampled_accesses(0); }

  unsigned resident_blocks(const std::string& kernel, const Arguments& arguments, unsigned block_size,
                           std::size_t dynamic_shared_bytes) override {
    const CompiledFor& compiled = compiled_for(kernel, arguments);
    return resident_blocks(compiled, compiled.static_shared_bytes + dynamic_shared_bytes, block_size);
  }

  void launching(const std::string& kernel, const Arguments& arguments) override {
    if (const std::string why = why_not(kernel, arguments); !why.empty()) throw Error(ExitCode::device, why);
  }

  void launched(const std::string& kernel, const LaunchConfig& config, const Arguments& arguments) override {
    context_.device.synchronize(context_.stream);
    AccessCounts counts = context_.device.instruments()->take_access_counts();
    const CompiledFor& compiled = compiled_for(kernel, arguments);
    const std::size_t shared_bytes = compiled.static_shared_bytes + config.dynamic_shared_bytes;
    const unsigned resident = resident_blocks(compiled, shared_bytes, config.block.volume());
    KernelWork work = estimate::work_of(counts, config, resident, compiled.ptx);
    work.kernel = kernel;
    work.registers = compiled.registers;
    work.shared_bytes = shared_bytes;
    launches_.push_back(std::move(work));
    if (whole_counts_ && counts.sample.is_whole())
      whole_counts_->add(std::move(counts));
    else
      whole_counts_.reset();
    if (launches_.size() == std::min(max_launches_, most_counted)) throw EnoughLaunches();
  }

  // Returns why the time of a kernel's launch cannot be known, whatever is counted; empty if it can.
  std::string why_not(const std::string& kernel, const Arguments& arguments) {
    const std::optional<estimate::PtxKernel>& ptx = compiled_for(kernel, arguments).ptx;
    return ptx && ptx->has_uncounted_iterations() ? estimate::about_uncounted_loop(kernel) : "";
  }

  const std::vector<KernelWork>& launches() const { return launches_; }
  // Returns the counts of the launches, if every block of each launch was sampled.
  const std::optional<AccessCounts>& whole_counts() const { return whole_counts_; }

 private:
  struct CompiledFor {
    int registers = guessed_registers;
    std::size_t static_shared_bytes = 0;
    std::optional<estimate::PtxKernel> ptx = {};
  };

  unsigned resident_blocks(const CompiledFor& compiled, std::size_t shared_bytes, std::size_t threads) const {
    return estimate::occupancy_of(gpu_, compiled.registers, shared_bytes, threads).blocks *
           static_cast<unsigned>(gpu_.multiprocessors);
  }

  const CompiledFor& compiled_for(const std::string& kernel, const Arguments& arguments) {
    const auto known = compiled_.find(kernel);
    if (known != compiled_.end()) return known->second;
    CompiledFor& compiled = compiled_[kernel];
    // A variant with a file of its own may also launch kernels of the lesson's file.
    Variant of_lesson = variant_;
    of_lesson.source.clear();
    for (const Variant* const variant : {&variant_, static_cast<const Variant*>(&of_lesson)}) {
      const device::KernelSource& source = context_.files.of(*variant);
      try {
        const auto found =
            cuda::support().kernel_for(gpu_.architecture, source, kernel, arguments.signature(), cache_);
        if (!found) break;
        compiled.registers = found->attributes.registers_per_thread;
        compiled.static_shared_bytes = found->attributes.static_shared_bytes;
        compiled.ptx =
            estimate::read_ptx(found->ptx, found->symbol, {device::name_for_compilers(source.name)});
        break;
      } catch (const Error&) {  // another file has it, or the GPU lacks what it needs
      }
    }
    return compiled;
  }

  const RunContext& context_;
  const Variant& variant_;
  const estimate::Gpu& gpu_;
  std::size_t max_launches_;
  device::CompileCache cache_;
  std::map<std::string, CompiledFor> compiled_;
  std::vector<KernelWork> launches_;
  std::optional<AccessCounts> whole_counts_ = AccessCounts();
};

void count_launches(const RunContext& context, const Variant& variant, unsigned block_size, bool was_run,
                    Prediction& prediction) {
  try {
    VariantExecution execution(context, variant, block_size, device::Instrumentation::counted, &prediction);
    execution.reset();
    if (!was_run) execution.prepare_run();
    context.device.instruments()->take_access_counts();
    execution.run();
    context.device.synchronize(context.stream);
  } catch (const EnoughLaunches&) {
  }
  context.device.instruments()->take_notes();  // repeats those of the checked run
}

// Runs a variant and returns the number of launches, which may depend on what its kernels compute.
std::size_t launches_of(const RunContext& context, const Variant& variant, unsigned block_size) {
  VariantExecution execution(context, variant, block_size, default_instrumentation(variant));
  execution.reset();
  execution.prepare_run();
  execution.run();
  context.device.synchronize(context.stream);
  return execution.launches();
}

Estimate refused(const std::string& why, const estimate::Gpu& gpu) {
  return {.gpu = gpu.short_name, .why_not = why};
}

// Returns why nothing is known of a variant's time on a GPU; empty if its accesses can be counted.
std::string why_not_estimated(const Variant& variant) {
  if (variant.on_each_rank) return "several GPUs, whose links are not modelled";
  if (variant.is_program) return "a whole program, whose launches gpulab run --inspect estimates";
  if (variant.needs) return "instructions of a GPU that the simulator does not have";
  if (variant.copies_inputs_from) return "its time is that of copies";
  return variant.library.empty() ? "" : "a library's call";
}

// Predicts a variant that was run before with that number of launches; without a number, it was not run.
PredictedRun predicted_after(const std::optional<std::size_t>& launches_before, const RunContext& context,
                             const Variant& variant, unsigned block_size, const estimate::Gpu& gpu) {
  if (const std::string why = why_not_estimated(variant); !why.empty())
    return {.estimate = refused(why, gpu)};
  if (launches_before == 0) return {.estimate = refused("it launches nothing", gpu)};
  try {
    const bool must_run_first = !launches_before && variant.steps;
    const std::size_t launches =
        must_run_first ? launches_of(context, variant, block_size) : launches_before.value_or(1);
    Prediction prediction(context, variant, gpu, launches);
    if (!variant.steps)
      if (const std::string why = prediction.why_not(variant.kernel, context.lesson.arguments_of(variant));
          !why.empty())
        return {.estimate = refused(why, gpu)};
    const bool was_run = launches_before.has_value() || must_run_first;
    count_launches(context, variant, block_size, was_run, prediction);
    const std::vector<KernelWork>& counted = prediction.launches();
    const double repeats =
        static_cast<double>(launches) / static_cast<double>(std::max<std::size_t>(1, counted.size()));
    PredictedRun run{.estimate = estimate::estimate_of(gpu, counted, repeats)};
    if (counted.size() == launches) run.counts = prediction.whole_counts();
    return run;
  } catch (const Error& error) {
    context.device.instruments()->take_notes();
    return {.estimate = refused(error.what(), gpu)};
  }
}

// Puts the problem on the device, without computing its expected outputs.
const RunContext& make_without_reference(ProblemCache& problems, Problem problem, const Settings& settings) {
  problem.references.plain = [](const Inputs&, Outputs&) {};
  return problems.make(std::move(problem), settings);
}

// Runs the learner's kernel at a size that stays quick, to see whether it is right at all.
VariantResult judged_when_small(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                                device::Device& simulator, const VariantTask& task) {
  std::optional<MadeProblem> small = smaller_problem(lesson, options.settings, count_limit);
  if (!small) small = MadeProblem{options.settings, lesson.problem(options.settings)};
  ProblemCache problems(lesson, files, simulator);
  return run_variant(problems.make(std::move(small->problem), small->settings), task);
}

// Returns options with which the problem fills a GPU, " (--size 4194304)"; empty if it may be that large.
std::string larger_sizes(const Lesson& lesson, const LessonResult& result) {
  constexpr std::size_t side = 2048;
  if (result.size >= side * side) return "";
  std::string options = lesson.has_size() ? fmt::format(" --size {}", side * side) : "";
  for (const std::string& name : lesson.sides)
    if (std::get<std::uint64_t>(result.options.at(name)) < side)
      options += fmt::format(" --{} {}", name, side);
  return options.empty() ? "" : fmt::format(" ({})", options.substr(1));
}

}  // namespace

void add_remark_on_size(const Lesson& lesson, const estimate::Gpu& gpu, LessonResult& result) {
  const auto is_limited_by_launch = [&](const VariantResult& variant) {
    const Estimate* const estimate = gpulab::estimate_of(result, variant);
    return estimate && estimate->bounds.front().limiter == Limiter::launch;
  };
  if (std::ranges::none_of(result.variants, is_limited_by_launch)) return;
  result.remarks.push_back(fmt::format(
      "with {} work items launching a kernel takes much of its time on the {}, and few blocks do not fill its {} multiprocessors: with more{} another variant may be the fastest",
      grouped(result.size), gpu.short_name, grouped(static_cast<std::size_t>(gpu.multiprocessors)),
      larger_sizes(lesson, result)));
}

PredictedRun predicted(const RunContext& context, const Variant& variant, unsigned block_size,
                       std::size_t launches, const estimate::Gpu& gpu) {
  return predicted_after(launches, context, variant, block_size, gpu);
}

LessonResult predicted_lesson(const Lesson& lesson, RunOptions options, const device::KernelSource* learners,
                              device::Device& simulator) {
  if (learners) options.variants = {lesson.solution};
  check_options(lesson, options);
  KernelFiles files(lesson, options.kernels);
  if (learners) files.replace(lesson.file_of(find_variant(lesson, lesson.solution)), *learners);
  Problem problem = lesson.problem(options.settings);
  check_size(lesson, problem, options.settings, simulator.properties());
  LessonResult result{.lesson = lesson.name,
                      .title = lesson.title,
                      .problem = problem.description,
                      .size = problem.work_items().volume(),
                      .seed = options.settings.seed,
                      .options = options.settings.options,
                      .traffic = problem.min_traffic(),
                      .device = simulator.properties()};
  ProblemCache problems(lesson, files, simulator);
  const RunContext& context = make_without_reference(problems, std::move(problem), options.settings);
  for (const Variant& variant : chosen_variants(lesson, options)) {
    if (!variant.expects.is_always(Outcome::right)) continue;
    options.progress(variant.name);
    const unsigned block_size = options.block_size.value_or(variant.block.threads);
    VariantResult& last = result.variants.emplace_back(begun_result(context, variant, block_size));
    last.observed = Outcome::right;  // the course's kernels are
    if (variant.max_size && *variant.max_size < options.settings.size) {
      last.estimate = refused("it runs at " + grouped(*variant.max_size) + " elements at most", *options.gpu);
      continue;
    }
    if (learners && why_not_estimated(variant).empty())
      last = judged_when_small(lesson, options, files, simulator,
                               {.variant = variant, .block_size = block_size});
    const bool is_right = last.observed == Outcome::right;
    if (learners && is_right) {
      VariantWatch watch(lesson, files, options.settings, simulator);
      if (std::optional<VariantResult> defect = defect_of_edited(watch, variant, block_size))
        last = *std::move(defect);
    }
    if (is_right) last.estimate = predicted_after({}, context, variant, block_size, *options.gpu).estimate;
  }
  add_remark_on_size(lesson, *options.gpu, result);
  return result;
}

PredictedTimes predicted_beside_solution(const Lesson& lesson, const device::KernelSource& learners,
                                         const estimate::Gpu& gpu, device::Device& simulator) {
  const Variant& solution = find_variant(lesson, lesson.solution);
  const Settings settings = lesson.default_settings();
  Problem problem = lesson.problem(settings);
  check_size(lesson, problem, settings, simulator.properties());
  KernelFiles files(lesson, std::nullopt);
  ProblemCache problems(lesson, files, simulator);
  PredictedTimes times{.size = problem.work_items().volume()};
  const RunContext& context = make_without_reference(problems, std::move(problem), settings);
  times.solution = predicted_after({}, context, solution, solution.block.threads, gpu).estimate;
  files.replace(lesson.file_of(solution), learners);
  times.yours = predicted_after({}, context, solution, solution.block.threads, gpu).estimate;
  return times;
}

}  // namespace gpulab::run
