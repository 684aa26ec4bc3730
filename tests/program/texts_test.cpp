#include "base/error.hpp"
#include "expected_text.hpp"
#include "lesson/finding.hpp"
#include "program/names.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::program {
namespace {

class ProgramTexts : public testing::TestWithParam<std::string> {};

TEST_P(ProgramTexts, CompileOrAreRefusedAsTheirFirstLineSays) {
  if (!simulator::simulator_with(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  ::setenv("GPULAB_CXX", GetParam().c_str(), 1);
  for (const ExpectedText& expected : expected_texts("tests/program/texts")) {
    const std::string name = expected.file.filename().string();
    const auto compile_text = [&] {
      compile({{.name = name, .path = expected.file, .code = expected.text, .is_unit = true}}, {},
              ProgramWatch::defects, sandbox::Mode::automatic, simulator::compile_cache_of_tests());
    };
    EXPECT_TRUE(contains(message_thrown<CompileError>(compile_text, "compiles"), expected.words)) << name;
  }
  ::unsetenv("GPULAB_CXX");
}

INSTANTIATE_TEST_SUITE_P(Compilers, ProgramTexts, simulator::both_compilers, simulator::name_of_compiler);

}  // namespace
}  // namespace gpulab::program
