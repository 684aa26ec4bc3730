#include "teach/submissions.hpp"

#include <sys/stat.h>
#include <ctime>

#include "base/error.hpp"
#include "check/folder_fixture.hpp"
#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

namespace fs = std::filesystem;

class Sharing : public check::FolderTest {
 protected:
  Sharing() : shared(folder / "class") { fs::create_directory(shared); }

  check::Progress begun() const { return check::ProgressFile(folder).read(); }
  // A check with that result.
  void check(const std::string& lesson, const std::string& pattern) const {
    check::ProgressFile(folder).change([&](check::Progress& progress) {
      progress.set(lesson, check::after_check(progress.of(lesson), pattern, pattern.empty(), check::today()));
      progress.set_last_checked(lesson);
    });
    share(begun());
  }
  std::string shared_text(const std::string& name) const { return read("class/" + name + ".gpulab.txt"); }

  fs::path shared;
};

TEST_F(Sharing, ShowsWhereALearnerIsAndForHowLong) {
  EXPECT_EQ(start_sharing(folder, shared.string(), "Ada"), fs::canonical(shared) / "Ada.gpulab.txt");
  check("first-kernel", "");
  check("shared-histogram", "race-shared");
  const std::string first = shared_text("Ada");
  check("shared-histogram", "too-few");
  const ClassResult all = class_in(shared);
  ASSERT_EQ(all.learners.size(), 1u);
  const LearnersPlace& ada = all.learners.front();
  EXPECT_EQ(ada.learner, "Ada");
  EXPECT_EQ(ada.exercise, "shared-histogram");
  EXPECT_EQ(ada.progress.checks, 2u);
  EXPECT_EQ(ada.progress.last_pattern, "too-few");
  EXPECT_EQ(ada.passed, 1u);
  EXPECT_NEAR(static_cast<double>(ada.checked), static_cast<double>(std::time(nullptr)), 60);
  const std::string since = first.substr(first.find("since:"), 30);
  EXPECT_TRUE(contains(shared_text("Ada"), since.substr(0, since.find('\n'))))
      << "since the first of these checks";
}

TEST_F(Sharing, TellsNothingThatNobodyWasTold) {
  write("gpulab-progress.txt",
        "my secret: note\nfirst-kernel: started, 2 hints, 3 checks, last too-few, private words\n");
  start_sharing(folder, shared.string(), "Ada");
  const std::string text = shared_text("Ada");
  EXPECT_TRUE(contains(text, "3 checks, last too-few")) << text;
  for (const char* part : {"secret", "private", "2 hints", "class"})
    EXPECT_FALSE(contains(text, part)) << text;
}

TEST_F(Sharing, EndsAndTakesItsFileAway) {
  start_sharing(folder, shared.string(), "Ada");
  EXPECT_TRUE(stop_sharing(folder));
  EXPECT_TRUE(fs::is_empty(shared));
  check("first-kernel", "");
  EXPECT_TRUE(fs::is_empty(shared));
  EXPECT_FALSE(stop_sharing(folder));
}

TEST_F(Sharing, RefusesWhatIsNoFolderOrNoName) {
  EXPECT_THROW(start_sharing(folder, (folder / "none").string(), "Ada"), UsageError);
  for (const char* name : {"../Ada", "a:b", ".hidden", " Ada", "Ada\n", "\033[2J"})
    EXPECT_THROW(start_sharing(folder, shared.string(), name), UsageError) << name;
  EXPECT_THROW(start_sharing(folder, shared.string(), std::string(41, 'x')), UsageError);
  EXPECT_EQ(files(), check::Names{"class"}) << "nothing is remembered of it";
  start_sharing(folder, shared.string(), "Ada");
  fs::remove_all(shared);
  EXPECT_THROW(share(begun()), UsageError) << "which a check tells and goes on";
}

// A folder may come from somebody else, with what is in it.
TEST_F(Sharing, WritesAndRemovesNothingThatItDidNotWriteBefore) {
  const auto name_place = [&](const fs::path& place, const std::string& name) {
    write("gpulab-progress.txt", "shared in: " + place.string() + "\nshared as: " + name + "\n");
  };
  name_place(shared, "Ada");
  EXPECT_THROW(share(begun()), UsageError);
  EXPECT_TRUE(fs::is_empty(shared));
  write("class/Ada.gpulab.txt", "mine\n");
  EXPECT_THROW(share(begun()), UsageError);
  EXPECT_TRUE(stop_sharing(folder));
  EXPECT_EQ(shared_text("Ada"), "mine\n");
  start_sharing(folder, shared.string(), "Bea");
  name_place(fs::relative(shared), "Bea");
  EXPECT_THROW(share(begun()), UsageError) << "such a place depends on where one is";
}

TEST_F(Sharing, ReadsWhatAnybodyMayHaveWritten) {
  fs::create_symlink("/etc/passwd", shared / "eve.gpulab.txt");
  fs::create_directory(shared / "folder.gpulab.txt");
  ASSERT_EQ(::mkfifo((shared / "pipe.gpulab.txt").c_str(), 0600), 0);
  write("class/large.gpulab.txt", std::string(1 << 20, 'x'));
  write("class/binary.gpulab.txt", std::string("first-kernel: passed\0", 21));
  write("class/esc\033[2J.gpulab.txt",
        "last checked: \033[2J\nsince: 9999-01-01T00:00:00Z\nlast check: yesterday\n"
        "first-kernel: passed 2026, \033[31m, 999999999 checks, last race-\033shared\n");
  write("class/later.gpulab.txt",
        "last checked: primes\nprimes: started, 1 check, last too-few\nsince: 9999-01-01T00:00:00Z\n");
  const ClassResult all = class_in(shared);
  EXPECT_EQ(all.not_read, 5u);
  ASSERT_EQ(all.learners.size(), 2u);
  EXPECT_EQ(all.learners[0].learner, "later");
  EXPECT_EQ(all.learners[0].since, all.now) << "nobody has begun in the future";
  EXPECT_EQ(all.learners[1].learner, "esc?[2J");
  EXPECT_EQ(all.learners[1].exercise, "");
  EXPECT_EQ(all.learners[1].progress.last_pattern, "");
}

TEST_F(Sharing, ReadsSoManyLearnersAndCountsTheRest) {
  for (int i = 0; i < 520; ++i) write("class/" + std::to_string(i) + ".gpulab.txt", "last checked: primes\n");
  const ClassResult all = class_in(shared);
  EXPECT_EQ(all.learners.size(), 500u);
  EXPECT_EQ(all.not_read, 20u);
}

}  // namespace
}  // namespace gpulab::teach
