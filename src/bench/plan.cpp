#include "bench/plan.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "base/text.hpp"
#include "bench/limits.hpp"
#include "run/ranks/lesson_ranks.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"
#include "run/sampling.hpp"
#include "run/variant_run.hpp"

namespace gpulab::bench {
namespace {

std::vector<const Variant*> all_variants(const Lesson& lesson) {
  std::vector<const Variant*> all;
  for (const auto* variants : {&lesson.variants, &lesson.yardsticks})
    for (const Variant& variant : *variants) all.push_back(&variant);
  return all;
}

void require_known_variants(const Request& request) {
  std::vector<std::string> names;
  for (const Sweep& sweep : request.sweeps)
    for (const Variant* variant : all_variants(sweep.lesson)) names.push_back(variant->name);
  for (const std::string& wanted : request.variants)
    if (!contains(names, wanted))
      throw UsageError(fmt::format("none of these lessons has a variant '{}'; {}", wanted,
                                   suggestion(wanted, names, "gpulab list shows what they have")));
}

// Returns a number that grows like the time of a simulation, and like the time of copies and checks of a GPU
// run.
double work_of(const Problem& problem) {
  return static_cast<double>(problem.work_items().volume()) + problem.min_traffic().operations;
}

class Planner {
 public:
  Planner(const Request& request, device::Device& device) : request_(request), device_(device) {
    require_known_variants(request);
  }

  Plan make() {
    for (const Sweep& sweep : request_.sweeps)
      for (const Settings& settings : sweep.settings) add(sweep.lesson, settings);
    for (const Sweep& sweep : request_.sweeps)
      if (request_.names_lessons && request_.variants.empty() && plan_.why_incomplete.empty() &&
          !contains(plan_.problems, &sweep.lesson, &PlannedProblem::lesson))
        plan_.why_incomplete = sweep.lesson.name + " was left out";
    for (const auto& [file, sentence] : request_.unknown_kernels) remark(sentence);
    for (const std::string& sentence : request_.added_kernels) remark(sentence);
    if (plan_.problems.empty() && !request_.sweeps.empty())
      throw UsageError("there is nothing to measure" +
                       (plan_.remarks.empty() ? std::string() : ": " + plan_.remarks.front()));
    put_in_random_order();
    return std::move(plan_);
  }

 private:
  void remark(const std::string& text, const std::string& lesson = "", bool is_of_request = false) {
    if (contains(plan_.remarks, text)) return;
    if (is_of_request) plan_.ruled_out.push_back(text);
    plan_.remarks.push_back(text);
    if (!lesson.empty()) plan_.lesson_remarks[lesson].push_back(text);
  }

  void add(const Lesson& lesson, const Settings& settings) {
    const Problem problem = lesson.problem(settings);
    PlannedProblem planned{.lesson = &lesson,
                           .settings = settings,
                           .work_items = problem.work_items().volume(),
                           .work = work_of(problem),
                           .traffic = problem.min_traffic()};
    if (!device_.properties().simulated() && (request_.variants.empty() || request_.one_thread)) {
      if (request_.one_thread && problem.references.plain) planned.references.push_back(plain_reference);
      planned.references.push_back(openmp_reference);
    }
    for (const Variant* variant : all_variants(lesson)) {
      if (!request_.variants.empty() && !contains(request_.variants, variant->name)) continue;
      const std::string obstacle = obstacle_to(problem, settings, lesson, *variant);
      if (obstacle.empty())
        planned.variants.push_back(variant->name);
      else if (is_worth_a_remark(*variant, obstacle))
        remark(fmt::format("{} {} was left out: {}", lesson.name, variant->name, obstacle), lesson.name,
               is_ruled_out(lesson, *variant));
    }
    if (!planned.variants.empty()) return plan_.problems.push_back(std::move(planned));
    remark(lesson.name + " was left out: " +
               (request_.variants.empty() ? "nothing of it can be measured here"
                                          : "it has none of the variants that can be measured"),
           lesson.name);
  }

  static constexpr const char* wrong_on_purpose = "it is wrong on purpose, so its figures mean nothing";

  // Returns whether the user wants to know why the variant is left out: not of every yardstick or mistake.
  bool is_worth_a_remark(const Variant& variant, const std::string& obstacle) const {
    return !request_.variants.empty() || (variant.library.empty() && obstacle != wrong_on_purpose);
  }

  // Returns whether the request itself, by its block size or its folder of kernels, rules the variant out.
  bool is_ruled_out(const Lesson& lesson, const Variant& variant) const {
    return !request_.absence_of(lesson, variant).empty() ||
           !variant.block.allows(request_.block_size.value_or(variant.block.threads));
  }

