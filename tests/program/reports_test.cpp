#include "expected_text.hpp"
#include "program/runtime/cases_fixture.hpp"

// Programs as beginners write them. Their first lines say which words the report has, "// expect: WORDS", and
// which it does not have, "// never: WORDS".

namespace gpulab::program {
namespace {

class ProgramReports : public cli::ProgramTest {};

TEST_F(ProgramReports, SayWhatTheFirstLinesOfEachProgramExpect) {
  for (const auto& entry : std::filesystem::directory_iterator(source_file("tests/program/reports"))) {
    const std::string text = source_text(entry.path()), name = entry.path().filename().string();
    write(name, text);
    const std::string report =
        std::regex_replace(runtime::unwrapped(run({"run", name}).err), std::regex("[ \n]+"), " ");
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line) && line.starts_with("// "); ++count) {
      const std::string words = line.substr(line.find(": ") + 2);
      EXPECT_EQ(contains(report, words), line.starts_with("// expect: ")) << name << ": " << words << "\n"
                                                                          << report;
    }
    EXPECT_GT(count, 0) << name;
  }
}

}  // namespace
}  // namespace gpulab::program
