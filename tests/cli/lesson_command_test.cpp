#include <nlohmann/json.hpp>

#include "program_fixture.hpp"

namespace gpulab::cli {
namespace {

const std::string signature =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n";

class LessonCommand : public ProgramTest {
 protected:
  std::vector<std::string> with_kernels(const std::string& body) const {
    write("first_kernel.cu", signature + body + "}\n");
    return simulated({"first-kernel", "--variant", "global-index", "--kernels", ".", "--format", "json"});
  }
};

TEST_F(LessonCommand, EndsWithZeroWhenAllIsAsStated) {
  const ProgramRun ended = run(simulated({"first-kernel"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  for (const char* part : {"first-kernel", "simulated on the CPU", "loose-thread", "global-index"})
    EXPECT_TRUE(simulator::contains(ended.out, part));
}

TEST_F(LessonCommand, PrintsOneDocumentAsJson) {
  const ProgramRun ended = run(simulated({"histogram", "--size", "10k", "--format", "json"}));
  EXPECT_EQ(ended.exit_code, 2) << "10k is no count";
  const ProgramRun again =
      run(simulated({"histogram", "--size", "10Ki", "--format", "json", "--distribution", "sorted"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const auto document = nlohmann::json::parse(again.out);
  EXPECT_EQ(document["lesson"]["name"], "shared-histogram");
  EXPECT_EQ(document["lesson"]["size"], 10240);
  EXPECT_EQ(document["lesson"]["options"]["distribution"], "sorted");
  EXPECT_EQ(document["device"]["kind"], "simulator");
  EXPECT_EQ(document["exit_code"], 0);
  EXPECT_EQ(document["run"]["argv"][1], "histogram");
}

TEST_F(LessonCommand, RunsTheVariantsThatItIsAskedFor) {
  const ProgramRun ended = run(simulated({"first-kernel", "--variant", "global-index", "--variant",
                                          "thread-index", "--format", "json", "--size", "2^4"}));
  const auto variants = nlohmann::json::parse(ended.out)["variants"];
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0]["name"], "thread-index");
  EXPECT_EQ(variants[1]["name"], "global-index");
}

TEST_F(LessonCommand, EndsWithOneWhenAResultIsWrong) {
  const ProgramRun ended = run(with_kernels("  C[0] = 1;\n"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(ended.out)["exit_code"], 1);
  EXPECT_EQ(nlohmann::json::parse(ended.out)["variants"][0]["observed"], "wrong");
}

TEST_F(LessonCommand, EndsWithThreeAndTheCompilersWordsWhenAKernelDoesNotCompile) {
  const ProgramRun ended = run(with_kernels("  C[0] = nothing;\n"));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(simulator::contains(ended.err, "first_kernel.cu does not compile: line 2: "));
  EXPECT_TRUE(simulator::contains(
      std::string(nlohmann::json::parse(ended.out)["variants"][0]["compiler_log"]), "first_kernel.cu:2:"));
  EXPECT_EQ(nlohmann::json::parse(ended.out)["variants"][0]["observed"], "fails_to_compile")
      << "the report is written before the exit";
}

TEST_F(LessonCommand, EndsWithThreeWhenAKernelHasOtherParameters) {
  write("first_kernel.cu", "__global__ void vector_add_global_index(float* C) { C[0] = 1; }\n");
  const ProgramRun ended = run(simulated({"first-kernel", "--variant", "global-index", "--kernels", "."}));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(simulator::contains(ended.err, "your kernel is vector_add_global_index(float*)"));
  EXPECT_TRUE(simulator::contains(ended.out, "global-index"));
}

// Before it runs as it is, a kernel that somebody has edited is watched.
TEST_F(LessonCommand, EndsWithOneWhenAnEditedKernelHasADefect) {
  const ProgramRun ended = run(with_kernels("  *(int*)16 = 1;\n"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(ended.out)["variants"][0]["observed"], "defect");
}

TEST_F(LessonCommand, KeepsWhatKernelsPrintOutOfTheResult) {
  const ProgramRun ended =
      run(with_kernels("  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (item == 0) printf(\"from the kernel\\n\");\n"
                       "  if (item < size) C[item] = A[item] + B[item];\n"));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(simulator::contains(ended.err, "from the kernel"));
  EXPECT_EQ(nlohmann::json::parse(ended.out)["exit_code"], 0);
}

TEST_F(LessonCommand, RemarksOnTheDeviceItChoseUnlessItIsToBeQuiet) {
  const ProgramRun told = run({"first-kernel", "--time-budget", "1e-9"});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_TRUE(simulator::contains(told.err, "simulated on the CPU"));
  const ProgramRun quiet = run({"first-kernel", "--time-budget", "1e-9", "--quiet"});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.err, "");
}

TEST_F(LessonCommand, PrintsNoColourIntoAFile) {
  for (const auto& environment :
       {Environment{}, Environment{{"NO_COLOR", "1"}}, Environment{{"TERM", "xterm"}}})
    EXPECT_EQ(run(simulated({"first-kernel"}), environment).out.find('\033'), std::string::npos);
}

TEST_F(LessonCommand, WritesTheWholeResultToAFile) {
  const ProgramRun ended = run(simulated({"first-kernel", "--format", "json", "--output", "result.json"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(read(folder / "result.json"))["exit_code"], 0);
  EXPECT_EQ(files(), std::vector<std::string>{"result.json"});
}

TEST_F(LessonCommand, RefusesAnOutputThatCannotBeWrittenBeforeItRuns) {
  std::filesystem::create_directory(folder / "a_folder");
  write("a_file", "");
  for (const std::string& output :
       {std::string("nowhere/result.json"), std::string("a_folder"), std::string("a_file/x"),
        std::string(300, 'x'), std::string("/proc/result.json")}) {
    const ProgramRun refused = run({"first-kernel", "--size", "2^24", "--output", output});
    EXPECT_EQ(refused.exit_code, 2) << output;
    EXPECT_TRUE(simulator::contains(refused.err, "cannot write " + output));
    EXPECT_FALSE(simulator::contains(refused.err, "simulated")) << "it ran before it refused";
    EXPECT_EQ(refused.out, "");
  }
  EXPECT_EQ(files().size(), 2u) << "nothing is left behind";
}

// Through links of the test's own: run by root, a program that renames over /dev/null would destroy it.
TEST_F(LessonCommand, WritesThroughALinkAndLeavesItThere) {
  for (const char* target : {"result.json", "/dev/null"}) {
    const auto link = folder / "link.json";
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    write("result.json", "older");
    EXPECT_EQ(run(simulated({"first-kernel", "--format", "json", "--output", "link.json"})).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << "the link to " << target << " was replaced";
  }
  EXPECT_EQ(read(folder / "result.json"), "older") << "the second run wrote to /dev/null";
}

TEST_F(LessonCommand, EndsWithTwoWhenTheResultDoesNotFitOnTheDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  for (const auto& words : {simulated({"first-kernel", "--format", "json"}),
                            {"list"},
                            {"list", "--format", "json"},
                            {"show", "histogram"},
                            {"doctor"},
                            {"--help"},
                            {"--version"},
                            {"first-kernel", "--help"}}) {
    const ProgramRun ended = run(words, {}, "/dev/full");
    EXPECT_EQ(ended.exit_code, 2) << words[0];
    EXPECT_TRUE(simulator::contains(ended.err, "cannot write")) << words[0];
  }
  std::filesystem::create_symlink("/dev/full", folder / "full");
  EXPECT_EQ(run(simulated({"first-kernel", "--output", "full"})).exit_code, 2);
}

}  // namespace
}  // namespace gpulab::cli
