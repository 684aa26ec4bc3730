#include "base/table.hpp"
#include "base/text.hpp"
#include "cuda/support.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "program_fixture.hpp"
#include "run/devices.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class OtherCommands : public ProgramTest {
 protected:
  // Returns the text without line breaks, which depend on the width.
  static std::string flat(const std::string& text) {
    std::istringstream words(text);
    std::string result;
    for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
    return result;
  }
};

TEST_F(OtherCommands, AloneItSaysWhatToTypeFirst) {
  const std::string out = printed({});
  EXPECT_TRUE(contains(out, "gpulab next "));
  EXPECT_LE(std::ranges::count(out, '\n'), 10) << out;
}

TEST_F(OtherCommands, HelpShowsEveryLessonAndCommandInOneLine) {
  const std::string out = printed({"--help"});
  constexpr std::ptrdiff_t lines_besides_lessons = 35;
  EXPECT_LE(std::ranges::count(out, '\n'), lines_besides_lessons + std::ssize(all_lessons())) << out;
  EXPECT_LE(widest_line(out), 80u) << out;
  std::size_t at = 0;
  for (const Lesson& lesson : all_lessons()) {
    const std::size_t found = out.find("\n  " + lesson.name + " ");
    EXPECT_GT(found, at) << lesson.name << " is not in the order of the course";
    at = found;
  }
  for (const char* part : {"\nLearn:\n", "\nInspect and measure:\n", "\nThis machine:\n", "\n  doctor "})
    EXPECT_TRUE(contains(out, part)) << part;
  EXPECT_EQ(printed({"help"}), out);
}

TEST_F(OtherCommands, HelpExplainsTheExitCodesThatAreReturned) {
  const std::string out = printed({"--help"});
  EXPECT_TRUE(contains(out, "Exit codes: 0 as expected, 1 wrong result, 2 usage"));
  EXPECT_TRUE(contains(flat(out), "5 regression"));
}

TEST_F(OtherCommands, HelpOfALessonShowsItsTextItsVariantsAndItsOptions) {
  for (const Lesson& lesson : all_lessons()) {
    const std::string out = printed({lesson.name, "--help"}), words = flat(out);
    EXPECT_TRUE(contains(words, lesson.title));
    EXPECT_TRUE(contains(words, flat(lesson.text)));
    EXPECT_TRUE(contains(words, "--block-size"));
    for (const Option& option : lesson.options) EXPECT_TRUE(contains(words, "--" + option.name));
    for (const Variant& variant : lesson.variants) EXPECT_TRUE(contains(words, flat(variant.idea)));
    EXPECT_LE(widest_line(out), 80u) << out;
    EXPECT_EQ(out.find("\n\n\n"), std::string::npos) << out;
  }
}

TEST_F(OtherCommands, HelpOfACommandNamesTheWordsThatAnOptionTakes) {
  const std::string out = printed({"help", "histogram"});
  EXPECT_EQ(out, printed({"histogram", "--help"}));
  EXPECT_TRUE(contains(
      flat(out),
      "where kernels run (hip: we have not tried it on an AMD GPU, no times): auto (default), cuda, simulator, hip"))
      << out;
}

TEST_F(OtherCommands, VersionNamesTheRevisionAndTheCompilers) {
  const std::string out = printed({"--version"});
  for (const std::string& part :
       {"gpulab " + build_facts().version, build_facts().revision, build_facts().compiler})
    EXPECT_TRUE(contains(out, part));
}

TEST_F(OtherCommands, ListNamesEveryLessonAndVariant) {
  const std::string out = printed({"list"});
  const auto document = nlohmann::json::parse(printed({"list", "--format", "json"}));
  for (const Lesson& lesson : all_lessons()) {
    EXPECT_TRUE(contains(out, lesson.name));
    EXPECT_TRUE(contains(document.dump(), "\"" + lesson.name + "\""));
    for (const Variant& variant : lesson.variants)
      EXPECT_TRUE(contains(document.dump(), "\"" + variant.name + "\""));
  }
}

TEST_F(OtherCommands, ShowSaysHowAVariantOfTheSameKernelDiffers) {
  EXPECT_TRUE(printed({"show", "histogram", "not-zeroed"})
                  .starts_with("// not-zeroed: launched twice into an output that was zeroed once. The "
                               "kernel is that of shared"));
  const std::string shared = printed({"show", "histogram", "shared"});
  EXPECT_TRUE(contains(shared, "\n\n// The first barrier")) << "below the introduction of its file\n"
                                                            << shared;
}

TEST_F(OtherCommands, ShowPrintsTheKernelsAsTheyAre) {
  for (const Lesson& lesson : all_lessons()) {
    std::string file;
    for (const EmbeddedFile& embedded : embedded_kernels())
      if (embedded.name == lesson.kernels) file = embedded.text;
    EXPECT_TRUE(contains(printed({"show", lesson.name}), file));
    // One run shows the kernels of all variants, since starting the program takes longer than its work.
    std::vector<std::string> words{"show", lesson.name};
    std::set<std::string> shown;
    for (const Variant& variant : lesson.variants)
      if (!variant.kernel.empty() && shown.insert(variant.kernel).second) words.push_back(variant.name);
    if (words.size() == 2) continue;  // it would show the whole file once more
    const std::string out = printed(words);
    std::size_t kernels = 0;
    for (const std::string& line : lines_of(out)) kernels += line.starts_with("__global__") ? 1 : 0;
    EXPECT_EQ(kernels, shown.size()) << "each kernel once\n" << out;
    for (const Variant& variant : lesson.variants)
      EXPECT_TRUE(variant.kernel.empty() || contains(out, " " + variant.kernel + "("));
  }
}

