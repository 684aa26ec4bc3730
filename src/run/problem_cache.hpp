#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "run/run_context.hpp"
#include "run/smaller_problem.hpp"

namespace gpulab::run {

// The problems of one lesson's run: the one that was asked for, and smaller ones for what would take too long
// at that size. Each has inputs, a reference and arrays of its own.
class ProblemCache {
 public:
  ProblemCache(const Lesson& lesson, const KernelFiles& files, device::Device& device,
               device::Stream& stream);

  // Takes the problem with these settings, which are those that were asked for. Throws std::logic_error where
  // the lesson and its problem do not fit together.
  RunContext& make(Problem problem, const Settings& settings, const Tolerance& tolerance);

  // Compiles the variant's file in the background.
  void begin_to_compile(const Variant& variant);

  RunContext& asked();
  // With at most that --size; the asked one, if that is not larger.
  RunContext& at_most(std::size_t size);
  // The asked one, if the limit allows it, or a smaller one; null where nothing makes it small enough.
  RunContext* within(const ProblemLimit& limit);

 private:
  struct Entry {
    Entry(const Lesson& lesson, Problem problem, const Settings& settings, device::Device& device,
          device::Stream& stream)
        : prepared(lesson, std::move(problem), settings),
          arrays(device, stream, prepared.problem.arrays, prepared.inputs) {}
    PreparedProblem prepared;
    DeviceArrays arrays;
    std::unique_ptr<RunContext> context;
  };

  RunContext* found(const Settings& settings);
  RunContext& add(Problem problem, const Settings& settings);

  const Lesson& lesson_;
  const KernelFiles& files_;
  device::Device& device_;
  device::Stream& stream_;
  Modules modules_;
  Tolerance tolerance_;
  std::vector<std::unique_ptr<Entry>> entries_;  // the asked one first
};

}  // namespace gpulab::run
