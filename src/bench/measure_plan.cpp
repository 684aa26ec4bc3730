#include "bench/measure_plan.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "measure/sampling.hpp"
#include "run/device_ceilings.hpp"
#include "run/run_lesson.hpp"

namespace gpulab::bench {
namespace {

constexpr double usual_time_s = 0.5;  // for each figure
constexpr double shortest_time_s = 0.02;
// Cold, steady and energy, and about as long for inputs, checks and copies.
constexpr double times_of_a_row = 5;

class Measurement {
 public:
  Measurement(const Request& request, const Plan& plan, const MeasureOptions& options, device::Device& device,
              const std::function<void(const BenchRow&)>& on_row)
      : request_(request), plan_(plan), options_(options), device_(device), on_row_(on_row) {
    result_.device = device.properties();
    for (const std::string& id : plan.ids(request)) rows_left_ += request.done.contains(id) ? 0 : 1;
  }

  BenchResult run() {
    for (const PlannedProblem& problem : plan_.problems) {
      if (!result_.stopped_by.empty()) break;
      run(problem);
    }
    const bool has_more_time = result_.stopped_by.empty() && time_left_s().value_or(1) > 0;
    if (options_.with_ceilings && has_more_time && !result_.device.simulated()) measure_ceilings();
    return std::move(result_);
  }

 private:
  void measure_ceilings() {
    const std::unique_ptr<device::Stream> stream = device_.create_stream();
    run::DeviceCeilings ceilings(device_, *stream, 0.2);
    const double bytes = std::min(1e9, static_cast<double>(result_.device.free_memory_bytes) / 4);
    result_.ceilings = {ceilings.of({.bytes_read = bytes / 2, .bytes_written = bytes / 2}),
                        ceilings.of({.bytes_read = bytes}),
                        ceilings.of({.operations = 1, .limited_by_operations = true})};
  }

  bool is_wanted(const PlannedProblem& problem, const std::string& variant) const {
    return !request_.done.contains(id_of(case_of(problem, variant, request_)));
  }

  std::optional<double> time_left_s() const {
    if (!options_.time_budget_s) return std::nullopt;
    return *options_.time_budget_s - (measure::steady_now_s() - start_s_);
  }

  double time_of_a_figure_s() const {
    const std::optional<double> left_s = time_left_s();
    if (!left_s) return usual_time_s;
    return std::clamp(*left_s / static_cast<double>(rows_left_) / times_of_a_row, shortest_time_s,
                      usual_time_s);
  }

  bool has_time() {
    if (time_left_s().value_or(1) > 0) return true;
    result_.stopped_by = "the time budget was used up";
    return false;
  }

  void run(const PlannedProblem& problem) {
    const auto rows = problem.in_order();
    std::vector<std::string> wanted;
    std::ranges::copy_if(rows, std::back_inserter(wanted),
                         [&](const std::string& name) { return is_wanted(problem, name); });
    if (wanted.empty() || !has_time()) return;
    run::RunOptions options{.settings = problem.settings, .block_size = request_.block_size};
    std::ranges::copy_if(
        problem.variants, std::back_inserter(options.variants),
        [&](const std::string& name) { return std::ranges::find(wanted, name) != wanted.end(); });
    if (options.variants.empty()) options.variants = {problem.variants.front()};  // for the reference alone
    options.variant_order = problem.order;
    options.time_budget_s = time_of_a_figure_s();
    options.kernels = options_.kernels;
    options.measured = {.plain_reference = std::ranges::find(wanted, plain_reference) != wanted.end(),
                        .transfers = true,
                        .steady = true,
                        .counts = true};
    options.remark = options_.remark;
    options.on_result = [&](const LessonResult& so_far) { return take(problem, so_far); };
    try {
      const LessonResult done = run::run_lesson(*problem.lesson, options, device_);
      for (const ClaimResult& claim : done.claims)
        result_.claims.push_back({problem.lesson->name, problem.work_items, claim});
    } catch (const device::DeviceError& error) {
      if (error.leaves_device_unusable()) result_.stopped_by = device_was_lost;
      could_not_run(problem, wanted, error.what());
    } catch (const UsageError& error) {  // such as too little memory
      could_not_run(problem, wanted, error.what());
    }
  }

