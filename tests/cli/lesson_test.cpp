#include "cli/program_fixture.hpp"
#include "program_fixture.hpp"
#include "run/ranks/mpirun_fixture.hpp"
#include "test.hpp"

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
  for (const char* part : {"first-kernel", "simulated on the CPU", "constant-index", "global-index"})
    EXPECT_TRUE(contains(ended.out, part));
}

TEST_F(LessonCommand, PrintsOneDocumentAsJson) {
  const ProgramRun ended = run(simulated({"histogram", "--size", "10k", "--format", "json"}));
  EXPECT_EQ(ended.exit_code, 2) << "10k is not a count";
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
  const ProgramRun ended = run(simulated({"first-kernel", "--variant", "global-index,one-block", "--variant",
                                          "thread-index", "--format", "json", "--size", "2^4"}));
  const auto variants = nlohmann::json::parse(ended.out)["variants"];
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[0]["name"], "thread-index");
  EXPECT_EQ(variants[1]["name"], "one-block");
  EXPECT_EQ(variants[2]["name"], "global-index");
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
  EXPECT_TRUE(contains(ended.err, "gpulab: first-kernel: ./first_kernel.cu does not compile: line 2: "))
      << "the file, and not the first of its variants";
  EXPECT_TRUE(contains(std::string(nlohmann::json::parse(ended.out)["variants"][0]["compiler_log"]),
                       "first_kernel.cu:2:"));
  EXPECT_EQ(nlohmann::json::parse(ended.out)["variants"][0]["observed"], "fails_to_compile")
      << "the report is written before the exit";
}

TEST_F(LessonCommand, EndsWithThreeWhenAKernelHasOtherParameters) {
  write("first_kernel.cu", "__global__ void vector_add_global_index(float* C) { C[0] = 1; }\n");
  const ProgramRun ended = run(simulated({"first-kernel", "--variant", "global-index", "--kernels", "."}));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(contains(ended.err, "your kernel is vector_add_global_index(float*)"));
  EXPECT_TRUE(contains(ended.out, "global-index"));
}

// An edited kernel runs watched before it runs unwatched.
TEST_F(LessonCommand, EndsWithOneWhenAnEditedKernelHasADefect) {
  const ProgramRun ended = run(with_kernels("  *(int*)16 = 1;\n"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(ended.out)["variants"][0]["observed"], "defect");
}

// A CI service obeys lines such as ::error::.
TEST_F(LessonCommand, SetsApartWhatKernelsPrintInItsTextAndLeavesItOutOfDocuments) {
  std::vector<std::string> words = with_kernels(
      "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (item < 30) printf(\"::error::%d ##[error]\\n\", item);\n"
      "  if (item < size) C[item] = A[item] + B[item];\n");
  const ProgramRun as_json = run(words);
  EXPECT_EQ(as_json.exit_code, 0);
  EXPECT_EQ(as_json.err, "");
  EXPECT_EQ(nlohmann::json::parse(as_json.out)["exit_code"], 0);
  EXPECT_FALSE(contains(as_json.out, "::error::"));
  std::ranges::replace(words, "json", "text");
  const ProgramRun as_text = run(words);
  EXPECT_EQ(as_text.err, "");
  EXPECT_TRUE(contains(as_text.out, "printed by the kernel of global-index:\n  | ::error::0 # #[error]\n"));
  EXPECT_TRUE(contains(as_text.out, "  | ::error::19 # #[error]\n  (10 more lines)\n"));
}

TEST_F(LessonCommand, NamesTheDeviceItChoseUnlessItIsQuiet) {
  const ProgramRun usual = run({"first-kernel", "--time-budget", "1e-9"});
  EXPECT_EQ(usual.exit_code, 0);
  EXPECT_TRUE(contains(usual.err, "simulated on the CPU"));
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
    EXPECT_TRUE(contains(refused.err, "cannot write " + output));
    EXPECT_FALSE(contains(refused.err, "simulated")) << "it ran before it refused";
    EXPECT_EQ(refused.out, "");
  }
  EXPECT_EQ(files().size(), 2u) << "nothing is left behind";
}

