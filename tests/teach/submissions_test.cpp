#include "teach/submissions.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <ctime>

#include "base/error.hpp"
#include "check/folder_fixture.hpp"
#include "class_fixture.hpp"
#include "test.hpp"

namespace gpulab::teach {
namespace {

namespace fs = std::filesystem;

class Submissions : public ClassTest {
 protected:
  std::vector<Submission> found(const std::vector<std::string>& exercises = {}) const {
    return submissions_in(learners_folders({folder}), exercises);
  }
  // Returns rows such as "ada first-kernel checked first_kernel.cu".
  std::vector<std::string> rows(const std::vector<std::string>& exercises = {}) const {
    const char* const state_names[] = {"checked",    "missing", "misnamed",   "empty",
                                       "unreadable", "archive", "not checked"};
    std::vector<std::string> rows;
    for (const Submission& each : found(exercises))
      rows.push_back(each.row.learner + " " + each.row.exercise + " " +
                     state_names[static_cast<int>(each.row.state)] +
                     (each.row.file.empty() ? "" : " " + each.row.file));
    return rows;
  }
};

using check::Names;

TEST_F(Submissions, HaveARowForEachLearnerAndEachExerciseThatAnybodyHandedIn) {
  hand_in("bea/first_kernel.cu", right_first_kernel);
  hand_in("ada/week 1/streams.txt", starter("streams"));
  fs::create_directory(folder / "cai");
  EXPECT_EQ(rows(), (Names{"ada first-kernel missing", "ada streams checked week 1/streams.txt",
                           "bea first-kernel checked first_kernel.cu", "bea streams missing",
                           "cai first-kernel missing", "cai streams missing"}));
  EXPECT_EQ(rows({"streams"}),
            (Names{"ada streams checked week 1/streams.txt", "bea streams missing", "cai streams missing"}));
}

TEST_F(Submissions, AreRecognisedByTheirKernelsAndQuestionsWhereTheNameSaysNothing) {
  hand_in("ada/histogram-final (1).cu", starter("shared-histogram") + starter("first-kernel"));
  hand_in("bea/my answers.txt", starter("streams"));
  hand_in("bea/notes.txt", "I liked it.");
  EXPECT_EQ(rows({"first-kernel", "shared-histogram", "streams"}),
            (Names{"ada first-kernel checked histogram-final (1).cu",
                   "ada shared-histogram checked histogram-final (1).cu", "ada streams missing",
                   "bea first-kernel missing", "bea shared-histogram missing",
                   "bea streams checked my answers.txt"}));
  EXPECT_EQ(found().front().row.notes, Names{"recognised by its content"});
}

TEST_F(Submissions, SayWhichExerciseTheirNameIsLikeWhereItIsUnknown) {
  hand_in("ada/Histogram final.cu", "__global__ void mine() {}");
  const Submission first = found().front();
  EXPECT_EQ(first.row.state, SubmissionState::misnamed);
  EXPECT_EQ(first.row.exercise, "");
  EXPECT_TRUE(
      contains(first.row.summary, "its name is like shared-histogram, whose file is shared_histogram.cu"));
  hand_in("bea/shared_histogram.cu", starter("shared-histogram"));
  EXPECT_EQ(rows(), (Names{"ada shared-histogram misnamed Histogram final.cu",
                           "bea shared-histogram checked shared_histogram.cu"}));
}

TEST_F(Submissions, NameTheirOneKernelWhereAnotherIsAskedFor) {
  hand_in("ada/first_kernel.cu",
          "__global__ void foo(const float* A, const float* B, float* C, int size) {}");
  EXPECT_EQ(found().front().row.notes, Names{"kernel foo found where vector_add_global_index is asked for"});
  hand_in("ada/first_kernel.cu", starter("first-kernel"));
  EXPECT_EQ(found().front().row.notes, Names{});
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
  for (const Submission& each : found()) EXPECT_NE(each.row.summary, "") << each.row.file;
}

TEST_F(Submissions, AreNoSheetIfTheyAreKernelFiles) {
  hand_in("ada/exercise1.cu", "__global__ void mine() {}\n");
  hand_in("bea/coalescing.txt", std::string("a\0b", 3));
  const std::vector<Submission> all = found({"coalescing", "matmul"});
  const auto row_of = [&](const std::string& learner, const std::string& exercise) {
    return std::ranges::find_if(all,
                                [&](const Submission& each) {
                                  return each.row.learner == learner && each.row.exercise == exercise;
                                })
        ->row;
  };
  EXPECT_EQ(row_of("ada", "coalescing").notes, Names{});
  EXPECT_EQ(row_of("ada", "matmul").notes, Names{"may be in exercise1.cu"});
  EXPECT_TRUE(contains(row_of("bea", "coalescing").summary, "a file of answers is"));
  GradeResult graded;
  for (const Submission& each : all) graded.rows.push_back(each.row);
  const std::string text = grade_text(graded, {.colour = false, .width = 80});
  EXPECT_TRUE(contains(text, "ada         ?     0/2  0/2 +1?")) << text;
  EXPECT_TRUE(contains(text, "2 to look at\n")) << text << "one for each ? in the table";
}

TEST_F(Submissions, OfTheSameExerciseHaveARowEach) {
  hand_in("ada/first_kernel.cu", right_first_kernel);
  hand_in("ada/first_kernel.1.cu", starter("first-kernel"));  // kept by gpulab start --again
  hand_in("ada/copy.cu", right_first_kernel);
  EXPECT_EQ(rows(), (Names{"ada first-kernel checked copy.cu", "ada first-kernel checked first_kernel.cu"}));
  EXPECT_EQ(found().back().row.notes, Names{"1 of 2 files"});
}

TEST_F(Submissions, BeyondFortyOfALearnerAreCountedAndNotRead) {
  for (int i = 0; i < 60; ++i) hand_in("ada/" + std::to_string(i) + ".cu", right_first_kernel);
  const std::vector<Submission> all = found();
  EXPECT_EQ(all.size(), 41u);
  EXPECT_TRUE(contains(all.back().row.summary, "20 more files"));
}

TEST_F(Submissions, AreFoundInLearnersFoldersAndInTheFolderOfAClass) {
  hand_in("a/ada/first_kernel.cu", right_first_kernel);
  hand_in("b/ada/first_kernel.cu", right_first_kernel);
  const auto learners = [](const std::vector<fs::path>& folders) {
    Names names;
    for (const LearnersFolder& each : learners_folders(folders)) names.push_back(each.learner);
    return names;
  };
  EXPECT_EQ(learners({folder / "a"}), Names{"ada"});
  EXPECT_EQ(learners({folder / "a/ada/"}), Names{"ada"}) << "a folder with kernel files is one learner's";
  const Names both = learners({folder / "a/ada", folder / "b/ada"});
  EXPECT_NE(both.front(), both.back()) << "two folders of the same name";
  EXPECT_THROW(learners({folder / "a/ada/first_kernel.cu"}), UsageError);
  EXPECT_THROW(learners({folder / "none"}), UsageError);
  fs::create_directory(folder / "empty");
  EXPECT_THROW(learners({folder / "empty"}), UsageError);
}

TEST_F(Submissions, ShowNoControlCharactersOfTheirNames) {
  hand_in("esc\033[2J\n\xff/my\tfirst.cu", right_first_kernel);
  EXPECT_EQ(rows(), Names{"esc?[2J?? first-kernel checked my?first.cu"});
}

const std::string head =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) ";

// Sets the time limit of kernels in which no thread returns, for processes that are started from now on.
class KernelTimeLimit {
 public:
  explicit KernelTimeLimit(const char* seconds) { ::setenv("GPULAB_TIME_LIMIT", seconds, 1); }
  ~KernelTimeLimit() { ::unsetenv("GPULAB_TIME_LIMIT"); }
};

Submission submission(const std::string& learner, const std::string& text) {
  return {{.learner = learner,
           .exercise = "first-kernel",
           .file = "first_kernel.cu",
           .state = SubmissionState::not_checked},
          text};
}

std::vector<Submission> checked(std::vector<Submission> all, const CheckRequest& request,
                                int* calls = nullptr) {
  std::vector<Submission*> pointers;
  for (Submission& each : all) pointers.push_back(&each);
  check_submissions(pointers, request, [&](Submission&, const CheckResult*) {
    if (calls) ++*calls;
  });
  return all;
}

TEST(CheckSubmissions, JudgesHostileFilesBesideARightOne) {
  if (!sandbox::support().is_complete()) GTEST_SKIP() << "this machine cannot confine";
  const KernelTimeLimit limit("1");
  int calls = 0;
  const auto rows =
      checked({submission("endless", head + "{ for (int i = 0; i >= 0; i ^= 1) __threadfence(); }"),
               submission("forks", "extern \"C\" __device__ int fork();\n" + head + "{ for (;;) fork(); }"),
               submission("writes", "extern \"C\" __device__ long write(int, const void*, unsigned long);\n" +
                                        head + "{ for (int i = 3; i < 64; ++i) write(i, \"+passed\", 7); }"),
               submission("jumps", head + "{ ((void (*)())0x10)(); }"),
               submission("prints", head + "{ for (;;) printf(\"\\033[2J passed\\n\"); }"),
               submission("right", right_first_kernel)},
              {.jobs = 3, .time_limit_s = 60}, &calls);
  EXPECT_EQ(calls, 6);
  for (const Submission& each : rows) {
    EXPECT_EQ(each.row.state, SubmissionState::checked) << each.row.learner << ": " << each.row.summary;
    EXPECT_EQ(each.row.verdict == Verdict::right, each.row.learner == "right") << each.row.learner;
  }
  EXPECT_EQ(rows[0].row.pattern, "time-limit");
  EXPECT_EQ(rows[4].row.pattern, "too-much-output");
}

TEST(CheckSubmissions, LeaveUncheckedWhatTheSimulatorDoesNotOffer) {
  const auto rows = checked(
      {submission("kim", std::string(right_first_kernel) +
                             "__device__ float of(cudaTextureObject_t t) { return tex1D<float>(t, 0); }\n")},
      {.sandbox = sandbox::Mode::automatic, .time_limit_s = 60});
  EXPECT_EQ(rows[0].row.state, SubmissionState::not_checked);
  EXPECT_EQ(rows[0].row.pattern, "not-offered");
  EXPECT_TRUE(
      contains(grade_text({.rows = {rows[0].row}}, {}), "0 passed, 0 did not, 0 missing, 1 to look at"));
  EXPECT_TRUE(contains(matrix_csv({.rows = {rows[0].row}}), "\nkim,kim,?,"));
}

// The process is killed, as it would be after running out of memory.
TEST(CheckSubmissions, GoOnAfterAProcessThatDied) {
  const KernelTimeLimit limit("50");
  const auto rows =
      checked({submission("slow", head + "{ for (int i = 0; i >= 0; i ^= 1) __threadfence(); }"),
               submission("right", right_first_kernel)},
              {.jobs = 2, .sandbox = sandbox::Mode::automatic, .time_limit_s = 6});
  EXPECT_EQ(rows[0].row.state, SubmissionState::not_checked);
  EXPECT_TRUE(contains(rows[0].row.summary, "stopped after 6 s"));
  EXPECT_EQ(rows[1].row.state, SubmissionState::checked) << rows[1].row.summary;
  EXPECT_EQ(rows[1].row.verdict, Verdict::right);
  EXPECT_GT(rows[1].row.seconds, 0);
}

class Sharing : public check::FolderTest {
 protected:
  Sharing() : shared(folder / "class") { fs::create_directory(shared); }