  void could_not_run(const PlannedProblem& problem, const std::vector<std::string>& wanted,
                     const std::string& why) {
    for (const std::string& name : wanted) {
      if (done_.contains(id_of(case_of(problem, name, request_)))) continue;
      BenchRow row = row_of(problem, name);
      row.expected = Outcome::not_run;
      row.explanation = why;
      hand_over(row);
    }
  }

  BenchRow row_of(const PlannedProblem& problem, const std::string& variant) const {
    return {.what = case_of(problem, variant, request_),
            .process = request_.process,
            .position = static_cast<int>(request_.done.size() + done_.size()),
            .traffic = problem.traffic};
  }

  void hand_over(const BenchRow& row) {
    done_.insert(id_of(row.what));
    --rows_left_;
    on_row_(row);
  }

  // Whether to go on.
  bool take(const PlannedProblem& problem, const LessonResult& so_far) {
    if (so_far.variants.empty()) {
      for (const ReferenceResult& reference : so_far.references)
        if (std::ranges::find(problem.references, reference.name) != problem.references.end() &&
            is_wanted(problem, reference.name))
          take_reference(problem, reference);
    } else if (is_wanted(problem, so_far.variants.back().name)) {
      take_variant(problem, so_far);
    }
    return result_.stopped_by.empty() && has_time();
  }

  void take_reference(const PlannedProblem& problem, const ReferenceResult& reference) {
    BenchRow row = row_of(problem, reference.name);
    row.kind = BenchKind::cpu;
    row.observed = reference.observed;
    row.valid = reference.observed == Outcome::right;
    row.explanation = reference.explanation;
    row.times[BenchTime::cpu] = reference.timing;
    hand_over(row);
  }

  void take_variant(const PlannedProblem& problem, const LessonResult& so_far) {
    const VariantResult& variant = so_far.variants.back();
    BenchRow row = row_of(problem, variant.name);
    row.kind = run::find_variant(*problem.lesson, variant.name).library.empty() ? BenchKind::kernel
                                                                                : BenchKind::library;
    row.expected = variant.expected;
    row.observed = variant.observed;
    row.valid = variant.observed == Outcome::right && variant.expected == Outcome::right;
    if (!row.valid) row.explanation = variant.explanation;
    if (variant.kernel_cold) row.times[BenchTime::cold] = *variant.kernel_cold;
    if (variant.launch_wall) row.times[BenchTime::launch] = *variant.launch_wall;
    if (variant.kernel_steady) row.times[BenchTime::steady] = *variant.kernel_steady;
    if (so_far.transfers && row.valid) {
      row.times[BenchTime::to_device] = so_far.transfers->to_device;
      row.times[BenchTime::to_host] = so_far.transfers->to_host;
    }
    row.energy = variant.energy;
    row.counts = variant.counts;
    row.warnings = variant.warnings;
    if (variant.lost_the_device) result_.stopped_by = device_was_lost;
    hand_over(row);
  }

  const Request& request_;
  const Plan& plan_;
  const MeasureOptions& options_;
  device::Device& device_;
  const std::function<void(const BenchRow&)>& on_row_;
  const double start_s_ = measure::steady_now_s();
  std::size_t rows_left_ = 0;
  std::set<std::string> done_;
  BenchResult result_;
};

}  // namespace

BenchResult measure(const Request& request, const Plan& plan, const MeasureOptions& options,
                    device::Device& device, const std::function<void(const BenchRow&)>& on_row) {
  return Measurement(request, plan, options, device, on_row).run();
}

}  // namespace gpulab::bench
