#include "core/files.hpp"

#include "core/error.hpp"
#include "learn/folder_fixture.hpp"

namespace gpulab {
namespace files_test {

class FileNames : public learn::FolderTest {};

TEST_F(FileNames, CreateAFileOnce) {
  EXPECT_TRUE(create_file(folder / "a.cu", "first"));
  EXPECT_FALSE(create_file(folder / "a.cu", "second"));
  EXPECT_EQ(read("a.cu"), "first");
  EXPECT_EQ(files(), learn::Names{"a.cu"}) << "nothing is left beside it";
}

TEST_F(FileNames, AreTakenByALinkThatPointsNowhere) {
  std::filesystem::create_symlink("nowhere", folder / "a.cu");
  EXPECT_FALSE(create_file(folder / "a.cu", "text"));
  EXPECT_EQ(files(), learn::Names{"a.cu"});
}

TEST_F(FileNames, AreReplacedWithoutTouchingWhatALinkPointsTo) {
  write("elsewhere.cu", "mine");
  std::filesystem::create_symlink("elsewhere.cu", folder / "a.cu");
  replace_file(folder / "a.cu", "text");
  EXPECT_EQ(read("a.cu"), "text");
  EXPECT_EQ(read("elsewhere.cu"), "mine");
}

TEST_F(FileNames, AreNotGivenTwice) {
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
  EXPECT_EQ(files(), learn::Names{});
}

}  // namespace files_test
}  // namespace gpulab