  // Returns why the variant cannot be measured; empty if it can.
  std::string obstacle_to(const Problem& problem, const Settings& settings, const Lesson& lesson,
                          const Variant& variant) {
    const unsigned block_size = request_.block_size.value_or(variant.block.threads);
    if (!variant.block.allows(block_size))
      return "it does not support blocks of " + std::to_string(block_size) + " threads";
    const LaunchContext context{
        .settings = settings, .work = problem.work_items(), .block_size = block_size, .problem = &problem};
    if (variant.races || variant.expects.at(context) != Outcome::right) return wrong_on_purpose;
    if (const std::string absence = request_.absence_of(lesson, variant); !absence.empty()) return absence;
    if (request_.variants.empty() && !variant.expects.is_always(Outcome::right))
      return "it is right here, but not at every size or with every option; --variant " + variant.name +
             " measures it";
    if (variant.max_size && *variant.max_size < settings.size)
      return "it supports at most " + grouped(*variant.max_size) + " elements";
    const std::string lack = run::missing_requirement(variant, device_);
    return !lack.empty() || !variant.on_each_rank
               ? lack
               : run::ranks::missing_devices(variant, run::ranks::with_gpus({.settings = settings}, device_),
                                             device_);
  }

  // Shuffles the cases, differently in each process. A simulator begins with the smallest problems, so that a
  // time budget lasts for most of them: its counts do not depend on the order.
  void put_in_random_order() {
    std::seed_seq seed{request_.order_seed, static_cast<std::uint64_t>(request_.process)};
    std::mt19937_64 random(seed);
    std::ranges::shuffle(plan_.problems, random);
    for (PlannedProblem& planned : plan_.problems) planned.order_seed = random();
    if (device_.properties().simulated())
      std::ranges::stable_sort(plan_.problems, {}, &PlannedProblem::work_items);
  }

