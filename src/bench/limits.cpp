#include "bench/limits.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <algorithm>
#include <vector>

#include "bench/bench_formats.hpp"
#include "run/run_lesson.hpp"
#include "run/variant_run.hpp"

namespace gpulab::bench {
namespace {

std::optional<double> ratio(std::optional<double> numerator, std::optional<double> denominator) {
  if (!numerator || !denominator || !(*numerator > 0) || !(*denominator > 0)) return std::nullopt;
  return *numerator / *denominator;
}

}  // namespace

std::optional<double> cold_s(const VariantResult& variant) {
  if (variant.observed != Outcome::right || !variant.kernel_cold) return std::nullopt;
  return variant.kernel_cold->median_s;
}

std::optional<double> fraction_of_ceiling(const LimitResult& measured) {
  return ratio(bench_rate(measured.traffic, cold_s(measured.variant)), measured.ceiling.per_s);
}

std::optional<double> speedup_over_yardstick(const LimitResult& measured) {
  return measured.yardstick ? ratio(cold_s(*measured.yardstick), cold_s(measured.variant)) : std::nullopt;
}

std::optional<double> simulated_s(const VariantResult& variant) {
  if (variant.observed != Outcome::right || !variant.launch_wall) return std::nullopt;
  return variant.launch_wall->median_s;
}

double threads_of(const VariantResult& variant) {
  if (!variant.launch) return 0;
  return static_cast<double>(variant.launch->grid.volume()) *
         static_cast<double>(variant.launch->block.volume());
}

std::optional<double> parallel_speedup(const SimulationResult& measured) {
  return ratio(simulated_s(measured.on_one_core), simulated_s(measured.on_all_cores));
}

std::optional<double> speedup_over_library(const SimulationResult& measured) {
  if (!measured.host_library || measured.host_library->observed != Outcome::right) return std::nullopt;
  return ratio(measured.host_library->timing.median_s, simulated_s(measured.on_all_cores));
}

bool meets_target(const LimitResult& measured) {
  const auto reaches = [](std::optional<double> figure, double target) {
    return target == 0 || (figure && *figure >= target);
  };
  return cold_s(measured.variant) &&
         reaches(fraction_of_ceiling(measured), measured.limit_case.min_fraction_of_ceiling) &&
         (!measured.yardstick || reaches(speedup_over_yardstick(measured), measured.limit_case.min_speedup));
}

ExitCode exit_code_of(const LimitsResult& result) {
  ExitCode code = ExitCode::ok;
  const auto add = [&](const VariantResult& variant) { code = std::max(code, exit_code_of(variant)); };
  for (const LimitResult& measured : result.cases) {
    add(measured.variant);
    if (measured.yardstick) add(*measured.yardstick);
  }
  for (const SimulationResult& measured : result.simulated) {
    add(measured.on_one_core);
    add(measured.on_all_cores);
  }
  return code;
}

namespace {

// Returns the traffic that the case's kind of ceiling counts.
Traffic traffic_of(const LimitCase& limit_case, Traffic traffic) {
  if (limit_case.limited_by == LimitedBy::memory) traffic.limited_by_operations = false;
  if (limit_case.limited_by == LimitedBy::host_link)
    return {.bytes_read = limit_case.bytes_copied, .bytes_written = limit_case.bytes_copied};
  return traffic;
}

// Returns the options of a run of the case's variant alone. The lesson and `options` must outlive them.
run::RunOptions run_options_of(const Lesson& lesson, const LimitCase& limit_case,
                               const LimitsOptions& options) {
  run::RunOptions run_options;
  run_options.settings = lesson.default_settings();
  run_options.settings.size = limit_case.size;
  run_options.settings.seed = options.seed;
  for (const auto& [name, value] : limit_case.options) run_options.settings.options[name] = value;
  run_options.variants = {limit_case.variant};
  run_options.time_budget_s = options.time_budget_s;
  run_options.measured = {.plain_reference = false, .transfers = false};
  run_options.progress = [&](const std::string& what) { options.progress(lesson.name + ", " + what); };
  return run_options;
}

class LimitsRun {
 public:
  LimitsRun(const LimitsOptions& options, device::Device& device)
      : options_(options),
        device_(device),
        stream_(device.create_stream()),
        ceilings_(device, *stream_, options.time_budget_s) {
    result_ = {.device = device.properties(), .seed = options.seed};
    const std::string architecture = result_.device.architecture();
    if (architecture != "sm_90")
      remark("targets were set on an H200 and an H100: variants that were tuned there compile for " +
             architecture + ", but their speed on it was not measured before");
  }

  void add(const Lesson& lesson, const LimitCase& limit_case) {
    const Variant& variant = run::find_variant(lesson, limit_case.variant);
    if (const std::string lack = run::missing_requirement(variant, device_); !lack.empty())
      return remark(fmt::format("{} {} was left out: {}", lesson.name, variant.name, lack));
    result_.cases.push_back(measure_case(lesson, limit_case));
  }

  LimitsResult take() { return std::move(result_); }

 private:
  void remark(const std::string& text) { add_once(result_.remarks, text); }

