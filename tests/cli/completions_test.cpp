#include "program_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

struct ShellRun {
  int status = -1;
  std::string out;
};

class Completions : public ProgramTest {
 protected:
  // Runs a script of bash in the test's folder, with $program; stderr is part of what it prints.
  ShellRun bash(const std::string& script) const {
    write("script", "cd '" + folder.string() + "'\nprogram='" + program() + "'\n" + script);
    FILE* pipe = ::popen(("bash '" + (folder / "script").string() + "' 2>&1").c_str(), "r");
    ShellRun result;
    char letters[4096];
    for (std::size_t got; (got = std::fread(letters, 1, sizeof letters, pipe)) > 0;)
      result.out.append(letters, got);
    result.status = ::pclose(pipe);
    return result;
  }

  static bool is_installed(const std::string& command) {
    return std::system(("command -v " + command + " >/dev/null").c_str()) == 0;
  }

  // Returns what bash offers with the cursor at the end of the last word.
  std::string offered_by_bash(const std::string& words) const {
    return bash("source <(\"$program\" completions bash)\nCOMP_WORDS=(" + words +
                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                "_gpulab \"$program\" \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"\necho ${COMPREPLY[@]}\n")
        .out;
  }

  void expect_parsed_by(const std::string& shell) const {
    if (!is_installed(shell)) GTEST_SKIP() << "there is no " << shell;
    const ShellRun parsed = bash("\"$program\" completions " + shell + " >c && " + shell + " -n c");
    EXPECT_EQ(parsed.status, 0) << parsed.out;
    EXPECT_EQ(parsed.out, "");
  }
};

TEST_F(Completions, AreScriptsThatBashUnderstands) {
  expect_parsed_by("bash");
}
TEST_F(Completions, AreScriptsThatZshUnderstands) {
  expect_parsed_by("zsh");
}
TEST_F(Completions, AreScriptsThatFishUnderstands) {
  expect_parsed_by("fish");
}

TEST_F(Completions, OfferLessonsAndCommandsFirst) {
  EXPECT_EQ(offered_by_bash("gpulab hist"), "histogram\n");
  EXPECT_EQ(offered_by_bash("gpulab pro"), "progress\n");
  EXPECT_EQ(offered_by_bash("gpulab help radio"), "radio-astronomy\n");
  EXPECT_EQ(offered_by_bash("gpulab --h"), "--help\n");
  EXPECT_EQ(offered_by_bash("gpulab run --gpu t"), "t4\n");
}

TEST_F(Completions, OfferTheOptionsOfALessonThatAreNotGivenYet) {
  EXPECT_EQ(offered_by_bash("gpulab histogram --d"), "--distribution --device --device-index\n");
  EXPECT_EQ(offered_by_bash("gpulab histogram --device cuda --d"), "--distribution --device-index\n");
  EXPECT_EQ(offered_by_bash("gpulab histogram --variant shared --vari"), "--variant\n")
      << "it may be repeated";
}

TEST_F(Completions, OfferTheWordsThatAnOptionTakes) {
  EXPECT_EQ(offered_by_bash("gpulab first-kernel --device ''"), "auto cuda simulator hip\n");
  EXPECT_EQ(offered_by_bash("gpulab first-kernel --format j"), "json\n");
  EXPECT_EQ(offered_by_bash("gpulab first-kernel --variant two"), "two-blocks-thread-index\n");
  EXPECT_EQ(offered_by_bash("gpulab inspect histogram --variant private"), "private-copies\n");
}

TEST_F(Completions, OfferWhatACommandTakesAsItsNextArgument) {
  EXPECT_EQ(offered_by_bash("gpulab show radio"), "radio-astronomy\n");
  EXPECT_EQ(offered_by_bash("gpulab show histogram private"), "private-copies\n");
  EXPECT_EQ(offered_by_bash("gpulab start arb"), "arbitrary-size\n");
  EXPECT_EQ(offered_by_bash("gpulab doctor ''"), "--help --measure --format\n");
}

TEST_F(Completions, LeaveFilesAndFoldersToTheShell) {
  write("kernel.cu", "");
  std::filesystem::create_directory(folder / "kernels");
  const std::string files = offered_by_bash("gpulab check ker");
  EXPECT_TRUE(files == "kernel.cu kernels\n" || files == "kernels kernel.cu\n") << files;
  EXPECT_EQ(offered_by_bash("gpulab histogram --kernels ker"), "kernels\n");
}

TEST_F(Completions, SayNothingAboutWhatDoesNotExist) {
  EXPECT_EQ(offered_by_bash("gpulab nonsense ''"), "\n");
  EXPECT_EQ(offered_by_bash("gpulab inspect nonsense --"), "\n");
}

TEST_F(Completions, AManPageComesFromTheSameCommands) {
  const ProgramRun page = run({"man-page"});
  EXPECT_EQ(page.exit_code, 0);
  for (const char* part :
       {".SH NAME", "first\\-kernel", "\\-\\-distribution WORD", "GPULAB_PAGER", ".SH EXIT STATUS"})
    EXPECT_TRUE(contains(page.out, part)) << part;
}

TEST_F(Completions, TheManPageIsFormattedWithoutAWarning) {
  if (!is_installed("groff")) GTEST_SKIP() << "there is no groff";
  const ShellRun formatted = bash("\"$program\" man-page | groff -man -Tutf8 -ww -rLL=78n >page");
  EXPECT_EQ(formatted.status, 0);
  EXPECT_EQ(formatted.out, "");
}

}  // namespace
}  // namespace gpulab::cli
