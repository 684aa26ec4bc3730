#pragma once

#include "lesson/access_sums_printer.hpp"
#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::watch {

// Launches small kernels and returns the memory accesses of their warps.
class CountedTest : public SimulatorTest {
 protected:
  CountedTest() { instrumentation_ = device::Instrumentation::counted; }
  void SetUp() override {
    SimulatorTest::SetUp();
    if (!IsSkipped()) instruments().take_access_counts();
  }

  // Counts a kernel (const float*, float*, int), whose arrays have 2^16 elements and are zero.
  AccessCounts counts(const std::string& text, const std::string& name, const LaunchConfig& config,
                      int number = 0) {
    const DeviceBuffer<float> in = buffer(std::vector<float>(1 << 16)),
                              out = buffer(std::vector<float>(1 << 16));
    launch(text, name, config, static_cast<const float*>(in.pointer()), out.pointer(), number);
    return instruments().take_access_counts();
  }

  // Returns the sums of the line of the text that has the mark as a comment.
  static AccessSums at_mark(const AccessCounts& counts, const std::string& text, const std::string& mark,
                            AccessKind kind) {
    const int line = line_of(text, "// " + mark);
    for (const LineAccesses& accesses : counts.lines)
      if (accesses.line == line && accesses.kind == kind) return accesses.sums;
    return {};
  }
};

}  // namespace gpulab::simulator::watch
