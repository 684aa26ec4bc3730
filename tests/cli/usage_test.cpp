#include "base/error.hpp"
#include "cli/options.hpp"
#include "cuda/support.hpp"
#include "program_fixture.hpp"
#include "run/devices.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class Usage : public ProgramTest {};

// A line is "first-kernel --size '' => --size": a command, as in a shell, and a part of its refusal.
TEST_F(Usage, RefusesEveryCommandOfATable) {
  std::istringstream table(source_text("tests/cli/refusals.txt"));
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t arrow = line.find(" => ");
    ASSERT_NE(arrow, std::string::npos) << line;
    std::istringstream typed(line.substr(0, arrow));
    std::vector<std::string> words;
    for (std::string word; typed >> word;) words.push_back(word == "''" ? "" : word);
    expect_refusal(words, 2, line.substr(arrow + 4));
  }
}

TEST_F(Usage, SendsNoEscapeSequenceOfAFilesNameToTheTerminal) {
  const ProgramRun refused = run({"check", "\033[2Jkernel.cu"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "?[2Jkernel.cu"));
  EXPECT_FALSE(contains(refused.err, "\033")) << refused.err;
}

TEST_F(Usage, RefusesASizeThatIsTooLarge) {
  expect_refusal({"first-kernel", "--size", "2^70"}, 2, "--size 2^70 is larger than any memory");
  expect_refusal({"first-kernel", "--size", "99999999999999999999999999"}, 2, "is larger than any memory");
  expect_refusal({"first-kernel", "--size", "1e99999"}, 2, "is larger than any memory");
  expect_refusal({"first-kernel", "--size", std::string(6000, '9')}, 2, "is larger than any memory");
  expect_refusal({"first-kernel", "--size", "2^31"}, 2, "the largest that first-kernel takes");
}

TEST_F(Usage, RefusesASizeThatDoesNotFitInMemory) {
  std::ifstream meminfo("/proc/meminfo");
  std::string word;
  std::size_t kibibytes = 0;
  while (meminfo >> word && word != "MemAvailable:") continue;
  meminfo >> kibibytes;
  if (kibibytes > std::size_t{60} << 20) GTEST_SKIP() << "this machine has memory for the largest size";
  const auto words = simulated({"first-kernel", "--size", "2145386496"});
  const ProgramRun refused = run(words);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "of the host's memory, and"));
  EXPECT_EQ(refused.out, "");
}

TEST_F(Usage, TakesArgumentsAfterTheDoubleDash) {
  EXPECT_EQ(run({"show", "--", "first-kernel"}).out, run({"show", "first-kernel"}).out);
  EXPECT_EQ(run({"show", "--", "first-kernel"}).exit_code, 0);
}

TEST_F(Usage, RefusesAKernelsFolderThatCannotBeRead) {
  write("file", "");
  expect_refusal({"first-kernel", "--device", "simulator", "--kernels", "nowhere"}, 2,
                 "--kernels nowhere is not a folder");
  expect_refusal({"first-kernel", "--device", "simulator", "--kernels", "file"}, 2,
                 "--kernels file is not a folder");
  expect_refusal({"first-kernel", "--device", "simulator", "--kernels", "."}, 2, "has no first_kernel.cu");
  expect_refusal({"first-kernel", "--device", "simulator", "--kernels", std::string(300, 'x')}, 2,
                 "is not a folder");
}

TEST_F(Usage, RefusesAKernelFileThatCannotBeRead) {
  std::filesystem::create_directory(folder / "first_kernel.cu");
  expect_refusal({"first-kernel", "--device", "simulator", "--kernels", "."}, 2,
                 "cannot read ./first_kernel.cu");
  std::filesystem::remove(folder / "first_kernel.cu");
  std::filesystem::create_symlink("first_kernel.cu", folder / "first_kernel.cu");
  expect_refusal({"first-kernel", "--device", "simulator", "--kernels", "."}, 2, "first_kernel.cu");
}

