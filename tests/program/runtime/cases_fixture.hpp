#pragma once

#include <regex>

#include "cli/program_fixture.hpp"
#include "test.hpp"

namespace gpulab::program::runtime {

// Returns a report with each wrapped sentence in one line.
inline std::string unwrapped(const std::string& report) {
  return std::regex_replace(report, std::regex("\n  +"), " ");
}

// Programs whose argument chooses one of their functions: a case. A comment marks the line that a finding
// must be about.
class CasesOfPrograms : public cli::ProgramTest {
 protected:
  cli::ProgramRun run_case(const std::string& file, const std::string& name,
                           const std::string& option = "--format=text") const {
    write(file, source_text("tests/program/runtime/" + file));
    return run({"run", option, file, "--", name});
  }
  // Returns "file.cu:12:", with the number of the line that has the comment.
  static std::string place_of(const std::string& file, const std::string& comment) {
    const int number = line_of(source_text("tests/program/runtime/" + file), "// " + comment);
    return file + ":" + std::to_string(number) + ":";
  }
  using Outputs = std::vector<std::pair<const char*, const char*>>;
  void expect_outputs(const std::string& file, const Outputs& cases) const {
    for (const auto& [name, output] : cases)
      for (const char* option : {"--plain", "--format=text"}) {
        const cli::ProgramRun ran = run_case(file, name, option);
        EXPECT_EQ(ran.exit_code, 0) << name << ": " << ran.err;
        EXPECT_EQ(ran.out, output) << name;
        EXPECT_FALSE(contains(ran.err, "DEFECT")) << name << ": " << ran.err;
      }
  }
  void expect_finding(const std::string& file, const std::string& name, const std::string& pattern,
                      const std::string& comment, const std::string& words,
                      const std::string& option = "--format=text") const {
    const cli::ProgramRun ran = run_case(file, name, option);
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    for (const std::string& text : {"DEFECT  " + pattern, place_of(file, comment), words})
      EXPECT_TRUE(contains(ran.err, text)) << name;
  }
};

// A test suite whose cases are those of one such program.
class CasesOfOneProgram : public CasesOfPrograms {
 protected:
  explicit CasesOfOneProgram(std::string file) : file_(std::move(file)) {}

  cli::ProgramRun run_case(const std::string& name, const std::string& option = "--format=text") const {
    return CasesOfPrograms::run_case(file_, name, option);
  }
  void expect_outputs(const Outputs& cases) const { CasesOfPrograms::expect_outputs(file_, cases); }
  void expect_finding(const std::string& name, const std::string& pattern, const std::string& comment,
                      const std::string& words) const {
    CasesOfPrograms::expect_finding(file_, name, pattern, comment, words);
  }

  const std::string file_;
};

}  // namespace gpulab::program::runtime
