#include "run/run_lesson.hpp"

#include <algorithm>
#include <optional>

#include "run/claims.hpp"
#include "run/prepared_problem.hpp"
#include "run/references.hpp"
#include "run/size_check.hpp"
#include "run/transfers.hpp"
#include "run/variant_run.hpp"

namespace gpulab {
namespace {

// Interrupting threads at their memory accesses is slow, and a race shows in far fewer elements than a
// lesson's default size has.
constexpr std::size_t largest_simulated_race = std::size_t{1} << 20;

constexpr double usual_time_budget_s = 0.5;
// On the simulator no GPU time stands beside the references, so a rough figure will do.
constexpr double usual_time_budget_simulated_s = 0.01;

class LessonRun {
 public:
  LessonRun(const Lesson& lesson, const RunOptions& options, Device& device)
      : lesson_(lesson),
        options_(options),
        device_(device),
        files_(lesson, options.kernels),
        stream_(device.create_stream()),
        modules_(device) {}

  LessonResult run() {
    prepare();
    for (const Variant& variant : chosen_variants(lesson_, options_)) run(variant);
    result_.claims = judge_claims(lesson_.claims, result_);
    return std::move(result_);
  }

 private:
  bool simulated() const { return device_.properties().simulated(); }
  double time_budget_s() const {
    return options_.time_budget_s.value_or(simulated() ? usual_time_budget_simulated_s : usual_time_budget_s);
  }

  void prepare() {
    for (const std::string& file : files_.missing())
      options_.remark(options_.kernels->string() + " has no " + file + ": the built-in one is used");
    Problem problem = lesson_.problem(options_.settings);
    check_size(lesson_, problem, options_.settings.size, device_.properties());
    tolerance_ = {options_.relative_tolerance.value_or(problem.tolerance.relative),
                  options_.absolute_tolerance.value_or(problem.tolerance.absolute)};
    result_ = {.lesson = lesson_.name,
               .title = lesson_.title,
               .problem = problem.description,
               .size = options_.settings.size,
               .seed = options_.settings.seed,
               .choices = options_.settings.choices,
               .tolerance = tolerance_,
               .traffic = problem.traffic,
               .device = device_.properties()};
    options_.progress("reference");
    prepared_.emplace(std::move(problem), options_.settings);
    result_.references = time_references(*prepared_, tolerance_, time_budget_s());
    arrays_.emplace(device_, *stream_, prepared_->problem.parameters, prepared_->inputs);
    if (simulated()) return;
    options_.progress("transfers");
    result_.transfers = time_transfers(device_, *stream_, *arrays_, *prepared_, time_budget_s());
  }

  Workbench bench() { return {device_, *stream_, modules_, files_, *prepared_, *arrays_, tolerance_}; }

  void run(const Variant& variant) {
    options_.progress(variant.name);
    const unsigned block_size = options_.block_size.value_or(variant.block.usual);
    if (device_is_lost_) {
      result_.variants.push_back({.name = variant.name,
                                  .kernel = variant.kernel,
                                  .stated = variant.states.at(options_.settings.size, block_size),
                                  .size = options_.settings.size,
                                  .explanation = "the fault before it left the device unusable"});
      return;
    }
    if (variant.races && simulated() && options_.settings.size > largest_simulated_race)
      return run_smaller_race(variant, block_size);
    VariantResult result = run_variant(bench(), variant, block_size);
    if (!simulated() && result.observed == Outcome::right && result.stated == Outcome::right)
      time_variant(bench(), variant, block_size, time_budget_s(), result);
    device_is_lost_ = result.lost_the_device;
    result_.variants.push_back(std::move(result));
  }

  void run_smaller_race(const Variant& variant, unsigned block_size) {
    Settings settings = options_.settings;
    settings.size = largest_simulated_race;
    const PreparedProblem smaller(lesson_.problem(settings), settings);
    DeviceArrays arrays(device_, *stream_, smaller.problem.parameters, smaller.inputs);
    result_.variants.push_back(
        run_variant({device_, *stream_, modules_, files_, smaller, arrays, tolerance_}, variant, block_size));
  }

  const Lesson& lesson_;
  const RunOptions& options_;
  Device& device_;
  KernelFiles files_;
  std::unique_ptr<Stream> stream_;
  Modules modules_;
  Tolerance tolerance_;
  std::optional<PreparedProblem> prepared_;
  std::optional<DeviceArrays> arrays_;
  bool device_is_lost_ = false;
  LessonResult result_;
};

}  // namespace

LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, Device& device) {
  check_options(lesson, options);
  return LessonRun(lesson, options, device).run();
}

}  // namespace gpulab