TEST_F(Usage, RefusesAGpuThatIsNotThere) {
  if (!cuda::support().devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refusal({"first-kernel", "--device", "cuda"}, 4, "");
  expect_refusal({"first-kernel", "--device", "cuda", "--device-index", "7"}, 4, "");
}

TEST_F(Usage, RefusesAnIndexThatNoDeviceHas) {
  expect_refusal({"first-kernel", "--device", "simulator", "--device-index", "7"}, 4, "7");
  expect_refusal({"first-kernel", "--device", "cuda", "--device-index", "-1"}, 2, "--device-index");
}

TEST_F(Usage, FindsACompilerWithoutPath) {
  const ProgramRun ended =
      run(simulated({"first-kernel"}), {{"PATH", ""}, {"XDG_CACHE_HOME", (folder / "cache").string()}});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
}

TEST_F(Usage, SaysHowToGetACompilerForTheSimulator) {
  const ProgramRun refused = run(simulated({"first-kernel"}), {{"PATH", "/nonexistent"}});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_TRUE(contains(refused.err, "apt-get install g++"));
  EXPECT_EQ(refused.out, "");
}

using Values = std::vector<std::uint64_t>;

Values counts(const std::string& text) {
  return parse_counts("--size", text);
}

void expect_refused(const std::string& text, const std::string& why) {
  const auto error = thrown<UsageError>([&] { counts(text); });
  EXPECT_TRUE(contains(error.what(), why)) << text;
  EXPECT_FALSE(contains(error.what(), "\n")) << text;
}

TEST(Counts, AreOneOrMoreWithCommasBetween) {
  EXPECT_EQ(counts("1000"), Values{1000});
  EXPECT_EQ(counts("2^10,32Ki,1e3"), (Values{1024, 32768, 1000}));
}

TEST(Counts, OfARangeWithAFactorHaveBothEndsIfTheyAreHit) {
  EXPECT_EQ(counts("2^20..2^28:x4"), (Values{1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28}));
  EXPECT_EQ(counts("2^20..2^27:x4"), (Values{1u << 20, 1u << 22, 1u << 24, 1u << 26}));
  EXPECT_EQ(counts("7..7:x2"), Values{7});
}

TEST(Counts, OfARangeWithAStepHaveBothEndsIfTheyAreHit) {
  EXPECT_EQ(counts("1000..5000:+1000"), (Values{1000, 2000, 3000, 4000, 5000}));
  EXPECT_EQ(counts("1000..4999:+2000"), (Values{1000, 3000}));
  EXPECT_EQ(counts("1Ki..2Ki:+2^9"), (Values{1024, 1536, 2048}));
}

TEST(Counts, KeepTheirOrderAndEachComesOnce) {
  EXPECT_EQ(counts("5000,1000..5000:+2000,1000,7"), (Values{5000, 1000, 3000, 7}));
}

TEST(Counts, ReachTheLargestNumbersWithoutAnOverflow) {
  EXPECT_EQ(counts("2^61..2^62:x2"), (Values{1ull << 61, 1ull << 62}));
  EXPECT_EQ(counts("2^62..2^62:x2^62"), Values{1ull << 62});
  EXPECT_EQ(counts("2^62..2^62:+2^62"), Values{1ull << 62});
}

TEST(Counts, RefuseAnEmptyValue) {
  expect_refused("", "--size needs a value");
  for (const char* text : {",", "1000,", ",1000", "1000,,2000"})
    expect_refused(text, "has a comma without a value beside it");
}

TEST(Counts, RefuseWhatIsNoCount) {
  expect_refused("1000,abc", "--size 'abc' is not a count");
  expect_refused("-5", "--size -5 is negative");
  expect_refused("0..8:x2", "--size 0 is too small");
  expect_refused("1..2^70:x2", "--size 2^70 is larger than any memory");
}

TEST(Counts, RefuseARangeThatIsNotWhole) {
  for (const char* text :
       {"1000..5000", "1000..5000:", "1000..5000:1000", "..5000:x2", "1000..:x2", "1..2:*2"})
    expect_refused(text, "is not a range; write it as 2^20..2^28:x4 or 1000..5000:+1000");
}

TEST(Counts, RefuseARangeThatGoesDownOrStandsStill) {
  expect_refused("5000..1000:+1000", "--size 5000..1000:+1000 goes down; write the smaller end first");
  expect_refused("2^28..2^20:x4", "goes down");
  expect_refused("1..8:x1", "the factor of --size 1..8:x1 is too small; it must be at least 2");
  expect_refused("1..8:x0", "the factor of --size 0 is too small");
  expect_refused("1..8:+0", "the step of --size 0 is too small; it must be at least 1");
}

TEST(Counts, RefuseMoreThanAThousand) {
  EXPECT_EQ(counts("1..1000:+1,1..1000:+1").size(), 1000u);
  expect_refused("1..1001:+1", "--size names more than 1 000 values; take a larger step or factor");
  expect_refused("1..2^62:+1", "more than 1 000 values");
}

}  // namespace
}  // namespace gpulab::cli
