#include <nlohmann/json.hpp>

#include "program_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::cli {
namespace {

class OwnOptions : public ProgramTest {
 protected:
  std::string read(const std::string& name) const { return content_of(folder / name); }
};

TEST_F(OwnOptions, AreCountsAsPeopleTypeThem) {
  const ProgramRun ended = run(simulated(
      {"matmul", "--m", "2^4", "--n", "17", "--k", "1e1", "--variant", "naive", "--format", "json"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto lesson = nlohmann::json::parse(ended.out)["lesson"];
  EXPECT_EQ(lesson["options"]["m"], 16);
  EXPECT_EQ(lesson["options"]["k"], 10);
  EXPECT_EQ(lesson["size"], 16 * 17);
}

TEST_F(OwnOptions, AreRefusedOutsideOfTheirRange) {
  expect_refusal({"matmul", "--m", "0"}, 2, "--m");
  expect_refusal({"matmul", "--m", "70000"}, 2, "--m 70000 is too large; it must be at most 65 535");
  expect_refusal({"matmul", "--m", "65535", "--n", "65535"}, 2, "too large");
  expect_refusal({"matmul", "--m", "ten"}, 2, "--m");
  expect_refusal({"streams", "--upper", "1e9"}, 2, "--upper 1e9 is too large; it must be at most 10 000 000");
  expect_refusal({"matmul", "--size", "100"}, 2, "matmul has no option '--size'");
}

TEST_F(OwnOptions, AreRefusedWhereAFileCannotBeReadOrWritten) {
  expect_refusal({"convolution", "--input", "nowhere.png"}, 2, "nowhere.png");
  expect_refusal({"convolution", "--input", ""}, 2, "--input needs the name of a file");
  expect_refusal({"convolution", "--save", "nowhere/out.png"}, 2, "nowhere/out.png");
  write("text.fits", "not an image");
  expect_refusal({"radio-astronomy", "--input", "text.fits"}, 2, "text.fits");
}

TEST_F(OwnOptions, WriteFilesThatAreWhole) {
  const ProgramRun ended = run(simulated({"convolution", "--width", "20", "--height", "10", "--variant",
                                          "naive", "--save", "out.png", "--quiet"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const std::string png = read("out.png");
  EXPECT_TRUE(png.starts_with("\x89PNG")) << png.size();
  EXPECT_TRUE(png.ends_with("\xAE\x42\x60\x82")) << "the end of the last chunk";
}

TEST_F(OwnOptions, AreRefusedWhereTwoNameTheSameFile) {
  expect_refusal({"radio-astronomy", "--catalogue", "same.png", "--save", "same.png"}, 2,
                 "--catalogue and --save name the same file, same.png");
  expect_refusal({"convolution", "--save", "x.png", "--output", "./x.png"}, 2, "name the same file");
  const std::string image = source_file("data/radio-sky.fits").string();
  std::filesystem::copy_file(image, folder / "in.png");
  expect_refusal({"radio-astronomy", "--input", "in.png", "--save", "in.png"}, 2,
                 "--input and --save name the same file");
}

TEST_F(OwnOptions, RefuseAPictureThatIsNotCalledOne) {
  expect_refusal({"convolution", "--save", "pic.gif"}, 2,
                 "--save writes a .png file, so its name must end with .png");
  expect_refusal({"radio-astronomy", "--save", "pic"}, 2, "must end with .png, not like pic");
}

TEST_F(OwnOptions, MentionTheFilesThatWereWritten) {
  const std::vector<std::string> words = {"convolution", "--variant", "naive",  "--width", "20",
                                          "--height",    "10",        "--save", "out.png"};
  EXPECT_TRUE(simulator::contains(run(simulated(words)).err, "wrote out.png\n"));
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
  EXPECT_TRUE(simulator::contains(ended.out, "nothing was written for --save")) << ended.out;
}

TEST_F(OwnOptions, WriteTheTimelinesAsATrace) {
  const ProgramRun ended =
      run(simulated({"streams", "--size", "1000", "--upper", "100", "--trace", "trace.json"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_GT(nlohmann::json::parse(read("trace.json"))["traceEvents"].size(), 10u);
  EXPECT_TRUE(simulator::contains(ended.out, "stream 2"));
  expect_refusal({"streams", "--trace", "nowhere/trace.json"}, 2, "nowhere/trace.json");
}

TEST_F(OwnOptions, StandInTheHelpWithTheirDefaults) {
  const ProgramRun help = run({"matmul", "--help"});
  EXPECT_TRUE(simulator::contains(help.out, "rows of A and C (default 100)")) << help.out;
}

}  // namespace
}  // namespace gpulab::cli
