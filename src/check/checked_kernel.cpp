#include "check/checked_kernel.hpp"

#include <algorithm>

#include "check/judging.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"

namespace gpulab::check {

std::span<const NamedOrder> thread_orders() {
  static constexpr NamedOrder orders[] = {{"forward", {device::ThreadOrder::Kind::forward}},
                                          {"reverse", {device::ThreadOrder::Kind::reverse}},
                                          {"preempted", {device::ThreadOrder::Kind::preempted}}};
  return orders;
}

CheckedKernel::CheckedKernel(const Lesson& lesson, const device::KernelSource& source, device::Device& device,
                             const Trial& trial)
    : lesson_(lesson),
      solution_(run::find_variant(lesson, lesson.solution)),
      source_(source),
      device_(device),
      is_block_size_chosen_(trial.block_size.has_value()),
      block_size_(trial.block_size.value_or(solution_.block.threads)),
      files_(lesson, std::nullopt),
      problems_(lesson, files_, device) {
  files_.replace(lesson.file_of(solution_), source);
  device_.instruments()->take_work();  // discards the work of earlier kernels
}

CheckedKernel::~CheckedKernel() {
  device_.instruments()->set_max_accesses(0);
}

void CheckedKernel::prepare(const Settings& settings, std::optional<std::size_t> access_limit) {
  run::check_options(lesson_,
                     {.settings = settings, .block_size = block_size_, .variants = {solution_.name}});
  Problem problem = lesson_.problem(settings);
  run::check_size(lesson_, problem, settings, device_.properties());
  const Tolerance tolerance = problem.tolerance;
  if (!access_limit)
    access_limit = is_block_size_chosen_ ? max_accesses_in_chosen_blocks(problem.min_traffic())
                                         : max_accesses(lesson_, settings, block_size_);
  device_.instruments()->set_max_accesses(*access_limit);
  context_ = &problems_.make(std::move(problem), settings, tolerance);
}

bool CheckedKernel::passes(const NamedOrder& order, CheckResult& result) {
  const Settings& settings = context_->prepared.settings;
  device_.instruments()->begin_run(order.order);
  run::WatchedRun watched = run::run_watched(*context_, {.variant = solution_, .block_size = block_size_});
  last_.work = device_.instruments()->take_work();
  spent_.add(last_.work, work_at(settings));
  const VariantResult& run = watched.result;
  notes_.insert(run.notes.begin(), run.notes.end());
  const bool right = run.observed == Outcome::right && watched.defects.empty();
  if (!right || result.printed.empty()) result.printed = run.printed;
  if (right) return true;
  last_.line_of_store = watched.line_of_store;
  last_.is_result_wrong = run.observed == Outcome::wrong && watched.defects.empty();
  if (watched.defects.empty() && run.observed != Outcome::fails_to_compile) last_.wrong = run.wrong;
  result.size = run.size;
  result.block_size = block_size_;
  result.schedule = order.name;
  judge_run(watched, context_->arrays, source_.text, result);
  if (run.observed != Outcome::fails_to_compile)
    result.tried_with = tried_with(lesson_, block_size_, settings);
  return false;
}

bool CheckedKernel::passes_last_blocks(std::size_t size, CheckResult& result) {
  constexpr std::size_t last_blocks = 3;
  Settings settings = lesson_.default_settings();
  settings.size = size;
  settings.begins_at = (ceil_div(size, block_size_) - last_blocks) * std::size_t{block_size_};
  prepare(settings, always_allowed_accesses);
  const bool right = passes(thread_orders()[0], result);
  for (Difference& difference : result.first_differences) difference.index += settings.begins_at;
  return right;
}

std::optional<KernelRecord> CheckedKernel::counted(const Settings& settings) {
  prepare(settings);
  device_.instruments()->begin_run({});
  device_.instruments()->take_access_counts();
  const VariantResult run = run::run_variant(
      *context_,
      {.variant = solution_, .block_size = block_size_, .instrumentation = device::Instrumentation::counted});
  if (run.observed != Outcome::right) return std::nullopt;
  return KernelRecord{.counts = device_.instruments()->take_access_counts(),
                      .size = run.size,
                      .threads = ceil_div(run.size, block_size_) * block_size_};
}

namespace {

// Returns how many rows an instructor's exercise may have, for it may launch a block for each row: the
// largest of its sizes if there are several, else 0. Then each thread of a block may go through its row.
double possible_rows(const Lesson& lesson, const Settings& settings) {
  const bool is_own = !lesson.kernels_text.empty();
  if (!is_own || lesson.options.size() + (lesson.has_size() ? 1 : 0) < 2) return 0;
  double rows = 0;
  for (const SizeOrCount& dimension : sizes_and_counts(lesson))
    rows = std::max<double>(
        rows, static_cast<double>(dimension.name == "size" ? settings.size : settings.count(dimension.name)));
  return rows;
}

}  // namespace

std::size_t max_accesses(const Lesson& lesson, const Settings& settings, unsigned block_size) {
  // Each thread may read as many elements as a usual block of 256 threads has, and a few more.
  constexpr double work_factor = 15, elementwise_work_factor = 6, elements_of_a_block = 260;
  const double work = work_of(lesson, settings, block_size);
  const Problem problem = lesson.problem(settings);
  const bool is_elementwise = problem.uses || problem.references.uses;  // each output lists its few inputs
  if (is_elementwise) return static_cast<std::size_t>(elementwise_work_factor * work);
  const double threads = lesson.has_size() ? static_cast<double>(settings.size + block_size) : 0;
  const double rows = possible_rows(lesson, settings);
  const Traffic traffic = problem.min_traffic();
  const double words = (traffic.bytes_read + traffic.bytes_written) / sizeof(float);
  const double allowed = work_factor * (work + block_size * rows) + (rows > 0 ? block_size * words : 0) +
                         std::min<double>(block_size, elements_of_a_block) * threads;
  return std::max(always_allowed_accesses, static_cast<std::size_t>(allowed));
}

std::size_t max_accesses_in_chosen_blocks(const Traffic& traffic) {
  // Small problems may always make 1e7 accesses: in blocks of a single thread, a kernel that is right repeats
  // in each thread the work that otherwise a block does once.
  constexpr double times_the_min = 1000, always_allowed = 1e7;
  const double words = (traffic.bytes_read + traffic.bytes_written) / sizeof(float);
  return static_cast<std::size_t>(std::max(always_allowed, times_the_min * (words + traffic.operations)));
}

namespace {

// Limits in seconds of a usual machine.
constexpr double limit_for_all_orders_s = 2.5, limit_s = 8;

// Returns the seconds that a usual machine takes for the steps of a launch. If the launch took far longer
// than its steps, it has loops that access no memory: then returns its CPU time.
double usual_seconds(const device::LaunchWork& work) {
  constexpr double steps_per_s = 2e7, far_more = 10, at_least_s = 0.2;
  const double steps_s = static_cast<double>(work.steps) / steps_per_s;
  const bool has_loops_without_steps = work.cpu_s > far_more * steps_s + at_least_s;
  return has_loops_without_steps ? work.cpu_s : steps_s;
}

}  // namespace

bool SpentWork::leaves_room_for_all_orders() const {
  return spent_s_ <= limit_for_all_orders_s;
}

bool SpentWork::leaves_room_for(double work) const {
  const double work_ratio = slowest_work_ > 0 ? work / slowest_work_ : 0;
  const double expected_s =
      slowest_s_ * (is_growing_ && work_ratio > 1 ? work_ratio * work_ratio : work_ratio);
  return spent_s_ + expected_s <= limit_s;
}

void SpentWork::add(const device::LaunchWork& done, double work) {
  constexpr double slow_s = 0.1;
  const double seconds = usual_seconds(done);
  const double work_ratio = slowest_work_ > 0 ? work / slowest_work_ : 0;
  spent_s_ += seconds;
  if (seconds <= slowest_s_ * work_ratio) return;
  // The kernel's time grows faster than its work if, at twice the work, it is twice as long as that explains.
  is_growing_ |= work_ratio > 2 && seconds > slow_s && seconds > 2 * slowest_s_ * work_ratio;
  slowest_s_ = seconds;
  slowest_work_ = work;
}

}  // namespace gpulab::check
