#include "cli/lesson_reports.hpp"

#include <sys/stat.h>

#include "program_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

using Names = std::vector<std::string>;

class EarlierOutput : public ProgramTest {
 protected:
  Names sorted_files() const {
    Names names = files();
    std::ranges::sort(names);
    return names;
  }
  std::string text_of(const std::string& file) const { return read(folder / file); }

  // Expects the file to be renamed to FILE.previous, and stderr to say so.
  void expect_set_aside(const std::vector<std::string>& words, const std::string& file) const {
    write(file, "older");
    const ProgramRun failed = run(words);
    EXPECT_NE(failed.exit_code, 0) << words[0];
    EXPECT_FALSE(std::filesystem::exists(folder / file)) << words.back();
    EXPECT_EQ(text_of(file + ".previous"), "older") << words.back();
    EXPECT_TRUE(contains(failed.err, "gpulab: the earlier " + file + " is now " + file + ".previous\n"));
    std::filesystem::remove(folder / (file + ".previous"));
  }

  void expect_left_alone(const std::vector<std::string>& words, const std::string& file) const {
    write(file, "older");
    const ProgramRun ended = run(words);
    EXPECT_EQ(text_of(file), "older") << words[0];
    EXPECT_FALSE(contains(ended.err, "previous")) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(folder / (file + ".previous")));
  }
};

