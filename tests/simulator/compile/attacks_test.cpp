#include "base/error.hpp"
#include "expected_text.hpp"
#include "lesson/finding.hpp"
#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::compile {
namespace {

class Attacks : public SimulatorTest {
 protected:
  std::string said_of(const ExpectedText& attack, device::Instrumentation instrumentation) {
    try {
      device().compile({attack.file.filename().string(), attack.text}, {.instrumentation = instrumentation});
    } catch (const CompileError& error) {
      return error.what();
    }
    return "compiles";
  }
};

TEST_P(Attacks, AreRefusedInEveryModeByWhatTheyDo) {
  for (const ExpectedText& attack : expected_texts("tests/simulator/compile/attacks"))
    for (const auto instrumentation : {device::Instrumentation::none, device::Instrumentation::checked})
      EXPECT_TRUE(contains(said_of(attack, instrumentation), attack.words)) << attack.file.filename();
}

INSTANTIATE_TEST_SUITE_P(Compilers, Attacks, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::compile