// The links are the test's own: if root ran a program that renames over /dev/null, that would destroy it.
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

TEST_F(LessonCommand, EndsWithFourWhenTheResultDoesNotFitOnTheDisk) {
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
    EXPECT_EQ(ended.exit_code, 4) << words[0];
    EXPECT_TRUE(contains(ended.err, "cannot write")) << words[0];
  }
  std::filesystem::create_symlink("/dev/full", folder / "full");
  EXPECT_EQ(run(simulated({"first-kernel", "--output", "full"})).exit_code, 4);
}

class OwnOptions : public ProgramTest {};

TEST_F(OwnOptions, AreCountsAsPeopleTypeThem) {
  const ProgramRun ended = run(simulated(
      {"matmul", "--m", "2^4", "--n", "17", "--k", "1e1", "--variant", "naive", "--format", "json"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto lesson = nlohmann::json::parse(ended.out)["lesson"];
  EXPECT_EQ(lesson["options"]["m"], 16);
  EXPECT_EQ(lesson["options"]["k"], 10);
  EXPECT_EQ(lesson["size"], 16 * 17);
}

TEST_F(OwnOptions, AreRefusedWhereAFileCannotBeReadOrWritten) {
  expect_refusal({"convolution", "--input", "nowhere.png"}, 2, "nowhere.png");
  expect_refusal({"convolution", "--input", ""}, 2, "--input needs a value, and it is empty");
  expect_refusal({"convolution", "--save", "nowhere/out.png"}, 2, "nowhere/out.png");
  write("text.fits", "not an image");
  expect_refusal({"radio-astronomy", "--input", "text.fits"}, 2, "text.fits");
}

TEST_F(OwnOptions, WriteFilesThatAreWhole) {
  const ProgramRun ended = run(simulated({"convolution", "--width", "20", "--height", "10", "--variant",
                                          "naive", "--save", "out.png", "--quiet"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string png = read(folder / "out.png");
  EXPECT_TRUE(png.starts_with("\x89PNG")) << png.size();
  EXPECT_TRUE(png.ends_with("\xAE\x42\x60\x82")) << "the end of the last chunk";
}

TEST_F(OwnOptions, AreRefusedWhereTwoNameTheSameFile) {
  expect_refusal({"radio-astronomy", "--catalogue", "same.png", "--save", "same.png"}, 2,
                 "--catalogue and --save name the same file, same.png");
  expect_refusal({"convolution", "--save", "x.png", "--output", "./x.png", "--format", "text"}, 2,
                 "name the same file");
  const std::string image = source_file("data/radio-sky.fits").string();
  std::filesystem::copy_file(image, folder / "in.png");
  expect_refusal({"radio-astronomy", "--input", "in.png", "--save", "in.png"}, 2,
                 "--input and --save name the same file");
}

TEST_F(OwnOptions, MentionTheFilesThatWereWritten) {
  const std::vector<std::string> words = {"convolution", "--variant", "naive",  "--width", "20",
                                          "--height",    "10",        "--save", "out.png"};
  EXPECT_TRUE(contains(run(simulated(words)).err, "wrote out.png\n"));
  std::vector<std::string> quiet = simulated(words);
  quiet.emplace_back("--quiet");
  EXPECT_EQ(run(quiet).err, "");
}

TEST_F(OwnOptions, WriteNoFileOfAResultThatIsWrong) {
  write("convolution.cu", "");
  const ProgramRun ended = run(simulated({"convolution", "--kernels", ".", "--variant", "naive", "--width",
                                          "20", "--height", "10", "--save", "out.png"}));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.png"));
  EXPECT_TRUE(contains(ended.out, "nothing was written for --save"));
}

TEST_F(OwnOptions, WriteTheTimelinesAsATrace) {
  const ProgramRun ended =
      run(simulated({"streams", "--size", "1000", "--upper", "100", "--trace", "trace.json"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_GT(nlohmann::json::parse(read(folder / "trace.json"))["traceEvents"].size(), 10u);
  EXPECT_TRUE(contains(ended.out, "stream 2"));
  expect_refusal({"streams", "--trace", "nowhere/trace.json"}, 2, "nowhere/trace.json");
}

TEST_F(OwnOptions, StandInTheHelpWithTheirDefaults) {
  const ProgramRun help = run({"matmul", "--help"});
  EXPECT_TRUE(contains(help.out, "rows of A and C (default 100)"));
}

// Processes that mpirun starts, each with a simulated GPU.
class RanksOfMpirun : public run::ranks::MpirunTest {
 protected:
  void SetUp() override {
    MpirunTest::SetUp();
    if (!std::getenv("GPULAB_PROGRAM")) GTEST_SKIP() << "GPULAB_PROGRAM does not say where the program is";
  }

  sandbox::CommandResult run_ranks(int count, const Words& words) {
    Words all = mpirun_arguments(count, words);
    return mpirun(all, {"XDG_CACHE_HOME=" + simulator::kernel_cache_of_tests().string(),
                        "CUDA_VISIBLE_DEVICES=", "OMP_NUM_THREADS=1", "GPULAB_TIME_LIMIT=20"});
  }

  static Words mpirun_arguments(int count, const Words& words) {
    Words all{"-n", std::to_string(count), std::getenv("GPULAB_PROGRAM")};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--device", "simulator", "--quiet"});
    return all;
  }
};

TEST_F(RanksOfMpirun, WriteOneDocumentThatHasThemAll) {
  const auto result = run_ranks(4, {"multi-gpu", "--size", "1001", "--format", "json"});
  ASSERT_EQ(result.exit_status, 0) << result.output;
  const auto document = nlohmann::json::parse(result.output);
  for (const auto& variant : document["variants"]) {
    if (variant["name"] != "all-reduce") continue;
    ASSERT_EQ(variant["ranks"].size(), 4u);
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_EQ(variant["ranks"][static_cast<std::size_t>(rank)]["rank"], rank);
    return;
  }
  FAIL() << result.output;
}

TEST_F(RanksOfMpirun, ExchangeTheirHalos) {
  const auto result = run_ranks(3, {"halo-exchange", "--width", "67", "--height", "101", "--format", "csv"});
  EXPECT_EQ(result.exit_status, 0) << result.output;
}

TEST_F(RanksOfMpirun, PrintATableWithoutColours) {
  const auto result = run_ranks(2, {"multi-gpu", "--size", "1001"});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_FALSE(contains(result.output, "\033")) << "mpirun gives each process a terminal: " << result.output;
  EXPECT_EQ(result.output.find("\nvariant "), result.output.rfind("\nvariant ")) << result.output;
}

TEST_F(RanksOfMpirun, PrintARefusalOnce) {
  const auto result = run_ranks(2, {"multi-gpu", "--size", "1001", "--gpus", "3"});
  EXPECT_EQ(result.exit_status, 2);
  expect_said_once(result, "gpulab: ");
}

TEST_F(RanksOfMpirun, EndWhenTheyRunDifferentLessons) {
  Words words = mpirun_arguments(1, {"multi-gpu", "--size", "1001"});
  words.emplace_back(":");
  const Words others = mpirun_arguments(1, {"halo-exchange", "--width", "67", "--height", "101"});
  words.insert(words.end(), others.begin(), others.end());
  const auto result = mpirun(words, {"GPULAB_TIME_LIMIT=5"});
  EXPECT_NE(result.exit_status, 0);
  EXPECT_LT(seconds, 20);
  EXPECT_TRUE(contains(result.output, "rank"));
}

}  // namespace
}  // namespace gpulab::cli
