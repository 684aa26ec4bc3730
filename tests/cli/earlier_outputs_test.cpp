#include "cli/lesson_reports.hpp"

#include <sys/stat.h>

#include "program_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

using Names = std::vector<std::string>;

class EarlierOutput : public ProgramTest {
 protected:
  std::string text_of(const std::string& file) const { return read(folder / file); }

  // Expects the file to be as it was, and stderr to say that it is old.
  void expect_named_as_old(const std::vector<std::string>& words, const std::string& file) const {
    write(file, "older");
    const ProgramRun failed = run(words);
    EXPECT_NE(failed.exit_code, 0) << words[0];
    EXPECT_EQ(text_of(file), "older") << words.back();
    EXPECT_TRUE(contains(failed.err, "gpulab: " + file + " was not written: it is as it was before\n"))
        << failed.err;
  }

  void expect_left_alone(const std::vector<std::string>& words, const std::string& file) const {
    write(file, "older");
    const ProgramRun ended = run(words);
    EXPECT_EQ(text_of(file), "older") << words[0];
    EXPECT_FALSE(contains(ended.err, "was not written")) << ended.err;
  }
};

TEST_F(EarlierOutput, IsReplacedByTheNewOne) {
  write("result.json", "older");
  const ProgramRun ended = run(simulated({"first-kernel", "--output", "result.json"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(text_of("result.json"), "gpulab.run"));
  EXPECT_EQ(files(), Names{"result.json"});
  EXPECT_FALSE(contains(ended.err, "was not written"));
}

TEST_F(EarlierOutput, IsNamedAsOldWhenTheRunDoesNotStart) {
  expect_named_as_old(simulated({"first-kernel", "--kernels", "nowhere", "--output", "result.json"}),
                      "result.json");
  expect_named_as_old({"first-kernel", "--device", "cuda", "--device-index", "99", "--output", "r.json"},
                      "r.json");
  expect_named_as_old({"first-kernel", "--size", "2^70", "--output=r.csv"}, "r.csv");
}

TEST_F(EarlierOutput, IsNamedAsOldWhenTheOptionsCannotBeParsed) {
  expect_named_as_old({"first-kernel", "--sise", "5", "--output", "result.json"}, "result.json");
  expect_named_as_old({"first-kernel", "--output", "result.json", "--format", "xml"}, "result.json");
  expect_named_as_old({"first-kernel", "--output", "result.json", "--seed"}, "result.json");
  expect_named_as_old({"first-kernal", "--output", "result.json"}, "result.json");
}

TEST_F(EarlierOutput, OfTheOtherOptionsThatWriteIsNamedAsOldToo) {
  expect_named_as_old({"streams", "--size", "2^70", "--trace", "trace.json"}, "trace.json");
  expect_named_as_old({"convolution", "--width", "0", "--save", "out.png"}, "out.png");
  expect_named_as_old(
      {"bench", "first-kernel", "--size", "0", "--against", "old-gpulab", "--baseline", "old.json"},
      "old.json");
}

TEST_F(EarlierOutput, IsNamedAsOldWhenNothingIsWritten) {
  write("convolution.cu", "");
  expect_named_as_old(simulated({"convolution", "--kernels", ".", "--variant", "naive", "--width", "20",
                                 "--height", "10", "--save", "out.png"}),
                      "out.png");
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

TEST_F(EarlierOutput, IsLeftAloneWhereItIsSourceCode) {
  expect_left_alone(simulated({"histogram", "--output", "kernel.cu"}), "kernel.cu");
  expect_left_alone({"check", "--output", "kernel.cuh"}, "kernel.cuh");
}

TEST_F(EarlierOutput, IsLeftAloneWhereItIsALearnersWork) {
  expect_left_alone({"check", "--output", "first_kernel.cu"}, "first_kernel.cu");
  expect_left_alone({"check", "--format", "gradescope", "--output", "streams.txt"}, "streams.txt");
  EXPECT_EQ(run({"check", "--output", "first_kernel.cu"}).exit_code, 2);
}

TEST_F(EarlierOutput, IsLeftAloneWhereItIsAnInputToo) {
  const std::string image = source_file("data/radio-sky.fits").string();
  std::filesystem::copy_file(image, folder / "in.fits");
  const ProgramRun refused = run({"radio-astronomy", "--input", "in.fits", "--output", "./in.fits"});
  EXPECT_TRUE(contains(refused.err, "name the same file"));
  EXPECT_EQ(text_of("in.fits"), ProgramTest::read(image));
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
  const ProgramRun failed = run({"first-kernel", "--size", "0", "-o", "link.json"});
  EXPECT_TRUE(contains(failed.err, "link.json was not written"));
  EXPECT_EQ(run(simulated({"first-kernel", "-o", "link.json"})).exit_code, 0);
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
