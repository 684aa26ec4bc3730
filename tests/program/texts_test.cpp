#include "base/error.hpp"
#include "expected_text.hpp"
#include "lesson/finding.hpp"
#include "program/names.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::program {
namespace {

class ProgramAttacks : public testing::TestWithParam<std::string> {};

TEST_P(ProgramAttacks, AreRefusedByWhatTheyDo) {
  if (!simulator::simulator_with(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  ::setenv("GPULAB_CXX", GetParam().c_str(), 1);
  for (const ExpectedText& attack : expected_texts("tests/program/texts")) {
    const std::string name = attack.file.filename().string();
    std::string said = "compiles";
    try {
      compile({{name, attack.file, attack.text, true}}, {}, ProgramWatch::defects, sandbox::Mode::automatic,
              simulator::compile_cache_of_tests());
    } catch (const CompileError& error) {
      said = error.what();
    }
    EXPECT_TRUE(contains(said, attack.words)) << name;
  }
  ::unsetenv("GPULAB_CXX");
}

INSTANTIATE_TEST_SUITE_P(Compilers, ProgramAttacks, simulator::both_compilers, simulator::name_of_compiler);

}  // namespace
}  // namespace gpulab::program
