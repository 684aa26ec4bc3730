#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/compile_cache.hpp"
#include "test.hpp"

namespace gpulab::device {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

auto writer_of(const std::string& text) {
  return [text](const fs::path& folder) { write(folder / "made", text); };
}

void must_not_be_called(const fs::path&) {
  FAIL() << "this key was made before";
}

std::ptrdiff_t entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

// Every test has an empty folder of its own as the user's cache.
class CompileCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::path(testing::TempDir()) / "compile_cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
    ::setenv("XDG_CACHE_HOME", home_.c_str(), 1);
  }
  void TearDown() override {
    if (before_)
      ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    else
      ::unsetenv("XDG_CACHE_HOME");
    fs::remove_all(home_);
  }

  fs::path home_;

 private:
  static std::optional<std::string> value_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value ? std::optional<std::string>(value) : std::nullopt;
  }
  std::optional<std::string> before_ = value_of("XDG_CACHE_HOME");
};

TEST_F(CompileCacheTest, IsAFolderThatOnlyItsOwnerCanUse) {
  const CompileCache cache;
  EXPECT_EQ(cache.folder(), home_ / "gpulab");
  EXPECT_FALSE(cache.is_temporary());
  struct stat facts {};
  ASSERT_EQ(::stat(cache.folder().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST_F(CompileCacheTest, MakesAnEntryOnceAndFindsItInALaterProcess) {
  const fs::path first = CompileCache().entry("key", writer_of("cubin"));
  EXPECT_EQ(content_of(first / "made"), "cubin");
  EXPECT_EQ(CompileCache().entry("key", must_not_be_called), first);
}

TEST_F(CompileCacheTest, KeepsKeysApart) {
  CompileCache cache;
  const fs::path one = cache.entry("one", writer_of("1"));
  const fs::path two = cache.entry("two", writer_of("2"));
  EXPECT_NE(one, two);
  EXPECT_EQ(content_of(one / "made"), "1");
  EXPECT_EQ(content_of(two / "made"), "2");
}

TEST_F(CompileCacheTest, ReplacesAnEntryWithAnotherStoredKey) {
  CompileCache cache;
  const fs::path entry = cache.entry("key", writer_of("before"));
  write(entry / "key", "another key with the same hash");
  EXPECT_EQ(cache.entry("key", writer_of("after")), entry);
  EXPECT_EQ(content_of(entry / "made"), "after");
}

TEST_F(CompileCacheTest, LeavesNothingBehindWhenMakingFails) {
  CompileCache cache;
  const auto fails = [](const fs::path& folder) {
    write(folder / "half", "");
    throw std::runtime_error("does not compile");
  };
  EXPECT_THROW(cache.entry("key", fails), std::runtime_error);
  EXPECT_EQ(entries_in(cache.folder()), 0);
  EXPECT_EQ(content_of(cache.entry("key", writer_of("cubin")) / "made"), "cubin");
}

TEST_F(CompileCacheTest, UsesATemporaryFolderWhereOthersCouldWrite) {
  fs::create_directory(home_ / "gpulab");
  ::chmod((home_ / "gpulab").c_str(), 0777);
  fs::path temporary;
  {
    CompileCache cache;
    temporary = cache.folder();
    EXPECT_TRUE(cache.is_temporary());
    EXPECT_NE(temporary, home_ / "gpulab");
    EXPECT_EQ(content_of(cache.entry("key", writer_of("cubin")) / "made"), "cubin");
  }
  EXPECT_FALSE(fs::exists(temporary));
}

TEST_F(CompileCacheTest, UsesATemporaryFolderWhereTheDiskIsFull) {
  const CompileCache cache({.free_bytes = ~std::uintmax_t{0}});
  EXPECT_TRUE(cache.is_temporary());
}

// Starts a process that waits until it may read a byte from the pipe, then asks for the entry.
pid_t start_racer(int start_signal, const std::string& text) {
  const pid_t racer = ::fork();
  if (racer != 0) return racer;
  char byte;
  bool are_whole = ::read(start_signal, &byte, 1) == 1;
  for (int key = 0; key < 50 && are_whole; ++key) {
    const auto make = [&](const fs::path& folder) {
      write(folder / "first", text);
      ::usleep(200);  // so that both work at the same time
      write(folder / "second", text);
    };
    const fs::path entry = CompileCache().entry(std::to_string(key), make);
    const std::string first = content_of(entry / "first");
    are_whole = !first.empty() && first == content_of(entry / "second");
  }
  ::_exit(are_whole ? 0 : 1);
}

TEST_F(CompileCacheTest, GivesWholeEntriesToTwoProcessesThatRace) {
  int signal[2];
  ASSERT_EQ(::pipe(signal), 0);
  const pid_t racers[] = {start_racer(signal[0], "one"), start_racer(signal[0], "two")};
  ASSERT_EQ(::write(signal[1], "go", 2), 2);
  for (const pid_t racer : racers) {
    int status = -1;
    ASSERT_EQ(::waitpid(racer, &status, 0), racer);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const int end : signal) ::close(end);
  EXPECT_EQ(entries_in(home_ / "gpulab"), 50);
}

TEST_F(CompileCacheTest, RemovesWhatKilledProcessesHaveLeft) {
  CompileCache cache;
  for (const char* workspace : {"gpulab-abando", "gpulab-in_use"}) {
    fs::create_directory(cache.folder() / workspace);
    write(cache.folder() / workspace / "kernel.cu", "");
  }
  fs::last_write_time(cache.folder() / "gpulab-abando",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.entry("key", writer_of("text"));
  EXPECT_FALSE(fs::exists(cache.folder() / "gpulab-abando"));
  EXPECT_TRUE(fs::exists(cache.folder() / "gpulab-in_use"));
}

TEST_F(CompileCacheTest, MakesADamagedEntryAgain) {
  CompileCache cache;
  const fs::path entry = cache.entry("key", writer_of("made"));
  write(entry / "made", "nade");
  EXPECT_EQ(content_of(cache.entry("key", writer_of("made")) / "made"), "made");
  write(entry / "key", std::string(20, '\0'));
  EXPECT_EQ(content_of(cache.entry("key", writer_of("made")) / "made"), "made");
}

TEST_F(CompileCacheTest, RemovesWhatWasNotUsedForTheLongestTime) {
  CompileCache cache({.entries = 2});
  std::vector<fs::path> entries;
  for (const char* key : {"first", "second", "third"}) {
    entries.push_back(cache.entry(key, writer_of(key)));
    fs::last_write_time(entries.back() / "key", fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  cache.entry("first", must_not_be_called);
  CompileCache({.entries = 2}).entry("fourth", writer_of("fourth"));  // a later process
  EXPECT_TRUE(fs::exists(entries[0])) << "it was used just now";
  EXPECT_FALSE(fs::exists(entries[1]));
  EXPECT_EQ(entries_in(cache.folder()), 3) << "as many as the limit, and the new one";
}

TEST_F(CompileCacheTest, KeepsWhatAnotherProcessMayBeAboutToOpen) {
  CompileCache cache({.entries = 1});
  for (const char* key : {"first", "second", "third"}) cache.entry(key, writer_of(key));
  EXPECT_EQ(entries_in(cache.folder()), 3);
}

}  // namespace
}  // namespace gpulab::device
