#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "run/workbench.hpp"

namespace gpulab::run {

// The workbenches of one lesson's run: one with the size that was asked for, and smaller ones for what would
// take too long at that size. Each has inputs, a reference and arrays of its own.
class Benches {
 public:
  Benches(const Lesson& lesson, const KernelFiles& files, device::Device& device, device::Stream& stream);

  // Makes the problem with these settings, which are those that were asked for.
  Workbench& make(Problem problem, const Settings& settings, const Tolerance& tolerance);

  Workbench& asked();
  // With at most that size; the asked one, if that is not larger.
  Workbench& at_most(std::size_t size);

 private:
  struct Bench {
    Bench(Problem problem, const Settings& settings, device::Device& device, device::Stream& stream)
        : prepared(std::move(problem), settings),
          arrays(device, stream, prepared.problem.arrays(), prepared.inputs) {}
    PreparedProblem prepared;
    DeviceArrays arrays;
    std::unique_ptr<Workbench> workbench;
  };

  Workbench& add(std::size_t size, Problem problem, const Settings& settings);

  const Lesson& lesson_;
  const KernelFiles& files_;
  device::Device& device_;
  device::Stream& stream_;
  Modules modules_;
  Settings settings_;
  Tolerance tolerance_;
  std::map<std::size_t, std::unique_ptr<Bench>> by_size_;
};

}  // namespace gpulab::run
