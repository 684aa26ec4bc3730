#pragma once

#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab {

inline std::ostream& operator<<(std::ostream& out, const Defect& defect) {
  return out << name_of(defect.kind) << (defect.is_note ? " (note)" : "") << " x" << defect.count << ": "
             << explanation_of(defect);
}

}  // namespace gpulab

namespace gpulab::simulator::watch {

inline const device::ThreadOrder forward{};
inline const device::ThreadOrder reverse{.kind = device::ThreadOrder::Kind::reverse};
inline const device::ThreadOrder preempted{.kind = device::ThreadOrder::Kind::preempted, .seed = 7};

// Launches small kernels and returns their defects.
class CheckedTest : public SimulatorTest {
 protected:
  CheckedTest() { instrumentation_ = device::Instrumentation::checked; }
  void SetUp() override {
    SimulatorTest::SetUp();
    if (!IsSkipped()) instruments().take_defects();
  }
  void TearDown() override {
    if (!IsSkipped()) instruments().begin_run(forward);
  }

  static constexpr std::size_t elements = 4000;

  // Returns the defects of a kernel (const int*, int*), whose two arrays have `elements` elements: in[i]
  // is i, out is zero. The launch may fail.
  std::vector<Defect> defects(const std::string& text, const std::string& name, const LaunchConfig& config,
                              const device::ThreadOrder& order = forward) {
    std::vector<int> numbers(elements);
    for (std::size_t i = 0; i < elements; ++i) numbers[i] = static_cast<int>(i);
    const DeviceBuffer<int> in = buffer(numbers), out = buffer(std::vector<int>(elements));
    return defects_of(text, name, config, order, static_cast<const int*>(in.pointer()), out.pointer());
  }

  template <class... Ts>
  std::vector<Defect> defects_of(const std::string& text, const std::string& name, const LaunchConfig& config,
                                 const device::ThreadOrder& order, Ts... arguments) {
    instruments().begin_run(order);
    error_.clear();
    try {
      launch(text, name, config, arguments...);
    } catch (const device::DeviceError& error) {
      error_ = error.name() + ": " + error.explanation();
    }
    return instruments().take_defects();
  }

  // Returns the line of the text that has the word as a comment.
  static int line_of(const std::string& text, const std::string& word) {
    return gpulab::line_of(text, "// " + word);
  }

  std::string error_;  // of the last launch; empty if it succeeded
};

inline testing::AssertionResult are_none(const std::vector<Defect>& defects) {
  if (defects.empty()) return testing::AssertionSuccess();
  testing::AssertionResult result = testing::AssertionFailure();
  for (const Defect& defect : defects) result << defect << "\n";
  return result;
}

// Returns whether a defect of this kind has these lines, in either order. 0 stands for no other line.
inline testing::AssertionResult has(const std::vector<Defect>& defects, DefectKind kind, int line,
                                    int other_line = 0) {
  for (const Defect& defect : defects) {
    const std::pair lines(defect.party.line, defect.other ? defect.other->line : 0);
    const bool has_lines = lines == std::pair(line, other_line) || lines == std::pair(other_line, line);
    if (defect.kind == kind && !defect.is_note && has_lines) return testing::AssertionSuccess();
  }
  return are_none(defects) << "no " << name_of(kind) << " in lines " << line << ", " << other_line;
}

}  // namespace gpulab::simulator::watch