TEST_F(EarlierOutput, IsGoneWhenThereIsANewOne) {
  write("result.json", "older");
  const ProgramRun ended = run(simulated({"first-kernel", "--output", "result.json"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(text_of("result.json"), "gpulab.run"));
  EXPECT_EQ(files(), Names{"result.json"});
  EXPECT_FALSE(contains(ended.err, "previous"));
}

TEST_F(EarlierOutput, IsSetAsideWhenTheRunDoesNotStart) {
  expect_set_aside(simulated({"first-kernel", "--kernels", "nowhere", "--output", "result.json"}),
                   "result.json");
  expect_set_aside({"first-kernel", "--device", "cuda", "--device-index", "99", "--output", "r.json"},
                   "r.json");
  expect_set_aside({"first-kernel", "--size", "2^70", "--output=r.csv"}, "r.csv");
}

TEST_F(EarlierOutput, IsSetAsideWhenTheOptionsCannotBeParsed) {
  expect_set_aside({"first-kernel", "--sise", "5", "--output", "result.json"}, "result.json");
  expect_set_aside({"first-kernel", "--output", "result.json", "--format", "xml"}, "result.json");
  expect_set_aside({"first-kernel", "--output", "result.json", "--seed"}, "result.json");
  expect_set_aside({"first-kernal", "--output", "result.json"}, "result.json");
}

TEST_F(EarlierOutput, OfTheOtherOptionsThatWriteIsSetAsideToo) {
  expect_set_aside({"streams", "--size", "2^70", "--trace", "trace.json"}, "trace.json");
  expect_set_aside({"convolution", "--width", "0", "--save", "out.png"}, "out.png");
  expect_set_aside(
      {"bench", "first-kernel", "--size", "0", "--against", "old-gpulab", "--baseline", "old.json"},
      "old.json");
}

TEST_F(EarlierOutput, IsSetAsideWhenNothingIsWritten) {
  write("convolution.cu", "");
  expect_set_aside(simulated({"convolution", "--kernels", ".", "--variant", "naive", "--width", "20",
                              "--height", "10", "--save", "out.png"}),
                   "out.png");
}

TEST_F(EarlierOutput, TakesTheNextFreeName) {
  write("result.json", "yesterday's");
  write("result.json.previous", "somebody's");
  const std::vector<std::string> failing = {"first-kernel", "--size", "0", "--output", "result.json"};
  EXPECT_TRUE(contains(run(failing).err, "the earlier result.json is now result.json.previous-2"));
  EXPECT_EQ(text_of("result.json.previous"), "somebody's");
  EXPECT_EQ(text_of("result.json.previous-2"), "yesterday's");

  EXPECT_EQ(run(simulated({"first-kernel", "--output", "result.json"})).exit_code, 0);
  EXPECT_EQ(run(simulated({"first-kernel", "--output", "result.json"})).exit_code, 0);
  EXPECT_EQ(sorted_files(), (Names{"result.json", "result.json.previous", "result.json.previous-2"}))
      << "a run removes only what it set aside itself";
}

TEST_F(EarlierOutput, IsSetAsideWhenTheRunIsKilled) {
  write("result.json", "older");
  const pid_t child =
      start({"reduction", "--size", "2^24", "--device", "simulator", "--output", "result.json"});
  for (int waited = 0; waited < 5000 && std::filesystem::exists(folder / "result.json"); ++waited)
    ::usleep(2000);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed";
  EXPECT_EQ(files(), Names{"result.json.previous"});
  EXPECT_EQ(text_of("result.json.previous"), "older");
}

TEST_F(EarlierOutput, IsLeftAloneByHelpDryRunsAndCompletion) {
  expect_left_alone({"first-kernel", "--output", "result.json", "--help"}, "result.json");
  expect_left_alone({"help", "first-kernel", "--output", "result.json"}, "result.json");
  expect_left_alone(
      {"bench", "first-kernel", "--device", "simulator", "--dry-run", "--output", "result.json"},
      "result.json");
  expect_left_alone({"complete", "first-kernel", "--output", "result.json"}, "result.json");
}

TEST_F(EarlierOutput, IsLeftAloneByACommandThatWritesNone) {
  expect_left_alone({"show", "first-kernel", "--output", "first_kernel.cu"}, "first_kernel.cu");
}

TEST_F(EarlierOutput, IsLeftAloneWhereItIsALearnersWork) {
  expect_left_alone({"check", "--output", "first_kernel.cu"}, "first_kernel.cu");
  expect_left_alone({"check", "--format", "gradescope", "--output", "streams.txt"}, "streams.txt");
  EXPECT_EQ(run({"check", "--output", "first_kernel.cu"}).exit_code, 2);
}

TEST_F(EarlierOutput, IsLeftAloneWhereItIsAnInputToo) {
  const std::string image = source_file("data/radio-sky.fits").string();
  std::filesystem::copy_file(image, folder / "in.png");
  const ProgramRun refused = run({"radio-astronomy", "--input", "in.png", "--output", "./in.png"});
  EXPECT_TRUE(contains(refused.err, "name the same file"));
  EXPECT_EQ(text_of("in.png"), ProgramTest::read(image));
}

TEST_F(EarlierOutput, IsLeftAloneWhereItIsEmpty) {
  write("empty", "");
  run({"first-kernel", "--size", "0", "--output", "empty"});
  EXPECT_EQ(files(), Names{"empty"}) << "such as a file that mktemp has made";
}

TEST_F(EarlierOutput, IsLeftAloneWhereItMustNotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write to every file";
  write("result.json", "older");
  ::chmod((folder / "result.json").c_str(), 0400);
  EXPECT_EQ(run({"first-kernel", "--output", "result.json"}).exit_code, 2);
  EXPECT_EQ(text_of("result.json"), "older");
}

TEST_F(EarlierOutput, OfALinkIsWhereTheLinkPoints) {
  write("result.json", "older");
  std::filesystem::create_symlink("result.json", folder / "link.json");
  const ProgramRun failed = run({"first-kernel", "--size", "0", "--output", "link.json"});
  EXPECT_TRUE(contains(failed.err, "the earlier link.json is now "));
  EXPECT_EQ(sorted_files(), (Names{"link.json", "result.json.previous"}));
  EXPECT_EQ(run(simulated({"first-kernel", "--output", "link.json"})).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.json"));
  EXPECT_TRUE(contains(text_of("result.json"), "gpulab.run"));
}

TEST_F(EarlierOutput, IsNoPipeAndNoDevice) {
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* output : {"pipe", "/dev/null"})
    EXPECT_EQ(run({"first-kernel", "--size", "0", "--output", output}).exit_code, 2);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(files(), Names{"pipe"});
}

}  // namespace
}  // namespace gpulab::cli
