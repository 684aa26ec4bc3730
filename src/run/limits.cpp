#include "run/limits.hpp"

#include <algorithm>
#include <vector>

#include "measure/host_ceilings.hpp"
#include "run/device_ceilings.hpp"
#include "run/run_lesson.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run {
namespace {

// What a ceiling of that kind counts: bytes or operations.
Traffic traffic_of(const LimitCase& asked, Traffic traffic) {
  if (asked.limited_by == LimitedBy::memory) traffic.limited_by_operations = false;
  if (asked.limited_by == LimitedBy::host_link)
    return {.bytes_read = asked.bytes_copied, .bytes_written = asked.bytes_copied};
  return traffic;
}

class LimitsRun {
 public:
  LimitsRun(const LimitsOptions& options, device::Device& device)
      : options_(options),
        device_(device),
        stream_(device.create_stream()),
        ceilings_(device, *stream_, options.time_budget_s) {
    result_ = {.device = device.properties(), .seed = options.seed};
  }

  void add(const Lesson& lesson, const LimitCase& asked) {
    const Variant& rung = find_variant(lesson, asked.rung);
    if (const std::string lack = what_it_lacks(rung, device_); !lack.empty())
      return remark(lesson.name + " " + rung.name + " was left out: " + lack);
    result_.cases.push_back(measured(lesson, asked));
  }

  LimitsResult take() { return std::move(result_); }

 private:
  void remark(const std::string& text) {
    if (std::ranges::find(result_.remarks, text) == result_.remarks.end()) result_.remarks.push_back(text);
  }

  RunOptions run_options(const Lesson& lesson, const LimitCase& asked) {
    RunOptions run;
    run.settings = lesson.default_settings();
    run.settings.size = asked.size;
    run.settings.seed = options_.seed;
    for (const auto& [name, value] : asked.options) run.settings.options[name] = value;
    run.variants = {asked.rung};
    if (!asked.yardstick.empty()) {
      const std::string lack = what_it_lacks(find_variant(lesson, asked.yardstick), device_);
      if (lack.empty())
        run.variants.push_back(asked.yardstick);
      else
        remark(lesson.name + " has no yardstick: " + lack);
    }
    run.time_budget_s = options_.time_budget_s;
    run.measured = {.plain_reference = false, .transfers = false, .steady = true};
    run.progress = [this, &lesson](const std::string& what) { options_.progress(lesson.name + ", " + what); };
    return run;
  }

  LimitResult measured(const Lesson& lesson, const LimitCase& asked) {
    LessonResult lesson_result = run_lesson(lesson, run_options(lesson, asked), device_);
    LimitResult one{.lesson = lesson.name,
                    .asked = asked,
                    .problem = lesson_result.problem,
                    .traffic = traffic_of(asked, lesson_result.traffic)};
    for (VariantResult& variant : lesson_result.variants) {
      if (variant.name == asked.rung)
        one.rung = std::move(variant);
      else
        one.yardstick = std::move(variant);
    }
    if (!lesson_result.references.empty()) one.reference = std::move(lesson_result.references.back());
    options_.progress(lesson.name + ", ceiling");
    one.ceiling = ceilings_.of(one.traffic, asked.limited_by);
    if (one.reference && asked.limited_by != LimitedBy::host_link)
      one.reference_of_ceiling = part_of_host_ceilings(lesson, one);
    return one;
  }

  // Measured again for each case: what a machine allows that others use, too, changes from minute to minute.
  // None where nothing is stated that must be moved or computed.
  std::optional<double> part_of_host_ceilings(const Lesson& lesson, const LimitResult& one) {
    options_.progress(lesson.name + ", ceilings of the CPU");
    const double part = measure::fraction_of_ceilings(
        *one.reference, one.traffic, measure::measure_host_ceilings(options_.time_budget_s / 2));
    return part > 0 ? std::optional(part) : std::nullopt;
  }

  const LimitsOptions& options_;
  device::Device& device_;
  std::unique_ptr<device::Stream> stream_;
  DeviceCeilings ceilings_;
  LimitsResult result_;
};

}  // namespace

LimitsResult measure_limits(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                            device::Device& device) {
  LimitsRun run(options, device);
  for (const Lesson& lesson : lessons)
    for (const LimitCase& asked : lesson.limits) run.add(lesson, asked);
  return run.take();
}

}  // namespace gpulab::run