  // Returns the options of a run of the variant and, if it can run here, its yardstick.
  run::RunOptions options_with_yardstick(const Lesson& lesson, const LimitCase& limit_case) {
    run::RunOptions run_options = run_options_of(lesson, limit_case, options_);
    if (!limit_case.yardstick.empty()) {
      const std::string lack =
          run::missing_requirement(run::find_variant(lesson, limit_case.yardstick), device_);
      if (lack.empty())
        run_options.variants.push_back(limit_case.yardstick);
      else
        remark(lesson.name + " has no yardstick: " + lack);
    }
    run_options.measured.steady = true;
    run_options.measured.host_library = limit_case.host_library;
    return run_options;
  }

  LimitResult measure_case(const Lesson& lesson, const LimitCase& limit_case) {
    LessonResult lesson_result = run::run_lesson(lesson, options_with_yardstick(lesson, limit_case), device_);
    LimitResult measured{.lesson = lesson.name,
                         .limit_case = limit_case,
                         .problem = lesson_result.problem,
                         .traffic = traffic_of(limit_case, lesson_result.traffic)};
    for (VariantResult& variant : lesson_result.variants) {
      if (variant.name == limit_case.variant)
        measured.variant = std::move(variant);
      else
        measured.yardstick = std::move(variant);
    }
    for (ReferenceResult& reference : lesson_result.references) {
      auto& result = reference.name == openmp_reference ? measured.reference : measured.host_library;
      result = std::move(reference);
    }
    options_.progress(lesson.name + ", ceiling");
    measured.ceiling = ceilings_.of(measured.traffic, limit_case.limited_by);
    if (measured.reference && limit_case.limited_by != LimitedBy::host_link)
      measured.reference_fraction = fraction_of_host_ceilings(lesson, measured);
    return measured;
  }

  // Returns the fraction of the CPU's ceilings that the reference reached; none if the problem states neither
  // bytes nor operations. Measures the ceilings again for each case, since the speed of a machine that is
  // shared with others changes from minute to minute.
  std::optional<double> fraction_of_host_ceilings(const Lesson& lesson, const LimitResult& measured) {
    options_.progress(lesson.name + ", ceilings of the CPU");
    const double fraction = fraction_of_ceilings(*measured.reference, measured.traffic,
                                                 measure_host_ceilings(options_.time_budget_s / 2));
    return fraction > 0 ? std::optional(fraction) : std::nullopt;
  }

  const LimitsOptions& options_;
  device::Device& device_;
  std::unique_ptr<device::Stream> stream_;
  DeviceCeilings ceilings_;
  LimitsResult result_;
};

// Guard that binds this thread, and the threads and processes that it starts, to one of its cores.
class OnOneCore {
 public:
  OnOneCore() {
    if (::sched_getaffinity(0, sizeof all_cores_, &all_cores_) != 0) return;
    cpu_set_t first_core;
    CPU_ZERO(&first_core);
    int core = 0;
    while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &all_cores_)) ++core;
    CPU_SET(core, &first_core);
    is_bound_ = ::sched_setaffinity(0, sizeof first_core, &first_core) == 0;
  }
  ~OnOneCore() {
    if (is_bound_) ::sched_setaffinity(0, sizeof all_cores_, &all_cores_);
  }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t all_cores_;
  bool is_bound_ = false;
};

}  // namespace

LimitsResult measure_simulation(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                                const std::function<std::unique_ptr<device::Device>()>& open_simulator) {
  const auto open_on_one_core = [&] {
    const OnOneCore on_one_core;
    return open_simulator();
  };
  const auto one_core = open_on_one_core(), all_cores = open_simulator();
  LimitsResult result{.device = all_cores->properties(), .seed = options.seed};
  for (const Lesson& lesson : lessons)
    for (const LimitCase& limit_case : lesson.simulated) {
      run::RunOptions run_options = run_options_of(lesson, limit_case, options);
      run_options.measured.simulation = true;
      LessonResult on_one_core = run::run_lesson(lesson, run_options, *one_core);
      run_options.measured.host_library = limit_case.host_library;
      LessonResult on_all_cores = run::run_lesson(lesson, run_options, *all_cores);
      SimulationResult measured{.lesson = lesson.name,
                                .limit_case = limit_case,
                                .problem = on_all_cores.problem,
                                .on_one_core = std::move(on_one_core.variants.at(0)),
                                .on_all_cores = std::move(on_all_cores.variants.at(0))};
      for (ReferenceResult& reference : on_all_cores.references)
        if (reference.name != openmp_reference) measured.host_library = std::move(reference);
      result.simulated.push_back(std::move(measured));
    }
  if (std::ranges::none_of(result.simulated,
                           [](const auto& measured) { return measured.host_library.has_value(); }))
    result.remarks.push_back("OpenCL is not here to compare with: gpulab doctor says why");
  return result;
}

LimitsResult measure_limits(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                            device::Device& device) {
  LimitsRun run(options, device);
  for (const Lesson& lesson : lessons)
    for (const LimitCase& limit_case : lesson.limits) run.add(lesson, limit_case);
  return run.take();
}

}  // namespace gpulab::bench
