#include "run/watched_run.hpp"

#include "core/defect.hpp"
#include "run/devices.hpp"

namespace gpulab::run {
namespace {

// No multiple of a block, so that a missing guard shows.
constexpr ProblemLimit to_watch{.items = 10007, .operations = 1e7};

constexpr device::ThreadOrder orders[] = {{device::ThreadOrder::Kind::forward},
                                          {device::ThreadOrder::Kind::reverse},
                                          {device::ThreadOrder::Kind::preempted}};

// A kernel that is caught in an endless loop has had more than enough.
constexpr std::size_t max_accesses = std::size_t{1} << 28;

}  // namespace

WatchedRun run_watched(const RunContext& context, VariantTask task) {
  device::Instruments& instruments = *context.device.instruments();
  task.instrumentation = device::Instrumentation::checked;
  WatchedRun run{.result = run_variant(context, task)};
  run.defects = by_severity(instruments.take_defects());
  run.printed = instruments.take_output();
  if (!run.defects.empty())
    run.worst = explanation_of(run.defects.front(),
                               [&](std::uintptr_t address) { return context.arrays.element_at(address); });
  return run;
}

struct VariantWatch::Simulation {
  Simulation(const Lesson& lesson, const KernelFiles& files, device::Device& of, const Settings& asked)
      : device(of), stream(of.create_stream()), problems(lesson, files, of, *stream) {
    if (auto small = smaller_problem(lesson, asked, to_watch)) {
      const Tolerance tolerance = small->problem.tolerance;
      context = &problems.make(std::move(small->problem), small->settings, tolerance);
    }
  }

  device::Device& device;
  std::unique_ptr<device::Stream> stream;
  ProblemCache problems;
  RunContext* context = nullptr;  // none where no problem is small enough
};

namespace {

// Beside a GPU; none where kernels cannot be compiled for it.
std::unique_ptr<device::Device> opened_simulator(device::CompileCache& cache, std::string& why_not) {
  try {
    return open_device(DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  } catch (const device::DeviceError& error) {
    why_not = error.what();
    return nullptr;
  }
}

}  // namespace

VariantWatch::VariantWatch(const Lesson& lesson, const KernelFiles& files, const Settings& asked,
                           device::Device& device)
    : lesson_(lesson), files_(files), asked_(asked), device_(device) {}
VariantWatch::~VariantWatch() = default;

VariantWatch::Simulation* VariantWatch::simulation(const Variant& variant) {
  if (variant.needs || !variant.library.empty() || variant.on_each_rank) return nullptr;
  if (!simulation_ && why_not_.empty()) {
    if (!device_.properties().simulated()) {
      cache_ = std::make_unique<device::CompileCache>();
      simulator_ = opened_simulator(*cache_, why_not_);
    }
    device::Device* const watching = device_.properties().simulated() ? &device_ : simulator_.get();
    if (watching) simulation_ = std::make_unique<Simulation>(lesson_, files_, *watching, asked_);
    if (simulation_ && !simulation_->context) why_not_ = "no smaller problem would be quick enough";
  }
  return simulation_ && simulation_->context ? simulation_.get() : nullptr;
}

std::optional<LaunchContext> VariantWatch::context(const Variant& variant, unsigned block_size) {
  const Simulation* const simulation = this->simulation(variant);
  if (!simulation) return std::nullopt;
  return simulation->context->launch_context(block_size);
}

std::optional<WatchedRun> VariantWatch::watch(const Variant& variant, unsigned block_size) {
  Simulation* const simulation = this->simulation(variant);
  if (!simulation) return std::nullopt;
  device::Instruments& instruments = *simulation->device.instruments();
  instruments.set_max_accesses(max_accesses);
  WatchedRun run;
  for (const device::ThreadOrder& order : orders) {
    instruments.set_order(order);
    run = run_watched(*simulation->context, {.variant = variant, .block_size = block_size});
    if (!run.defects.empty()) break;
  }
  instruments.set_order({});
  instruments.set_max_accesses(0);
  instruments.take_notes();
  return run;
}

std::optional<VariantResult> defect_of_edited(VariantWatch& watch, const KernelFiles& files,
                                              const Variant& variant, unsigned block_size) {
  if (!files.is_edited(variant) || variant.races) return std::nullopt;
  const auto context = watch.context(variant, block_size);
  if (!context || variant.expects.at(*context) != Outcome::right) return std::nullopt;
  std::optional<WatchedRun> run = watch.watch(variant, block_size);
  if (!run || run->defects.empty()) return std::nullopt;
  VariantResult defect = std::move(run->result);
  defect.observed = Outcome::defect;
  defect.failure = Failure{.kind = run->defects.front().kind, .line = run->defects.front().party.line};
  defect.explanation = run->worst;
  return defect;
}

}  // namespace gpulab::run
