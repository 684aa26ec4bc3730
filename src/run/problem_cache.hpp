#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "run/run_context.hpp"

namespace gpulab {

// The workbenches of one lesson's run: one with the size that was asked for, and smaller ones for what would
// take too long at that size. Each has inputs, a reference and arrays of its own.
class ProblemCache {
 public:
  ProblemCache(const Lesson& lesson, const KernelFiles& files, Device& device, Stream& stream);

  // Makes the problem with these settings, which are those that were asked for.
  RunContext& make(Problem problem, const Settings& settings, const Tolerance& tolerance);

  RunContext& asked();
  // With at most that size; the asked one, if that is not larger.
  RunContext& at_most(std::size_t size);

 private:
  struct Bench {
    Bench(Problem problem, const Settings& settings, Device& device, Stream& stream)
        : prepared(std::move(problem), settings),
          arrays(device, stream, prepared.problem.arrays(), prepared.inputs) {}
    PreparedProblem prepared;
    DeviceArrays arrays;
    std::unique_ptr<RunContext> workbench;
  };

  RunContext& add(std::size_t size, Problem problem, const Settings& settings);

  const Lesson& lesson_;
  const KernelFiles& files_;
  Device& device_;
  Stream& stream_;
  Modules modules_;
  Settings settings_;
  Tolerance tolerance_;
  std::map<std::size_t, std::unique_ptr<Bench>> by_size_;
};

}  // namespace gpulab
