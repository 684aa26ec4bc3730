#include "bench/plan.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/text.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"

namespace gpulab::bench {
namespace {

std::vector<const Variant*> all_variants(const Lesson& lesson) {
  std::vector<const Variant*> all;
  for (const auto* ladder : {&lesson.variants, &lesson.yardsticks})
    for (const Variant& variant : *ladder) all.push_back(&variant);
  return all;
}

bool is_wanted(const Request& request, const std::string& variant) {
  return request.variants.empty() || std::ranges::find(request.variants, variant) != request.variants.end();
}

void require_known_variants(const Request& request) {
  std::vector<std::string> names;
  for (const Sweep& sweep : request.sweeps)
    for (const Variant* variant : all_variants(sweep.lesson)) names.push_back(variant->name);
  for (const std::string& wanted : request.variants)
    if (std::ranges::find(names, wanted) == names.end())
      throw UsageError("none of these lessons has a variant '" + wanted + "'; " +
                       suggestion(wanted, names, "gpulab list shows what they have"));
}

class Planner {
 public:
  Planner(const Request& request, device::Device& device) : request_(request), device_(device) {
    require_known_variants(request);
    plan_.remarks = request.remarks;
  }

  Plan make() {
    for (const Sweep& sweep : request_.sweeps)
      for (const Settings& settings : sweep.settings) add(sweep.lesson, settings);
    if (plan_.problems.empty())
      throw UsageError("there is nothing to measure" +
                       (plan_.remarks.empty() ? std::string() : ": " + plan_.remarks.front()));
    put_in_random_order();
    return std::move(plan_);
  }

 private:
  void remark(const std::string& text) {
    if (std::ranges::find(plan_.remarks, text) == plan_.remarks.end()) plan_.remarks.push_back(text);
  }

  void add(const Lesson& lesson, const Settings& settings) {
    const Problem problem = lesson.problem(settings);
    PlannedProblem planned{.lesson = &lesson,
                           .settings = settings,
                           .work_items = problem.work_items().volume(),
                           .traffic = problem.min_traffic()};
    if (!device_.properties().simulated() && (request_.variants.empty() || request_.one_thread)) {
      if (request_.one_thread && problem.references.plain) planned.references.push_back(plain_reference);
      planned.references.push_back(openmp_reference);
    }
    for (const Variant* variant : all_variants(lesson)) {
      if (!is_wanted(request_, variant->name)) continue;
      const std::string obstacle = why_not(problem, settings, *variant);
      if (obstacle.empty())
        planned.variants.push_back(variant->name);
      else if (!request_.variants.empty() || (variant->library.empty() && obstacle != is_wrong))
        remark(lesson.name + " " + variant->name + " was left out: " + obstacle);
    }
    if (!planned.variants.empty()) return plan_.problems.push_back(std::move(planned));
    remark(lesson.name + " was left out: " +
           (request_.variants.empty() ? "nothing of it can be measured here"
                                      : "it has none of the variants that can be measured"));
  }

  static constexpr const char* is_wrong = "it is wrong on purpose, so its figures mean nothing";

  std::string why_not(const Problem& problem, const Settings& settings, const Variant& variant) {
    const unsigned block_size = request_.block_size.value_or(variant.block.threads);
    if (!variant.block.allows(block_size))
      return "it takes no blocks of " + std::to_string(block_size) + " threads";
    const LaunchContext context{settings, problem.work_items(), block_size, &problem};
    const bool is_right = request_.variants.empty() ? variant.expects.is_always(Outcome::right)
                                                    : variant.expects.at(context) == Outcome::right;
    if (variant.races || !is_right) return is_wrong;
    if (variant.max_size && *variant.max_size < settings.size)
      return "it runs with at most " + grouped(*variant.max_size) + " elements";
    return run::what_it_lacks(variant, device_);
  }

  // Of each process its own.
  void put_in_random_order() {
    std::seed_seq seed{request_.order_seed, static_cast<std::uint64_t>(request_.process)};
    std::mt19937_64 random(seed);
    std::ranges::shuffle(plan_.problems, random);
    for (PlannedProblem& planned : plan_.problems) planned.order = random();
  }

  const Request& request_;
  device::Device& device_;
  Plan plan_;
};

}  // namespace

std::vector<std::string> PlannedProblem::in_order() const {
  std::vector<std::string> names = references;
  run::RunOptions options;
  options.variants = variants;
  options.variant_order = order;
  for (const Variant& variant : run::chosen_variants(*lesson, options)) names.push_back(variant.name);
  return names;
}

std::vector<std::string> Plan::ids(const Request& request) const {
  std::vector<std::string> ids;
  for (const PlannedProblem& problem : problems)
    for (const std::string& variant : problem.in_order())
      ids.push_back(id_of(case_of(problem, variant, request)));
  return ids;
}

BenchCase case_of(const PlannedProblem& problem, const std::string& variant, const Request& request) {
  return {.lesson = problem.lesson->name,
          .variant = variant,
          .size = problem.work_items,
          .seed = problem.settings.seed,
          .options = problem.settings.options,
          .block_size = is_reference(variant) ? 0 : request.block_size.value_or(0)};
}

Settings settings_of_size(const Lesson& lesson, Settings settings, std::uint64_t size) {
  if (lesson.has_size()) {
    settings.size = size;
    return settings;
  }
  if (lesson.sides.empty())
    throw UsageError(lesson.name + " has no --size; gpulab " + lesson.name + " --help lists its own options");
  const auto side = static_cast<std::uint64_t>(std::lround(std::sqrt(static_cast<double>(size))));
  for (const std::string& name : lesson.sides) settings.options.at(name) = std::max<std::uint64_t>(side, 1);
  return settings;
}

Plan make_plan(const Request& request, device::Device& device) {
  return Planner(request, device).make();
}

}  // namespace gpulab::bench
