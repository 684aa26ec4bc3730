#include "run/problem_cache.hpp"

#include <algorithm>
#include <cstring>

namespace gpulab::run {
namespace {

// The problem with the arrays and the scalars of a part.
Problem problem_of(const PartOfProblem& part, Problem problem) {
  for (const auto& [handle, held, width] : part.arrays)
    for (SizedArray& array : problem.arrays)
      if (handle.names(array.name))
        array = width > 0 ? handle(width, held.count / width) : handle(held.count);
  for (const ScalarValue& own : part.scalars)
    for (ScalarValue& scalar : problem.scalars)
      if (scalar.name == own.name) scalar = own;
  return problem;
}

// A learner's file may have the name of another one of the course.
std::string identity_of(const device::KernelSource& source) {
  return source.name + "\n" + source.text;
}

}  // namespace

PreparedProblem::PreparedProblem(const Lesson& lesson, Problem made, const Settings& asked)
    : problem(std::move(made)), settings(asked), inputs(problem.arrays), expected(problem.arrays) {
  lesson.require_consistent(problem);
  if (problem.fill) problem.fill(inputs, settings.seed);
  if (problem.edges && settings.edge_inputs) problem.edges(inputs, settings.seed);
  const auto& [plain, openmp, operations, uses] = problem.references;
  (plain ? plain : openmp)(inputs, expected);
}

PreparedProblem::PreparedProblem(const PreparedProblem& whole, const PartOfProblem& part)
    : problem(problem_of(part, whole.problem)),
      settings(whole.settings),
      inputs(problem.arrays),
      expected({}) {
  for (Array& input : inputs) {
    const Array& all = *whole.inputs.find(input.name());
    const auto held =
        std::ranges::find_if(part.arrays, [&](const HeldPart& one) { return one.array.names(input.name()); });
    const std::size_t first = held == part.arrays.end() ? 0 : held->held.first;
    std::memcpy(input.bytes().data(), all.bytes().data() + first * size_of(input.type()),
                input.bytes().size());
  }
}

device::Module& Modules::compiled(const device::KernelSource& source, const device::CompileOptions& options) {
  const Key key{identity_of(source), options.instrumentation, options.own_instructions};
  auto& module = modules_[key];
  if (module) return *module;
  if (auto begun = begun_.extract(key))
    module = begun.mapped().get();
  else
    module = device_.compile(source, options);
  return *module;
}

void Modules::forget() {
  begun_.clear();
  modules_.clear();
}

void Modules::begin(const device::KernelSource& source, const device::CompileOptions& options) {
  const Key key{identity_of(source), options.instrumentation, options.own_instructions};
  if (begun_.contains(key) || modules_.contains(key)) return;
  begun_[key] =
      std::async(std::launch::async, [this, source, options] { return device_.compile(source, options); });
}

device::Instrumentation default_instrumentation(const Variant& variant) {
  return variant.races ? device::Instrumentation::interrupted : device::Instrumentation::none;
}

device::CompileOptions compile_options(const Variant& variant, device::Instrumentation instrumentation) {
  return {.own_instructions = variant.needs && variant.needs->only_there, .instrumentation = instrumentation};
}

ProblemCache::ProblemCache(const Lesson& lesson, const KernelFiles& files, device::Device& device,
                           device::Stream& stream)
    : lesson_(lesson), files_(files), device_(device), stream_(stream), modules_(device) {}

RunContext& ProblemCache::make(Problem problem, const Settings& settings, const Tolerance& tolerance) {
  entries_.clear();
  tolerance_ = tolerance;
  return add(std::move(problem), settings);
}

void ProblemCache::begin_to_compile(const Variant& variant) {
  modules_.begin(files_.of(variant), compile_options(variant, default_instrumentation(variant)));
}

RunContext& ProblemCache::asked() {
  return *entries_.front()->context;
}

RunContext& ProblemCache::at_most(std::size_t size) {
  Settings smaller = asked().prepared.settings;
  if (size >= smaller.size) return asked();
  smaller.size = size;
  if (RunContext* known = found(smaller)) return *known;
  return add(lesson_.problem(smaller), smaller);
}

RunContext* ProblemCache::within(const ProblemLimit& limit) {
  if (limit.allows(asked().prepared.problem)) return &asked();
  std::optional<MadeProblem> smaller = smaller_problem(lesson_, asked().prepared.settings, limit);
  if (!smaller) return nullptr;
  if (RunContext* known = found(smaller->settings)) return known;
  return &add(std::move(smaller->problem), smaller->settings);
}

RunContext* ProblemCache::found(const Settings& settings) {
  for (const auto& entry : entries_) {
    const Settings& has = entry->prepared.settings;
    if (has == settings) return entry->context.get();
  }
  return nullptr;
}

RunContext& ProblemCache::add(Problem problem, const Settings& settings) {
  auto entry = std::make_unique<Entry>(lesson_, std::move(problem), settings, device_, stream_);
  entry->context.reset(new RunContext{lesson_, device_, stream_, modules_, files_, entry->prepared,
                                      entry->arrays, tolerance_});
  entries_.push_back(std::move(entry));
  return *entries_.back()->context;
}

}  // namespace gpulab::run
