#include "check/progress.hpp"

#include <regex>
#include <thread>

#include "base/error.hpp"
#include "check/folder_fixture.hpp"

namespace gpulab::check {
namespace {

const std::string name = "gpulab-progress.txt";

class ProgressFileTest : public FolderTest {
 protected:
  static void count(ExerciseProgress& progress) { ++progress.checks; }
};

TEST_F(ProgressFileTest, AppearsWithTheFirstChange) {
  const ProgressFile file(folder);
  EXPECT_EQ(file.read().of("primes"), ExerciseProgress{});
  EXPECT_EQ(files(), Names{});
  file.change("primes", count);
  EXPECT_EQ(files(), Names{name});
  EXPECT_EQ(ProgressFile(folder).read().of("primes").checks, 1u);
}

TEST_F(ProgressFileTest, KeepsWhatPeopleWroteInIt) {
  write(name, "mine\nprimes: 4 checks");
  ProgressFile(folder).change("primes", count);
  EXPECT_EQ(read(name), "mine\nprimes: not started, 0 hints, 5 checks\n");
}

TEST_F(ProgressFileTest, LosesNothingToOthersAtTheSameTime) {
  constexpr int threads = 4, changes = 25;
  std::vector<std::jthread> others;
  for (int thread = 0; thread < threads; ++thread)
    others.emplace_back([&] {
      for (int i = 0; i < changes; ++i) ProgressFile(folder).change("primes", count);
    });
  others.clear();
  EXPECT_EQ(ProgressFile(folder).read().of("primes").checks, 1u * threads * changes);
  EXPECT_EQ(files(), Names{name});
}

TEST_F(ProgressFileTest, ThatCannotBeReadIsLeftAsItIs) {
  std::filesystem::create_directory(folder / name);
  const ProgressFile file(folder);
  EXPECT_THROW(file.read(), UsageError);
  EXPECT_THROW(file.change("primes", count), UsageError);
  EXPECT_TRUE(std::filesystem::is_directory(folder / name));
  EXPECT_EQ(files(), Names{name});
}

TEST_F(ProgressFileTest, IsNotMissedWhereItCannotBeWritten) {
  EXPECT_EQ(ProgressFile("/proc").read().of("primes"), ExerciseProgress{});
  EXPECT_THROW(ProgressFile("/proc").change("primes", count), UsageError);
}

TEST_F(ProgressFileTest, MayBeALink) {
  write("elsewhere.txt", "");
  std::filesystem::create_symlink("elsewhere.txt", folder / name);
  ProgressFile(folder).change("primes", count);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / name));
  EXPECT_NE(read("elsewhere.txt").find("primes: "), std::string::npos);
}

TEST_F(ProgressFileTest, LeavesAloneWhatALinkToSomethingElseLeadsTo) {
  write("precious.txt", "alias ls='ls --color'\n");
  std::filesystem::create_symlink("precious.txt", folder / name);
  EXPECT_THROW(ProgressFile(folder).change("primes", count), UsageError);
  EXPECT_EQ(read("precious.txt"), "alias ls='ls --color'\n");
  std::filesystem::remove(folder / name);
  std::filesystem::create_symlink("/dev/full", folder / name);
  EXPECT_THROW(ProgressFile(folder).change("primes", count), UsageError);
  std::filesystem::remove(folder / name);
  std::filesystem::create_symlink("nowhere", folder / name);
  EXPECT_THROW(ProgressFile(folder).change("primes", count), UsageError);
}

TEST_F(ProgressFileTest, WritesTheDayAsADate) {
  EXPECT_TRUE(std::regex_match(today(), std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}"))) << today();
}

}  // namespace
}  // namespace gpulab::check
