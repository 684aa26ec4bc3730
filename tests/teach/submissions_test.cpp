#include "teach/submissions.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "class_fixture.hpp"
#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

namespace fs = std::filesystem;

class Submissions : public ClassTest {
 protected:
  std::vector<Submission> found(const std::vector<std::string>& exercises = {}) const {
    return submissions_in(learners_folders({folder}), exercises);
  }
  // "ada first-kernel checked first_kernel.cu", with the handed in as a number
  std::vector<std::string> rows(const std::vector<std::string>& exercises = {}) const {
    const char* const handed[] = {"checked",    "missing", "misnamed",   "empty",
                                  "unreadable", "archive", "not checked"};
    std::vector<std::string> rows;
    for (const Submission& one : found(exercises))
      rows.push_back(one.row.learner + " " + one.row.exercise + " " +
                     handed[static_cast<int>(one.row.handed)] +
                     (one.row.file.empty() ? "" : " " + one.row.file));
    return rows;
  }
};

using check::Names;

TEST_F(Submissions, AreARowForEachLearnerAndExerciseThatAnybodyHandedIn) {
  hand_in("bea/first_kernel.cu", right_first_kernel);
  hand_in("ada/week 1/streams.txt", starter("streams"));
  fs::create_directory(folder / "cai");
  EXPECT_EQ(rows(), (Names{"ada first-kernel missing", "ada streams checked week 1/streams.txt",
                           "bea first-kernel checked first_kernel.cu", "bea streams missing",
                           "cai first-kernel missing", "cai streams missing"}));
  EXPECT_EQ(rows({"streams"}),
            (Names{"ada streams checked week 1/streams.txt", "bea streams missing", "cai streams missing"}));
}

TEST_F(Submissions, AreToldByTheirKernelsAndQuestionsWhereTheNameSaysNothing) {
  hand_in("ada/histogram-final (1).cu", starter("shared-histogram") + starter("first-kernel"));
  hand_in("bea/my answers.txt", starter("streams"));
  hand_in("bea/notes.txt", "I liked it.");
  EXPECT_EQ(rows({"first-kernel", "shared-histogram", "streams"}),
            (Names{"ada first-kernel checked histogram-final (1).cu",
                   "ada shared-histogram checked histogram-final (1).cu", "ada streams missing",
                   "bea first-kernel missing", "bea shared-histogram missing",
                   "bea streams checked my answers.txt"}));
  EXPECT_EQ(found().front().row.notes, Names{"told by what is in it"});
}

TEST_F(Submissions, OfWhichNobodyCanTellTheExerciseAskForIt) {
  hand_in("ada/Histogram final.cu", "__global__ void mine() {}");
  const Submission one = found().front();
  EXPECT_EQ(one.row.handed, Handed::misnamed);
  EXPECT_EQ(one.row.exercise, "");
  EXPECT_TRUE(contains(one.row.summary, "its name is like shared-histogram")) << one.row.summary;
}

TEST_F(Submissions, ThatCannotBeCheckedAreRowsWithAReason) {
  hand_in("ada/first_kernel.cu", "  // nothing yet\n");
  hand_in("ada/primes.cu", std::string("\x7f"
                                       "ELF\0",
                                       5));
  hand_in("ada/reduction.cu", std::string((1 << 20) + 1, 'x'));
  hand_in("ada/work.zip", "PK");
  fs::create_symlink("/etc/passwd", folder / "ada/matmul.cu");
  fs::create_directory_symlink("/etc", folder / "eve");
  ASSERT_EQ(::mkfifo((folder / "ada/registers.cu").c_str(), 0600), 0);
  hand_in("dan.tar.gz", "");
  EXPECT_EQ(rows(), (Names{"ada first-kernel empty first_kernel.cu", "ada primes unreadable primes.cu",
                           "ada registers unreadable registers.cu", "ada reduction unreadable reduction.cu",
                           "ada matmul unreadable matmul.cu", "ada  archive work.zip",
                           "dan.tar  archive dan.tar.gz", "eve  unreadable eve"}));
  for (const Submission& one : found()) EXPECT_NE(one.row.summary, "") << one.row.file;
}

TEST_F(Submissions, OfOneExerciseTwiceAreBothThere) {
  hand_in("ada/first_kernel.cu", right_first_kernel);
  hand_in("ada/first_kernel.1.cu", starter("first-kernel"));  // which gpulab reset has kept
  hand_in("ada/copy.cu", right_first_kernel);
  EXPECT_EQ(rows(), (Names{"ada first-kernel checked copy.cu", "ada first-kernel checked first_kernel.cu"}));
  EXPECT_EQ(found().back().row.notes, Names{"1 of 2 files"});
}

TEST_F(Submissions, OfAFloodAreCountedAndNotRead) {
  for (int i = 0; i < 60; ++i) hand_in("ada/" + std::to_string(i) + ".cu", right_first_kernel);
  const std::vector<Submission> all = found();
  EXPECT_EQ(all.size(), 41u);
  EXPECT_TRUE(contains(all.back().row.summary, "20 more files")) << all.back().row.summary;
}

TEST_F(Submissions, AreInFoldersNamedOneByOneOrInTheOneAroundThem) {
  hand_in("a/ada/first_kernel.cu", right_first_kernel);
  hand_in("b/ada/first_kernel.cu", right_first_kernel);
  const auto learners = [](const std::vector<fs::path>& folders) {
    Names names;
    for (const LearnersFolder& one : learners_folders(folders)) names.push_back(one.learner);
    return names;
  };
  EXPECT_EQ(learners({folder / "a"}), Names{"ada"});
  EXPECT_EQ(learners({folder / "a/ada/"}), Names{"ada"})
      << "with kernel files of its own it is one learner's";
  const Names both = learners({folder / "a/ada", folder / "b/ada"});
  EXPECT_NE(both.front(), both.back()) << "two of the same name";
  EXPECT_THROW(learners({folder / "a/ada/first_kernel.cu"}), UsageError);
  EXPECT_THROW(learners({folder / "none"}), UsageError);
  fs::create_directory(folder / "empty");
  EXPECT_THROW(learners({folder / "empty"}), UsageError);
}

TEST_F(Submissions, ShowNoControlCharactersOfTheirNames) {
  hand_in("esc\033[2J\n\xff/my\tfirst.cu", right_first_kernel);
  EXPECT_EQ(rows(), Names{"esc?[2J?? first-kernel checked my?first.cu"});
}

}  // namespace
}  // namespace gpulab::teach