TEST_F(OtherCommands, ShowReadsTheFilesOfAFolder) {
  write("first_kernel.cu", "// mine\n__global__ void vector_add_global_index() {}\n");
  EXPECT_TRUE(contains(printed({"show", "first-kernel", "--kernels", "."}), "// mine"));
  EXPECT_EQ(run({"show", "first-kernel", "--kernels", "nowhere"}).exit_code, 2);
  const ProgramRun missing = run({"show", "first-kernel", "thread-index", "--kernels", "."});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(contains(missing.err, "vector_add_thread_index"));
  EXPECT_FALSE(contains(missing.err, "defect"));
}

TEST_F(OtherCommands, ShowTakesSeveralVariants) {
  const std::string both = printed({"show", "first-kernel", "thread-index", "global-index"});
  EXPECT_EQ(both,
            printed({"show", "first-kernel", "--variant", "thread-index", "--variant", "global-index"}));
  const std::string second = printed({"show", "first-kernel", "global-index"});
  const std::size_t introduction = second.find("\n\n") + 1;  // of the file, which is printed once
  EXPECT_EQ(both, printed({"show", "first-kernel", "thread-index"}) + second.substr(introduction));
}

TEST_F(OtherCommands, ShowWritesTheFilesThatALessonRuns) {
  for (const Lesson& lesson : all_lessons()) {
    const std::string to = "of-" + lesson.name;
    printed({"show", lesson.name, "--to", to});
    std::set<std::string> files;
    for (const Variant& variant : lesson.variants) files.insert(lesson.file_of(variant));
    for (const EmbeddedFile& embedded : embedded_kernels())
      if (files.erase(embedded.name)) {
        EXPECT_EQ(read(folder / to / embedded.name), embedded.text);
      }
    EXPECT_TRUE(files.empty());
    EXPECT_EQ(printed({"show", lesson.name, "--kernels", to}), printed({"show", lesson.name}));
  }
}

TEST_F(OtherCommands, ShowKeepsFilesThatSomebodyHasChanged) {
  printed({"show", "--to", "k"});
  EXPECT_GT(std::distance(std::filesystem::directory_iterator(folder / "k"), {}), std::ssize(all_lessons()));
  write("k/matmul.cu", "// mine\n");
  std::filesystem::remove(folder / "k/matmul_tensor_cores.cu");
  EXPECT_TRUE(contains(printed({"show", "matmul", "--to", "k"}), "kept, because they differ"));
  EXPECT_EQ(read(folder / "k/matmul.cu"), "// mine\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "k/matmul_tensor_cores.cu"));
  EXPECT_FALSE(contains(printed({"show", "matmul", "--to", "k", "--force"}), "kept"));
  EXPECT_NE(read(folder / "k/matmul.cu"), "// mine\n");
  expect_refusal({"show", "matmul", "--force"}, 2, "--force needs --to DIR");
  expect_refusal({"show", "matmul", "tiled", "--to", "k"}, 2, "--to writes whole files");
  expect_refusal({"show", "matmul", "--to", "k/matmul.cu"}, 2,
                 "cannot make the folder k/matmul.cu: Not a directory");
}

TEST_F(OtherCommands, AMissingKernelFileNamesTheCommandThatWritesIt) {
  std::filesystem::create_directory(folder / "k");
  expect_refusal({"matmul", "--kernels", "k", "--device", "simulator"}, 2,
                 "gpulab show matmul --to k writes it");
  printed({"show", "matmul", "--to", "k"});
  EXPECT_EQ(run({"show", "matmul", "--kernels", "k"}).exit_code, 0);
}

TEST_F(OtherCommands, DoctorAlwaysListsTheSimulator) {
  EXPECT_TRUE(contains(printed({"doctor"}), "simulat"));
  const auto machine = nlohmann::json::parse(printed({"doctor", "--format", "json"}));
  EXPECT_EQ(machine["schema"], "gpulab.doctor");
  EXPECT_TRUE(contains(machine["devices"].dump(), "\"simulator\""));
}

TEST_F(OtherCommands, DoctorSaysWhatIsThere) {
  const std::string out = printed({"doctor"});
  for (const char* part : {"C++ compiler (simulator)", "cache of compiled kernels", "lessons can run on"})
    EXPECT_TRUE(contains(out, part));
}

TEST_F(OtherCommands, DoctorEndsWithFourWhereNoDeviceCanBeUsed) {
  if (!cuda::support().devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  const ProgramRun ended = run({"doctor"}, {{"PATH", "/nonexistent"}});
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(contains(ended.out, "there is no C++ compiler"));
  EXPECT_TRUE(contains(ended.out, "apt-get install g++"));
  EXPECT_TRUE(contains(ended.out, "nothing yet"));
}

TEST_F(OtherCommands, DoctorUsesTheCompilerThatIsNamed) {
  const ProgramRun ended = run({"doctor"}, {{"GPULAB_CXX", "no-such-compiler"}});
  EXPECT_TRUE(contains(ended.out, "missing C++ compiler"));
  EXPECT_TRUE(contains(ended.out, "no-such-compiler")) << "GPULAB_CXX is why, so it has to be named";
}

}  // namespace
}  // namespace gpulab::cli
