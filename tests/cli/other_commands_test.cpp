#include <nlohmann/json.hpp>

#include "core/build_facts.hpp"
#include "core/registry.hpp"
#include "program_fixture.hpp"
#include "report/layout.hpp"
#include "run/cuda_support.hpp"

namespace gpulab::cli {
namespace {

class OtherCommands : public ProgramTest {
 protected:
  // What a command that succeeds prints.
  std::string printed(const std::vector<std::string>& words) const {
    const ProgramRun ended = run(words);
    EXPECT_EQ(ended.exit_code, 0) << words[0] << "\n" << ended.err;
    EXPECT_EQ(ended.err, "") << words[0];
    EXPECT_TRUE(ended.out.ends_with('\n')) << words[0];
    return ended.out;
  }
};

TEST_F(OtherCommands, HelpShowsHowToStartAndTheExitCodes) {
  for (const std::string& out : {printed({"--help"}), run({}).out}) {
    for (const char* part : {"gpulab list", "Exit codes: 0 all as stated", "doctor"})
      EXPECT_TRUE(simulator::contains(out, part));
    for (const Lesson& lesson : all_lessons()) EXPECT_TRUE(simulator::contains(out, lesson.name));
  }
}

TEST_F(OtherCommands, HelpOfALessonShowsItsTextItsVariantsAndItsOptions) {
  for (const Lesson& lesson : all_lessons()) {
    const std::string out = printed({lesson.name, "--help"});
    EXPECT_TRUE(simulator::contains(out, lesson.title));
    for (const std::string& line : report::wrapped(lesson.text, 78)) EXPECT_TRUE(simulator::contains(out, line));
    EXPECT_TRUE(simulator::contains(out, "--block-size"));
    for (const Option& option : lesson.options) EXPECT_TRUE(simulator::contains(out, "--" + option.name));
    for (const Variant& variant : lesson.variants) EXPECT_TRUE(simulator::contains(out, variant.idea));
  }
}

TEST_F(OtherCommands, VersionNamesTheRevisionAndTheCompilers) {
  const std::string out = printed({"--version"});
  for (const std::string& part :
       {"gpulab " + build_facts().version, build_facts().revision, build_facts().compiler})
    EXPECT_TRUE(simulator::contains(out, part));
}

TEST_F(OtherCommands, ListNamesEveryLessonAndVariant) {
  const std::string out = printed({"list"});
  const auto document = nlohmann::json::parse(printed({"list", "--format", "json"}));
  for (const Lesson& lesson : all_lessons()) {
    EXPECT_TRUE(simulator::contains(out, lesson.name));
    EXPECT_TRUE(simulator::contains(document.dump(), "\"" + lesson.name + "\""));
    for (const Variant& variant : lesson.variants)
      EXPECT_TRUE(simulator::contains(document.dump(), "\"" + variant.name + "\""));
  }
}

TEST_F(OtherCommands, ShowPrintsTheKernelsAsTheyAre) {
  for (const Lesson& lesson : all_lessons()) {
    std::string file;
    for (const EmbeddedFile& embedded : embedded_kernels())
      if (embedded.name == lesson.kernels) file = embedded.text;
    EXPECT_TRUE(simulator::contains(printed({"show", lesson.name}), file));
    for (const Variant& variant : lesson.variants) {
      const std::string out = printed({"show", lesson.name, variant.name});
      if (variant.kernel.empty()) continue;  // the whole file
      EXPECT_TRUE(simulator::contains(out, " " + variant.kernel + "(")) << out;
      EXPECT_EQ(out.find("__global__"), out.rfind("__global__")) << "one kernel only";
    }
  }
}

TEST_F(OtherCommands, ShowReadsTheFilesOfAFolder) {
  write("first_kernel.cu", "// mine\n__global__ void vector_add_global_index() {}\n");
  EXPECT_TRUE(simulator::contains(printed({"show", "first-kernel", "--kernels", "."}), "// mine"));
  EXPECT_EQ(run({"show", "first-kernel", "--kernels", "nowhere"}).exit_code, 2);
  const ProgramRun missing = run({"show", "first-kernel", "thread-index", "--kernels", "."});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(simulator::contains(missing.err, "vector_add_thread_index"));
  EXPECT_FALSE(simulator::contains(missing.err, "defect"));
}

TEST_F(OtherCommands, DevicesAlwaysHaveTheSimulator) {
  EXPECT_TRUE(simulator::contains(printed({"devices"}), "simulat"));
  EXPECT_TRUE(
      simulator::contains(nlohmann::json::parse(printed({"devices", "--format", "json"})).dump(), "\"simulator\""));
}

TEST_F(OtherCommands, DoctorSaysWhatIsThere) {
  const std::string out = printed({"doctor"});
  for (const char* part : {"C++ compiler (simulator)", "cache of compiled kernels", "lessons can run on"})
    EXPECT_TRUE(simulator::contains(out, part));
}

TEST_F(OtherCommands, DoctorEndsWithFourWhereNoDeviceCanBeUsed) {
  if (!run::cuda_support().devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  const ProgramRun ended = run({"doctor"}, {{"PATH", "/nonexistent"}});
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(simulator::contains(ended.out, "there is no C++ compiler"));
  EXPECT_TRUE(simulator::contains(ended.out, "apt-get install g++"));
  EXPECT_TRUE(simulator::contains(ended.out, "nothing yet"));
}

TEST_F(OtherCommands, DoctorUsesTheCompilerThatIsNamed) {
  const ProgramRun ended = run({"doctor"}, {{"GPULAB_CXX", "no-such-compiler"}});
  EXPECT_TRUE(simulator::contains(ended.out, "missing C++ compiler"));
  EXPECT_TRUE(simulator::contains(ended.out, "no-such-compiler")) << "GPULAB_CXX is why, so it has to be named";
}

}  // namespace
}  // namespace gpulab::cli
