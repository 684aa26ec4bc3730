#include "base/files.hpp"

#include <poll.h>

#include "base/files.hpp"
#include "check/folder_fixture.hpp"

namespace gpulab::check {
namespace {

using Paths = std::vector<std::filesystem::path>;

class SavedFilesTest : public FolderTest {
 protected:
  Paths all() const { return {folder / "a.cu", folder / "b.cu"}; }
};

TEST_F(SavedFilesTest, AreThoseThatAreNew) {
  SavedFiles saved;
  EXPECT_EQ(saved.take(all()), Paths{});
  write("a.cu", "");
  EXPECT_EQ(saved.take(all()), Paths{folder / "a.cu"});
  EXPECT_EQ(saved.take(all()), Paths{});
  write("b.cu", "");
  EXPECT_EQ(saved.take(all()), Paths{folder / "b.cu"});
}

TEST_F(SavedFilesTest, AreThoseThatWereWrittenOrReplaced) {
  SavedFiles saved;
  write("a.cu", "1");
  write("b.cu", "1");
  saved.take(all());
  write("a.cu", "12");
  EXPECT_EQ(saved.take(all()), Paths{folder / "a.cu"});
  write("new", "1");
  std::filesystem::rename(folder / "new", folder / "b.cu");
  EXPECT_EQ(saved.take(all()), Paths{folder / "b.cu"});
}

TEST_F(SavedFilesTest, RaiseAnAlarm) {
  const FolderEvents events({folder});
  if (events.descriptor() < 0) GTEST_SKIP() << "this machine has no inotify";
  pollfd source{.fd = events.descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&source, 1, 0), 0);
  write("a.cu", "1");
  EXPECT_EQ(::poll(&source, 1, 0), 1);
  events.wait_until_quiet();
  EXPECT_EQ(::poll(&source, 1, 0), 0);
  write("new", "1");
  events.drain();
  std::filesystem::rename(folder / "new", folder / "a.cu");
  EXPECT_EQ(::poll(&source, 1, 0), 1) << "put in the place of the old one";
}

}  // namespace
}  // namespace gpulab::check