  const Request& request_;
  device::Device& device_;
  Plan plan_;
};

BenchCase case_of(const PlannedProblem& problem, const std::string& variant, const Request& request) {
  return {.lesson = problem.lesson->name,
          .variant = variant,
          .size = problem.work_items,
          .seed = problem.settings.seed,
          .options = problem.settings.options,
          .block_size = is_reference(variant) ? 0 : request.block_size.value_or(0)};
}

}  // namespace

std::string Request::absence_of(const Lesson& lesson, const Variant& variant) const {
  const std::string& file = lesson.file_of(variant);
  if (!variant.library.empty()) return "";
  if (absent_files.contains(file)) return "the folder of --kernels has no " + file;
  const auto kernel = absent_kernels.find({file, variant.kernel});
  return kernel == absent_kernels.end() || !variants.empty() ? "" : kernel->second;
}

std::vector<std::string> PlannedProblem::in_order() const {
  std::vector<std::string> names = references;
  run::RunOptions options;
  options.variants = variants;
  options.variant_order = order_seed;
  for (const Variant& variant : run::chosen_variants(*lesson, options)) names.push_back(variant.name);
  return names;
}

std::vector<BenchCase> Plan::cases(const Request& request) const {
  std::vector<BenchCase> cases;
  for (const PlannedProblem& problem : problems)
    for (const std::string& variant : problem.in_order()) cases.push_back(case_of(problem, variant, request));
  return cases;
}

std::vector<std::string> Plan::ids(const Request& request) const {
  return transformed(cases(request), id_of);
}

void Plan::leave_out_done(const Request& request) {
  for (PlannedProblem& problem : problems)
    for (auto* names : {&problem.variants, &problem.references})
      std::erase_if(*names, [&](const std::string& name) {
        return request.done.contains(id_of(case_of(problem, name, request)));
      });
  std::erase_if(problems, [](const PlannedProblem& problem) { return problem.variants.empty(); });
}

Settings settings_of_size(const Lesson& lesson, Settings settings, std::uint64_t size) {
  if (lesson.has_size()) {
    settings.size = size;
    return settings;
  }
  if (lesson.sides.empty())
    throw UsageError(
        fmt::format("{} has no --size; gpulab {} --help lists its own options", lesson.name, lesson.name));
  const auto side = static_cast<std::uint64_t>(std::lround(std::sqrt(static_cast<double>(size))));
  for (const std::string& name : lesson.sides) settings.options.at(name) = std::max<std::uint64_t>(side, 1);
  return settings;
}

Plan make_plan(const Request& request, device::Device& device) {
  return Planner(request, device).make();
}

namespace {

// Time for which each figure is measured: without a time budget, and at least, however little is left.
constexpr double usual_time_s = 0.5;
constexpr double shortest_time_s = 0.02;
// Cold time, steady time and energy; inputs, checks and copies take about as long as two more.
constexpr double measurements_per_row = 5;

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
      measure(problem);
    }
    const bool has_more_time = result_.stopped_by.empty() && time_left_s().value_or(1) > 0;
    if (options_.with_ceilings && has_more_time && !result_.device.simulated()) measure_ceilings();
    return std::move(result_);
  }

 private:
  void measure_ceilings() {
    const std::unique_ptr<device::Stream> stream = device_.create_stream();
    DeviceCeilings ceilings(device_, *stream, /*time_budget_s=*/0.2);
    // A quarter of the free memory at most, since the measurements take up to twice these bytes.
    const double bytes = std::min(1e9, static_cast<double>(result_.device.free_memory_bytes) / 4);
    result_.ceilings = {ceilings.of({.bytes_read = bytes / 2, .bytes_written = bytes / 2}),
                        ceilings.of({.bytes_read = bytes}),
                        ceilings.of({.operations = 1, .limited_by_operations = true})};
  }

  bool is_pending(const PlannedProblem& problem, const std::string& variant) const {
    return !request_.done.contains(id_of(case_of(problem, variant, request_)));
  }

  std::optional<double> time_left_s() const {
    if (!options_.time_budget_s) return std::nullopt;
    return *options_.time_budget_s - (run::steady_now_s() - start_s_);
  }

  double time_of_a_figure_s() const {
    const std::optional<double> left_s = time_left_s();
    if (!left_s) return usual_time_s;
    return std::clamp(*left_s / static_cast<double>(rows_left_) / measurements_per_row, shortest_time_s,
                      usual_time_s);
  }

  // Returns whether time is left, or none is needed. If not, says in the result why the measurement stops.
  bool has_time() {
    if (rows_left_ == 0 || time_left_s().value_or(1) > 0) return true;
    result_.stopped_by = budget_used_up;
    return false;
  }

  // Measures the pending cases of a problem.
  void measure(const PlannedProblem& problem) {
    std::vector<std::string> pending = problem.in_order();
    std::erase_if(pending, [&](const std::string& name) { return !is_pending(problem, name); });
    leave_out_stopped(problem, pending);
    if (pending.empty() || !has_time()) return;
    run::RunOptions options{.settings = problem.settings, .block_size = request_.block_size};
    std::ranges::copy_if(problem.variants, std::back_inserter(options.variants),
                         [&](const std::string& name) { return contains(pending, name); });
    // References are measured beside a variant, even if only references are pending.
    if (options.variants.empty()) options.variants = {problem.variants.front()};
    options.variant_order = problem.order_seed;
    options.time_budget_s = result_.device.simulated() ? 0 : time_of_a_figure_s();
    options.kernels = options_.kernels;
    options.measured = {.plain_reference = contains(pending, plain_reference),
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
      hand_over_not_run(problem, pending, Outcome::right, error.what());
    } catch (const UsageError& error) {  // such as too little memory
      hand_over_not_run(problem, pending, Outcome::right, error.what());
    }
  }

  // Leaves out variants that met a limit of time or accesses at another size: here they would, too.
  void leave_out_stopped(const PlannedProblem& problem, std::vector<std::string>& pending) {
    std::erase_if(pending, [&](const std::string& name) {
      const auto stopped = stopped_at_.find({problem.lesson->name, name});
      if (stopped == stopped_at_.end()) return false;
      hand_over_not_run(problem, {name}, Outcome::not_run,
                        "it was stopped at " + grouped(stopped->second) +
                            " work items, because it did not end, and is not run again");
      return true;
    });
  }

  // Hands over rows without figures. The measurement fails because of them if `expected` is a right result.
  void hand_over_not_run(const PlannedProblem& problem, const std::vector<std::string>& names,
                         Outcome expected, const std::string& why) {
    for (const std::string& name : names) {
      if (done_.contains(id_of(case_of(problem, name, request_)))) continue;
      BenchRow row = row_of(problem, name);
      row.expected = expected;
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

  // Hands over the newest row of the result, if it is pending. Returns whether to go on.
  bool take(const PlannedProblem& problem, const LessonResult& so_far) {
    if (so_far.variants.empty()) {
      for (const ReferenceResult& reference : so_far.references)
        if (contains(problem.references, reference.name) && is_pending(problem, reference.name))
          take_reference(problem, reference);
    } else if (is_pending(problem, so_far.variants.back().name)) {
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
    if (!variant.as_expected() && variant.observed == Outcome::wrong && variant.size < so_far.size)
      row.explanation = "at " + grouped(variant.size) + " elements: " + row.explanation;
    if (variant.failure && variant.failure->file.empty()) row.line = variant.failure->line;
    if (row.line > 0 && row.observed != Outcome::fails_to_compile)  // whose explanation has the file
      row.explanation = (options_.kernels.value_or("") /
                         problem.lesson->file_of(run::find_variant(*problem.lesson, variant.name)))
                            .string() +
                        ": " + row.explanation;
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
    if (variant.failure && (variant.failure->kind == DefectKind::time_limit ||
                            variant.failure->kind == DefectKind::too_many_accesses))
      stopped_at_[{row.what.lesson, row.what.variant}] = row.what.size;
    if (variant.lost_the_device) result_.stopped_by = device_was_lost;
    hand_over(row);
  }

  const Request& request_;
  const Plan& plan_;
  const MeasureOptions& options_;
  device::Device& device_;
  const std::function<void(const BenchRow&)>& on_row_;
  const double start_s_ = run::steady_now_s();
  std::size_t rows_left_ = 0;
  std::set<std::string> done_;
  std::map<std::pair<std::string, std::string>, std::size_t> stopped_at_;  // size, by lesson and variant
  BenchResult result_;
};

}  // namespace

BenchResult measure(const Request& request, const Plan& plan, const MeasureOptions& options,
                    device::Device& device, const std::function<void(const BenchRow&)>& on_row) {
  return Measurement(request, plan, options, device, on_row).run();
}

namespace {

// Seconds of a lesson's variants at one size. A GPU takes about as long for each, so only one is tried there.
struct Trial {
  double work = 0;  // as work_of() counts it
  double seconds = 0;
};

class Trials {
 public:
  Trials(const Request& request, MeasureOptions options, device::Device& device,
         const std::function<void(const BenchRow&)>& on_row)
      : request_(request), options_(std::move(options)), device_(device), on_row_(on_row) {
    options_.with_ceilings = false;
  }

  // Tries a lesson at two sizes that are small compared with its largest problem. Returns the smaller first;
  // the two are the same if the largest problem is small itself.
  std::pair<Trial, Trial> of(const PlannedProblem& largest) const {
    constexpr std::size_t low_items = 1 << 10, max_high_items = 1 << 17, min_ratio_to_largest = 8;
    const run::ProblemLimit low_limit{.items = low_items, .operations = 1e5};
    tried(largest, low_limit);  // compiles, which is not to be timed
    const Trial low = tried(largest, low_limit);
    const std::size_t high_items = std::min(max_high_items, largest.work_items / min_ratio_to_largest);
    return {low, high_items > low_items ? tried(largest, {.items = high_items, .operations = 5e6}) : low};
  }

 private:
  Trial tried(const PlannedProblem& planned, const run::ProblemLimit& limit) const {
    std::vector<std::string> variants = planned.variants;
    if (!device_.properties().simulated()) variants.resize(1);
    const auto smaller = run::smaller_problem(*planned.lesson, planned.settings, limit);
    const Settings& settings = smaller ? smaller->settings : planned.settings;
    const Request trial{
        .sweeps = {{*planned.lesson, {settings}}}, .variants = variants, .block_size = request_.block_size};
    const double start_s = run::steady_now_s();
    measure(trial, make_plan(trial, device_), options_, device_, on_row_);
    const double seconds = run::steady_now_s() - start_s;
    const double rows_per_tried =
        static_cast<double>(planned.in_order().size()) / static_cast<double>(variants.size());
    return {work_of(planned.lesson->problem(settings)), rows_per_tried * seconds};
  }

  const Request& request_;
  MeasureOptions options_;
  device::Device& device_;
  const std::function<void(const BenchRow&)>& on_row_;
};

}  // namespace

double estimated_s(const Request& request, const Plan& plan, const MeasureOptions& options,
                   device::Device& device, const std::function<void(const BenchRow&)>& on_row) {
  std::map<std::string, const PlannedProblem*> largest;  // by lesson
  for (const PlannedProblem& planned : plan.problems) {
    const PlannedProblem*& known = largest[planned.lesson->name];
    if (!known || known->work_items < planned.work_items) known = &planned;
  }
  const Trials trials(request, options, device, on_row);
  double seconds = 0.3;  // to start the process
  for (const auto& [lesson, largest_problem] : largest) {
    const auto [low, high] = trials.of(*largest_problem);
    const double more_work = high.work - low.work;
    const double seconds_per_work = more_work > 0 ? std::max(high.seconds - low.seconds, 0.0) / more_work : 0;
    for (const PlannedProblem& planned : plan.problems)
      if (planned.lesson->name == lesson)
        seconds += low.seconds + seconds_per_work * std::max(planned.work - low.work, 0.0);
  }
  return seconds;
}

}  // namespace gpulab::bench
