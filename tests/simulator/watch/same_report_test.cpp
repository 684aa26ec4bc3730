#include <sstream>

#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

// The same launch is reported in the same words, however the workers are timed.

namespace gpulab::simulator::watch {
namespace {

const std::string racing_kernels = source_text("tests/simulator/watch/same_report.cu");

class SameReport : public CheckedTest {
 protected:
  std::string report(const char* kernel, const LaunchConfig& config, const device::ThreadOrder& order) {
    std::ostringstream text;
    for (Defect defect : defects(racing_kernels, kernel, config, order)) {
      const std::uintptr_t offset = defect.memory.begin;
      defect.address -= offset;  // arrays lie somewhere else at every run
      defect.memory.begin = 1;
      defect.address += 1;
      text << defect << "\n";
    }
    return text.str();
  }
};

TEST_P(SameReport, IsGivenOfEveryRun) {
  for (const char* kernel : {"sum", "neighbours", "three_races", "ticket_without_fence"})
    for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
      const std::string first = report(kernel, {.grid = 200, .block = 128}, order);
      EXPECT_NE(first, "") << kernel;
      for (int run = 0; run < 5; ++run)
        EXPECT_EQ(report(kernel, {.grid = 200, .block = 128}, order), first) << kernel;
    }
}

TEST_P(SameReport, IsGivenOfALaunchThatAllWorkersTryFirst) {
  const LaunchConfig large{.grid = 5000, .block = 128};
  for (const char* kernel : {"sum", "ticket_without_fence"}) {
    const std::string first = report(kernel, large, forward);
    EXPECT_NE(first, "") << kernel;
    EXPECT_EQ(report(kernel, large, forward), first) << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, SameReport, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
