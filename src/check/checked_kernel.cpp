#include "check/checked_kernel.hpp"

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
      is_block_asked_for_(trial.block_size.has_value()),
      block_size_(trial.block_size.value_or(solution_.block.threads)),
      files_(lesson, std::nullopt),
      problems_(lesson, files_, device) {
  files_.replace(lesson.file_of(solution_), source);
  device_.instruments()->take_work();  // discards that of earlier kernels
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
    access_limit = is_block_asked_for_ ? max_accesses(problem.min_traffic())
                                       : max_accesses(lesson_, settings, block_size_);
  device_.instruments()->set_max_accesses(*access_limit);
  context_ = &problems_.make(std::move(problem), settings, tolerance);
}

bool CheckedKernel::is_right(const NamedOrder& order, CheckResult& result) {
  constexpr std::size_t max_printed_bytes = std::size_t{1} << 16;
  const Settings& settings = context_->prepared.settings;
  device_.instruments()->set_order(order.order);
  run::WatchedRun watched = run::run_watched(*context_, {.variant = solution_, .block_size = block_size_});
  last_.work = device_.instruments()->take_work();
  spent_.add(last_.work, work_at(settings));
  const VariantResult& run = watched.result;
  notes_.insert(run.notes.begin(), run.notes.end());
  const bool right = run.observed == Outcome::right && watched.defects.empty();
  if (!right || result.printed.empty()) result.printed = watched.printed.substr(0, max_printed_bytes);
  if (right) return true;
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

bool CheckedKernel::is_right_at_end(std::size_t size, CheckResult& result) {
  constexpr std::size_t last_blocks = 3;
  Settings settings = lesson_.default_settings();
  settings.size = size;
  settings.begins_at = (ceil_div(size, block_size_) - last_blocks) * std::size_t{block_size_};
  prepare(settings, always_allowed_accesses);
  const bool right = is_right(thread_orders()[0], result);
  for (Difference& difference : result.first_differences) difference.index += settings.begins_at;
  return right;
}

std::optional<KernelRecord> CheckedKernel::counted(const Settings& settings) {
  prepare(settings);
  device_.instruments()->set_order({});
  device_.instruments()->take_access_counts();
  const VariantResult run = run::run_variant(
      *context_,
      {.variant = solution_, .block_size = block_size_, .instrumentation = device::Instrumentation::counted});
  if (run.observed != Outcome::right) return std::nullopt;
  return KernelRecord{.counts = device_.instruments()->take_access_counts(),
                      .size = run.size,
                      .threads = ceil_div(run.size, block_size_) * block_size_};
}

}  // namespace gpulab::check