  check::Progress current_progress() const { return check::ProgressFile(folder).read(); }
  // Records a check with this result.
  void check(const std::string& lesson, const std::string& pattern) const {
    check::ProgressFile(folder).change([&](check::Progress& progress) {
      progress.set(lesson, check::after_check(progress.of(lesson), pattern, pattern.empty(), check::today()));
      progress.set_last_checked(lesson);
    });
    share(current_progress());
  }
  // Returns the name of the file that the folder shares, such as "class/Ada.18a3c0ffee123456.gpulab.txt".
  std::string shared_name(const std::string& name) const {
    return "class/" + name + "." + current_progress().value_of("shared id:") + ".gpulab.txt";
  }
  std::string shared_text(const std::string& name) const { return read(shared_name(name)); }

  fs::path shared;
};

TEST_F(Sharing, ShowsWhereALearnerIsAndForHowLong) {
  const fs::path file = start_sharing(folder, shared.string(), "Ada").file;
  EXPECT_EQ(file, fs::canonical(folder) / shared_name("Ada"));
  check("first-kernel", "");
  check("shared-histogram", "race-shared");
  const std::string first = shared_text("Ada");
  check("shared-histogram", "too-few");
  const ClassResult all = class_in(shared);
  ASSERT_EQ(all.learners.size(), 1u);
  const LearnerStatus& ada = all.learners.front();
  EXPECT_EQ(ada.learner, "Ada");
  EXPECT_EQ(ada.exercise, "shared-histogram");
  EXPECT_EQ(ada.progress.checks, 2u);
  EXPECT_EQ(ada.progress.last_pattern, "too-few");
  EXPECT_EQ(ada.passed, 1u);
  EXPECT_NEAR(static_cast<double>(ada.checked), static_cast<double>(std::time(nullptr)), 60);
  const ClassResult two =
      class_in(shared, {.exercises = {{.exercise = "shared-histogram"}, {.exercise = "matmul"}}});
  EXPECT_EQ(two.exercises, 2u) << "the exercises of the class";
  EXPECT_EQ(two.learners.front().passed, 0u) << "first-kernel does not count";
  ASSERT_EQ(two.started.size(), 1u);
  EXPECT_EQ(two.started.front().exercise, "shared-histogram");
  const ClassResult other = class_in(shared, {.exercises = {{.exercise = "matmul"}}});
  EXPECT_TRUE(other.started.empty());
  EXPECT_EQ(other.learners.front().exercise, "") << "at an exercise that does not count";
  const std::string since = first.substr(first.find("since:"), 30);
  EXPECT_TRUE(contains(shared_text("Ada"), since.substr(0, since.find('\n'))))
      << "since the first of these checks";
}

TEST_F(Sharing, CountsChecksWithoutANewResultAndExercises) {
  start_sharing(folder, shared.string(), "Ada");
  check("first-kernel", "");
  check("shared-histogram", "too-few");
  check("shared-histogram", "race-shared");
  check("shared-histogram", "race-shared");
  share(current_progress());
  const ClassResult twice = class_in(shared);
  EXPECT_EQ(twice.learners.front().same_checks, 2u) << "what was shared again is not a check";
  check("shared-histogram", "race-shared");
  const LearnerStatus& ada = class_in(shared).learners.front();
  EXPECT_EQ(ada.same_checks, 3u);
  EXPECT_FALSE(ada.is_stuck()) << "all within a moment";
  const std::string text = shared_text("Ada"), mark = "that result since: ";
  const std::size_t at = text.find(mark) + mark.size();
  write(shared_name("Ada"), std::string(text).replace(at, 4, "2020"));
  const ClassResult all = class_in(shared);
  EXPECT_TRUE(all.learners.front().is_stuck());
  ASSERT_EQ(all.started.size(), 2u);
  EXPECT_EQ(all.started.front().exercise, "shared-histogram") << "where somebody is stuck";
  EXPECT_EQ(all.started.front().stuck, 1u);
  EXPECT_EQ(most_frequent_pattern(all.started.front()),
            std::pair(std::string("race-shared"), std::size_t{1}));
  EXPECT_EQ(all.started.back().passed, 1u);
  EXPECT_EQ(most_frequent_pattern(all.started.back()).first, "");
}

TEST_F(Sharing, StaysAtAnOpenExerciseWhilePassedOnesAreCheckedBesideIt) {
  start_sharing(folder, shared.string(), "Ada");
  check("first-kernel", "");
  for (int checks = 0; checks < 3; ++checks) {  // gpulab check, with both files in the folder
    check("arbitrary-size", "not-begun");
    check("first-kernel", "");
  }
  const LearnerStatus& ada = class_in(shared).learners.front();
  EXPECT_EQ(ada.exercise, "arbitrary-size");
  EXPECT_EQ(ada.same_checks, 3u);
  check("first-kernel", "wrong-index");
  EXPECT_EQ(class_in(shared).learners.front().exercise, "first-kernel") << "broken again";
}

TEST_F(Sharing, SharesNoPrivateLinesAndWords) {
  write("gpulab-progress.txt",
        "my secret: note\nfirst-kernel: started, 2 hints, 3 checks, last too-few, private words\n");
  start_sharing(folder, shared.string(), "Ada");
  const std::string text = shared_text("Ada");
  EXPECT_TRUE(contains(text, "3 checks, last too-few"));
  for (const char* part : {"secret", "private", "2 hints", "class"})
    EXPECT_FALSE(contains(text, part)) << text;
}

TEST_F(Sharing, EndsAndRemovesItsFile) {
  start_sharing(folder, shared.string(), "Ada");
  EXPECT_TRUE(stop_sharing(folder));
  EXPECT_TRUE(fs::is_empty(shared));
  check("first-kernel", "");
  EXPECT_TRUE(fs::is_empty(shared));
  EXPECT_FALSE(stop_sharing(folder));
}

TEST_F(Sharing, GivesLearnersOfOneNameARowEach) {
  const fs::path second = folder / "second";
  fs::create_directory(second);
  EXPECT_FALSE(start_sharing(folder, shared.string(), "Max").has_namesakes);
  check("first-kernel", "");
  EXPECT_TRUE(start_sharing(second, shared.string(), "Max").has_namesakes);
  check("primes", "too-few");
  EXPECT_EQ(start_sharing(folder, shared.string(), "Max").file, fs::canonical(folder) / shared_name("Max"))
      << "shared again";
  const ClassResult both = class_in(shared);
  ASSERT_EQ(both.learners.size(), 2u);
  for (const LearnerStatus& learner : both.learners)
    EXPECT_EQ(learner.exercise, learner.learner == "Max" ? "primes" : "") << learner.learner;
  EXPECT_TRUE(std::ranges::count(both.learners, "Max (2)", &LearnerStatus::learner));
  EXPECT_TRUE(stop_sharing(second));
  ASSERT_EQ(class_in(shared).learners.size(), 1u) << "ends only its own sharing";
  EXPECT_EQ(class_in(shared).learners.front().exercise, "primes");
  start_sharing(folder, shared.string(), "Moritz");
  ASSERT_EQ(class_in(shared).learners.size(), 1u) << "a new name, and not another row";
  EXPECT_EQ(class_in(shared).learners.front().learner, "Moritz");
}

TEST_F(Sharing, RefusesWhatIsNoFolderOrNoName) {
  EXPECT_THROW(start_sharing(folder, (folder / "none").string(), "Ada"), UsageError);
  for (const char* name : {"../Ada", "a:b", ".hidden", " Ada", "Ada\n", "\033[2J"})
    EXPECT_THROW(start_sharing(folder, shared.string(), name), UsageError) << name;
  EXPECT_THROW(start_sharing(folder, shared.string(), std::string(41, 'x')), UsageError);
  EXPECT_EQ(files(), check::Names{"class"}) << "nothing is remembered of it";
  start_sharing(folder, shared.string(), "Ada");
  fs::remove_all(shared);
  EXPECT_THROW(share(current_progress()), UsageError) << "a check reports it and goes on";
}

// Somebody else may have made the folder and its files.
TEST_F(Sharing, ChangesAndRemovesOnlyFilesThatItWroteItself) {
  const auto set_place = [&](const fs::path& place, const std::string& name) {
    write("gpulab-progress.txt", "shared in: " + place.string() + "\nshared as: " + name + "\n");
  };
  set_place(shared, "Ada");
  EXPECT_THROW(share(current_progress()), UsageError);
  EXPECT_TRUE(fs::is_empty(shared));
  write("class/Ada.gpulab.txt", "mine\n");
  EXPECT_THROW(share(current_progress()), UsageError);
  EXPECT_TRUE(stop_sharing(folder));
  EXPECT_EQ(read("class/Ada.gpulab.txt"), "mine\n");
  start_sharing(folder, shared.string(), "Bea");
  set_place(fs::relative(shared), "Bea");
  EXPECT_THROW(share(current_progress()), UsageError) << "a relative path depends on the working folder";
}

TEST_F(Sharing, ReadsWhatAnybodyMayHaveWritten) {
  fs::create_symlink("/etc/passwd", shared / "eve.gpulab.txt");
  fs::create_directory(shared / "folder.gpulab.txt");
  ASSERT_EQ(::mkfifo((shared / "pipe.gpulab.txt").c_str(), 0600), 0);
  write("class/notes.json", "{}");
  write("class/class.toml", "[exercises.first-kernel]\n");  // read as the rules, not as a learner's file
  write("class/large.gpulab.txt", std::string(1 << 20, 'x'));
  write("class/binary.gpulab.txt", std::string("first-kernel: passed\0", 21));
  write("class/esc\033[2J.gpulab.txt",
        "last checked: \033[2J\nsince: 9999-01-01T00:00:00Z\nlast check: yesterday\n"
        "first-kernel: passed 2026, \033[31m, 999999999 checks, last race-\033shared\n");
  write("class/later.gpulab.txt",
        "last checked: primes\nprimes: started, 1 check, last too-few\nsince: 9999-01-01T00:00:00Z\n");
  const ClassResult all = class_in(shared);
  EXPECT_EQ(all.not_read, 6u);
  ASSERT_EQ(all.learners.size(), 2u);
  EXPECT_EQ(all.learners[0].learner, "later");
  EXPECT_EQ(all.learners[0].since, all.now) << "nobody has begun in the future";
  EXPECT_EQ(all.learners[1].learner, "esc?[2J");
  EXPECT_EQ(all.learners[1].exercise, "");
  EXPECT_EQ(all.learners[1].progress.last_pattern, "");
}

TEST_F(Sharing, ReadsFiveHundredLearnersAndCountsTheRest) {
  for (int i = 0; i < 520; ++i) write("class/" + std::to_string(i) + ".gpulab.txt", "last checked: primes\n");
  const ClassResult all = class_in(shared);
  EXPECT_EQ(all.learners.size(), 500u);
  EXPECT_EQ(all.not_read, 20u);
}

}  // namespace
}  // namespace gpulab::teach
