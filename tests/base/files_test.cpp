#include "base/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "check/folder_fixture.hpp"

namespace gpulab {
namespace files_test {

class FileNames : public check::FolderTest {};

TEST_F(FileNames, CreateAFileOnce) {
  EXPECT_TRUE(create_file(folder / "a.cu", "first"));
  EXPECT_FALSE(create_file(folder / "a.cu", "second"));
  EXPECT_EQ(read("a.cu"), "first");
  EXPECT_EQ(files(), check::Names{"a.cu"}) << "nothing is left beside it";
}

TEST_F(FileNames, AreTakenByALinkThatPointsNowhere) {
  std::filesystem::create_symlink("nowhere", folder / "a.cu");
  EXPECT_FALSE(create_file(folder / "a.cu", "text"));
  EXPECT_EQ(files(), check::Names{"a.cu"});
}

TEST_F(FileNames, AreReplacedWithoutTouchingWhatALinkPointsTo) {
  write("elsewhere.cu", "mine");
  std::filesystem::create_symlink("elsewhere.cu", folder / "a.cu");
  replace_file(folder / "a.cu", "text");
  EXPECT_EQ(read("a.cu"), "text");
  EXPECT_EQ(read("elsewhere.cu"), "mine");
}

TEST_F(FileNames, AreFreeAfterAFileIsSetAside) {
  write("a.json", "first");
  EXPECT_EQ(set_aside(folder / "a.json"), folder / "a.json.previous");
  write("a.json", "second");
  EXPECT_EQ(set_aside(folder / "a.json"), folder / "a.json.previous-2");
  EXPECT_EQ(files(), (check::Names{"a.json.previous", "a.json.previous-2"}));
  EXPECT_EQ(read("a.json.previous"), "first");
  EXPECT_EQ(read("a.json.previous-2"), "second");
}

TEST_F(FileNames, StayWhereTheFileCannotBeSetAside) {
  EXPECT_EQ(set_aside(folder / "nowhere"), std::nullopt);
  const std::string longest(255, 'x');
  write(longest, "text");
  EXPECT_EQ(set_aside(folder / longest), std::nullopt);
  EXPECT_EQ(files(), check::Names{longest});
}

TEST_F(FileNames, OfLinksAreFollowedToAFileThatDoesNotExistYet) {
  std::filesystem::create_symlink("later.json", folder / "link.json");
  std::filesystem::create_symlink("link.json", folder / "further.json");
  EXPECT_EQ(target_of(folder / "further.json"), std::filesystem::weakly_canonical(folder / "later.json"));
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_EQ(target_of(folder / "loop").filename(), "loop");
}

TEST_F(FileNames, AreNotGivenToASecondFile) {
  write("a.cu", "first");
  write("b.cu", "second");
  EXPECT_FALSE(add_name(folder / "a.cu", folder / "b.cu"));
  EXPECT_EQ(read("b.cu"), "second");
  EXPECT_TRUE(add_name(folder / "a.cu", folder / "c.cu"));
  EXPECT_EQ(read("c.cu"), "first");
}

TEST_F(FileNames, AreRefusedWhereNothingCanBeWritten) {
  EXPECT_THROW(create_file("/proc/a.cu", "text"), UsageError);
  EXPECT_THROW(create_file(folder / "nowhere" / "a.cu", "text"), UsageError);
  EXPECT_THROW(replace_file(folder, "text"), UsageError) << "a folder";
  EXPECT_THROW(add_name(folder / "nowhere", folder / "a.cu"), UsageError);
  EXPECT_EQ(files(), check::Names{});
}

// Anybody who may write to the folder could have made the link.
TEST_F(FileNames, AreNotWrittenThroughALinkThatHasTheTemporaryName) {
  write("mine", "precious");
  std::filesystem::create_symlink("mine", folder / (".a.cu." + std::to_string(::getpid()) + ".part"));
  replace_file(folder / "a.cu", "text");
  EXPECT_EQ(read("a.cu"), "text");
  EXPECT_EQ(read("mine"), "precious");
}

TEST_F(FileNames, StayInTheFolderThatWasOpened) {
  std::filesystem::create_directories(folder / "out");
  std::filesystem::create_directories(folder / "elsewhere");
  write("mine", "precious");
  const OpenFolder out(folder / "out");
  std::filesystem::rename(folder / "out", folder / "was-out");
  std::filesystem::create_directory_symlink("elsewhere", folder / "out");
  std::filesystem::create_symlink("../mine", folder / "was-out" / "report");
  EXPECT_THROW(out.write_in_place("report", "text"), UsageError) << "a link";
  out.replace("report", "text");
  EXPECT_EQ(read("was-out/report"), "text");
  EXPECT_EQ(read("mine"), "precious");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "elsewhere"));
  EXPECT_THROW(OpenFolder(folder / "mine"), UsageError);
}

TEST_F(FileNames, MayBeAsLongAsTheSystemAllows) {
  const std::string longest(255, 'x');
  replace_file(folder / longest, "text");
  EXPECT_EQ(read(longest), "text");
  const FileLock lock(folder / longest);
}

class ReadFile : public check::FolderTest {};

TEST_F(ReadFile, GivesAByteMoreThanAskedForWhenThereIsMore) {
  write("a", "12345");
  EXPECT_EQ(read_file(folder / "a", 5), "12345");
  EXPECT_EQ(read_file(folder / "a", 3), "1234");
}

TEST_F(ReadFile, RefusesFoldersDevicesAndPipesThatNobodyWritesTo) {
  EXPECT_THROW(read_file(folder, 9), UsageError);
  EXPECT_THROW(read_file("/dev/full", 9), UsageError);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(read_file(folder / "pipe", 9), UsageError);
}

TEST_F(ReadFile, FollowsNoLinkBelowAFolder) {
  std::filesystem::create_directories(folder / "ada" / "week");
  write("secret", "precious");
  write("ada/week/a.cu", "text");
  EXPECT_EQ(read_file_below(folder / "ada", "week/a.cu", 9), "text");
  std::filesystem::create_symlink("../secret", folder / "ada" / "b.cu");
  std::filesystem::create_directory_symlink("..", folder / "ada" / "up");
  for (const char* file : {"b.cu", "up/secret", "none", "week"})
    EXPECT_THROW(read_file_below(folder / "ada", file, 9), UsageError) << file;
}

TEST_F(ReadFile, ReadsAPipeToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0]), 9), "text");
  ::close(ends[0]);
}

}  // namespace files_test
}  // namespace gpulab
