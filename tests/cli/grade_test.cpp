#include "terminal_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

const std::string head =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {";
const std::string right = head +
                          " const int item = blockIdx.x * blockDim.x + threadIdx.x;"
                          " if (item < size) C[item] = A[item] + B[item]; }\n";

// A class of two in class/, a folder that gpulab does not write to.
class Grade : public TerminalTest {
 protected:
  void SetUp() override {
    TerminalTest::SetUp();
    hand_in("ada", right);
    hand_in("bea", head + " syntax error\n");
  }
  void hand_in(const std::string& learner, const std::string& text) const {
    fs::create_directories(folder / "class" / learner);
    write("class/" + learner + "/first_kernel.cu", text);
  }
  ProgramRun graded(std::vector<std::string> words) const {
    words.insert(words.begin(), {"grade", "class", "--sandbox", "auto"});
    return run(words);
  }
};

TEST_F(Grade, WritesATableADocumentAndFeedbackForLearners) {
  const ProgramRun run = graded({"--output", "g.json", "--output", "g.csv", "--feedback", "for them"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "2 learners, 1 exercise: 1 passed, 1 did not, 0 missing\n"));
  EXPECT_TRUE(contains(read(folder / "g.csv"), "bea,first-kernel,does_not_compile,unknown-name,1,"));
  EXPECT_TRUE(contains(read(folder / "g.json"), "\"complete\": true"));
  EXPECT_TRUE(contains(read(folder / "for them/ada.txt"), "ada: 1 of 1 passed"));
  EXPECT_EQ(
      std::distance(fs::recursive_directory_iterator(folder / "class"), fs::recursive_directory_iterator()),
      4)
      << "what was handed in, and nothing else";
}

TEST_F(Grade, ChecksAgainWhatHasChanged) {
  graded({"--output", "g.json"});
  hand_in("bea", right);
  hand_in("cai", right);
  const ProgramRun again = graded({"--output", "g.json"});
  EXPECT_TRUE(contains(again.err, "1 of 3 files are unchanged since their check; 2 to check")) << again.err;
  EXPECT_TRUE(contains(again.out, "3 passed, 0 did not"));
  const ProgramRun third = graded({"--output", "g.json", "--format", "csv"});
  EXPECT_TRUE(contains(third.err, "3 of 3 files"));
  EXPECT_TRUE(contains(third.out, "cai,first-kernel,passed"));
}

TEST_F(Grade, KeepsTheRemarksOnAnUnchangedFile) {
  hand_in("cai", head +
                     " const int item = blockIdx.x * 1024 + threadIdx.x;"
                     " if (item < size) C[item] = A[item] + B[item]; }\n");
  const ProgramRun first = graded({"--output", "g.json", "--format", "csv"});
  EXPECT_TRUE(contains(first.out, "right, and yet only in blocks of 1024 threads")) << first.out;
  const ProgramRun again = graded({"--output", "g.json", "--format", "csv"});
  EXPECT_TRUE(contains(again.err, "3 of 3 files are unchanged")) << again.err;
  EXPECT_EQ(again.out, first.out);
}

TEST_F(Grade, ChecksAgainWhereAnExerciseOfOnesOwnHasChanged) {
  ASSERT_EQ(run({"exercise", "new", "ex/fives"}).exit_code, 0);
  fs::create_directories(folder / "class" / "cai");
  fs::copy_file(folder / "ex/fives/solution.cu", folder / "class/cai/fives.cu");
  const std::vector<std::string> words{"--exercises", "ex", "--output", "g.json"};
  EXPECT_TRUE(contains(graded(words).out, "1 passed"));
  EXPECT_TRUE(contains(graded(words).err, "1 of 1 files are unchanged"));
  write("ex/fives/reference.cpp", "// Another one.\n" + read(folder / "ex/fives/reference.cpp"));
  EXPECT_FALSE(contains(graded(words).err, "unchanged"));
}

TEST_F(Grade, GivesTheReasonOfAnInstructorsMistakeAsAHint) {
  ASSERT_EQ(run({"exercise", "new", "ex/fives"}).exit_code, 0);
  const std::string starter = read(folder / "ex/fives/starter.cu");
  for (const char* made : {"class/cai", "ex/fives/mistakes"}) fs::create_directories(folder / made);
  write("ex/fives/mistakes/mine.cu", "// because: My own reason.\n" + starter + "\n__device__ int two;\n");
  write("class/cai/fives.cu", starter + "\n__device__ int two;\n");
  graded({"--exercises", "ex", "--feedback", "told"});
  const std::string told = read(folder / "told/cai.txt");
  EXPECT_TRUE(contains(told, "hint: My own reason.")) << told;
}

TEST_F(Grade, GivesAnEmptyFolderNoPointsAndSaysInWhichEncodingAFileShouldBe) {
  fs::create_directories(folder / "gus");
  const ProgramRun empty =
      run({"grade", "gus", "--exercises", "first-kernel", "--format", "gradescope", "--sandbox", "auto"});
  EXPECT_EQ(empty.exit_code, 0) << empty.err;
  EXPECT_TRUE(contains(empty.out, "\"score\": 0.0")) << empty.out;
  hand_in("bea", std::string("\xFF\xFEx\0", 4));
  hand_in("ada", "");
  const ProgramRun run = graded({});
  EXPECT_TRUE(contains(run.out, "UTF-16; save it as UTF-8")) << run.out;
  EXPECT_TRUE(contains(run.out, "0 passed, 1 did not, 0 missing, 1 to look at")) << run.out;
}

TEST_F(Grade, DrawsFromASeedThatItsDocumentKeeps) {
  const auto seed_in = [&](const std::string& file) {
    const std::string text = read(folder / file), key = "\"seed\": ";
    return std::stoull(text.substr(text.find(key) + key.size()));
  };
  graded({"--output", "one.json"});
  graded({"--output", "two.json"});
  const auto first = seed_in("one.json");
  EXPECT_NE(first, seed_in("two.json"));
  hand_in("bea", right);
  graded({"--output", "one.json"});
  EXPECT_EQ(seed_in("one.json"), first);
  const ProgramRun again = graded({"--output", "one.json", "--seed", "7"});
  EXPECT_EQ(seed_in("one.json"), 7u);
  EXPECT_FALSE(contains(again.err, "unchanged")) << "they were checked with another seed";
}

TEST_F(Grade, WritesAClassFileAndGradesByIt) {
  fs::create_directories(folder / "class" / "dai");
  const ProgramRun wrote = run({"grade", "class", "--write-class"});
  EXPECT_EQ(wrote.out, "wrote class/class.toml; edit it, then grade\n");
  expect_refusal({"grade", "class", "--write-class"}, 2, "class/class.toml already exists");
  std::string rules = read(folder / "class" / "class.toml");
  EXPECT_TRUE(contains(rules, "[exercises.\"first-kernel\"]\npoints = 1\n"));
  write("class/class.toml",
        "late = 0.5\n[exercises.first-kernel]\npoints = 4\ndeadline = 2026-12-01T23:59:00+01:00\n"
        "[exercises.primes]\n[learners]\nada = \"王小明\"\nzoe = \"Zoe\"\n");
  const auto save_days_late = [&](const std::string& learner, int days) {
    const auto deadline = std::chrono::sys_seconds(std::chrono::seconds(1'796'165'940));  // as in class.toml
    fs::last_write_time(folder / "class" / learner / "first_kernel.cu",
                        std::chrono::file_clock::from_sys(deadline + std::chrono::days(days)));
  };
  save_days_late("ada", -1);
  hand_in("bea", right);
  save_days_late("bea", 1);
  const ProgramRun graded_run =
      graded({"--output", "g.json", "--output", "m.matrix.csv", "--output", "g.html", "--output", "g.xml"});
  EXPECT_EQ(graded_run.exit_code, 0) << graded_run.err;
  EXPECT_EQ(read(folder / "m.matrix.csv"),
            "learner,name,first-kernel,primes,passed,points,percent\n"
            "ada,王小明,4,,1,4,80\nbea,bea,2,,1,2,40\ndai,dai,,,0,0,0\nzoe,Zoe,,,0,0,0\n");
  EXPECT_TRUE(contains(graded_run.out, "王小明   +        1/2     4/5  80 %\n")) << graded_run.out;
  EXPECT_TRUE(contains(graded_run.out, "bea      L        1/2     2/5  40 %\n")) << graded_run.out;
  EXPECT_TRUE(contains(graded_run.out, "first_kernel.cu: saved 2026-12-0")) << graded_run.out;
  EXPECT_TRUE(contains(read(folder / "g.html"), "王小明"));
  EXPECT_TRUE(contains(read(folder / "g.xml"), "<testsuites name=\"gpulab grade\" tests="));
  save_days_late("bea", 20'000);
  const std::string future = graded({"--output", "g.json"}).out;
  EXPECT_TRUE(contains(future, "saved 2081-")) << future;
  EXPECT_TRUE(contains(future, "(late), which")) << future;
  save_days_late("bea", -1);
  EXPECT_TRUE(contains(graded({"--output", "g.json"}).out, "bea      +        1/2     4/5  80 %\n"))
      << "the time has changed, though the text has not";
  const ProgramRun scores = run(
      {"grade", "class/ada", "--class", "class/class.toml", "--format", "gradescope", "--sandbox", "auto"});
  EXPECT_TRUE(contains(scores.out, "\"score\": 4.0")) << scores.out << scores.err;
  const ProgramRun both =
      run({"grade", "class/ada", "class/bea", "class/class.toml", "--format", "csv", "--sandbox", "auto"});
  EXPECT_TRUE(contains(both.out, "王小明")) << both.out << both.err;
}

TEST_F(Grade, TakesAFolderWithAClassFileForAClassThoughAKernelFileLiesInIt) {
  write("class/loose.cu", right);
  const ProgramRun as_one = graded({});
  EXPECT_TRUE(contains(as_one.err, "because of class/loose.cu, class counts as one learner's folder"))
      << as_one.err;
  EXPECT_TRUE(contains(as_one.out, "1 learner, ")) << as_one.out;
  hand_in("zoe", right);
  expect_refusal({"grade", "class"}, 2, "because of class/loose.cu, class counts as one learner's folder");
  fs::remove_all(folder / "class" / "zoe");
  write("class/class.toml", "late = 0\n");
  const ProgramRun as_class = graded({});
  EXPECT_TRUE(contains(as_class.out, "2 learners, ")) << as_class.out;
  EXPECT_TRUE(contains(as_class.err, "class/loose.cu is not in a learner's folder, so not graded"))
      << as_class.err;
}

TEST_F(Grade, GivesALearnerADeadlineOfTheirOwn) {
  const std::string rules =
      "[exercises.first-kernel]\ndeadline = 2026-01-01\nlate = 0.5\ndeadlines = { ada = 2100-01-01 }\n";
  write("class/class.toml", rules);
  hand_in("bea", right);
  EXPECT_TRUE(contains(graded({}).out, "ada      +     1/1     1/1  100 %\n"));
  EXPECT_TRUE(contains(graded({}).out, "bea      L     1/1   0.5/1   50 %\n"));
  write("class/class.toml", rules + "[exercises.primes]\ndeadlines = { adda = 2100-01-01 }\n");
  const ProgramRun mistyped = graded({});
  EXPECT_TRUE(contains(mistyped.out, "ada      +        1/2     1/2  50 %\n")) << mistyped.out;
  EXPECT_TRUE(contains(mistyped.err, "line 6: primes has a deadline for 'adda', and there is no such folder"))
      << mistyped.err;
}

TEST_F(Grade, RefusesABadClassFileAndTrustsNoneOfALearner) {
  write("class/class.toml", "[exercises.first-kernel]\npoints = many\n");
  expect_refusal({"grade", "class"}, 2, "class/class.toml, line 2: this is not TOML: ");
  expect_refusal({"grade", "class", "--class", "none.toml"}, 2, "none.toml");
  expect_refusal({"grade", "class/ada", "--write-class"}, 2, "--write-class needs --class FILE");
  fs::remove(folder / "class" / "class.toml");
  expect_refusal({"grade", "class", "--format", "gradescope"}, 2, "results are for one learner");
  write("class/ada/class.toml", "[exercises.first-kernel]\npoints = 100\n");
  const ProgramRun own = run({"grade", "class/ada", "--sandbox", "auto", "--format", "matrix"});
  EXPECT_TRUE(contains(own.out, "ada,ada,1,1,1,100\n")) << own.out << own.err;
}

TEST_F(Grade, GoesOnAfterItWasStopped) {
  hand_in("zoe", head + " for (int i = 0; i >= 0; i ^= 1) __threadfence(); }");
  const auto start_and_wait_for = [&](const char* begin) {
    open({"grade", "class", "--sandbox", "auto", "--jobs", "1", "--output", "g.json"},
         {{"TERM", "xterm"}, {"GPULAB_TIME_LIMIT", "50"}});
    until(begin);
    for (int waited = 0; waited < 100 && !fs::exists(folder / "g.json"); ++waited) ::usleep(20'000);
  };
  start_and_wait_for("2 of 3, about");
  signal(SIGINT);
  until("interrupted by SIGINT after 2 of 3 checks; the same command goes on from g.json");
  EXPECT_EQ(wait_for_exit(), 128 + SIGINT);
  start_and_wait_for("2 of 3 files are unchanged");
  signal(SIGKILL);
  EXPECT_EQ(wait_for_exit(), -SIGKILL);
  hand_in("zoe", right);
  const ProgramRun again = graded({"--output", "g.json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "2 passed, 1 did not"));
}

TEST_F(Grade, RefusesWhatItCannotDoInOneSentence) {
  expect_refusal({"grade"}, 2, "folder");
  expect_refusal({"grade", "none"}, 2, "none is not a folder");
  expect_refusal({"grade", "class", "--jobs", "0"}, 2, "--jobs 0 would check nothing");
  expect_refusal({"grade", "class", "--exercises", "histogramm"}, 2, "did you mean");
  expect_refusal({"grade", "class", "--output", "g.txt"}, 2, "ends in none of .json, .csv");
  expect_refusal({"grade", "class", "--output", "class/ada/g.json"}, 2, "where nothing is written");
  expect_refusal({"grade", "class", "--feedback", "class/feedback"}, 2, "where nothing is written");
  write("other.json", "{\"mine\": 1}");
  expect_refusal({"grade", "class", "--output", "other.json"}, 2, "is not a document of gpulab grade");
  EXPECT_EQ(read(folder / "other.json"), "{\"mine\": 1}");
  expect_refusal({"grade", "class", "--feedback", "other.json"}, 2, "--feedback other.json is not a folder");
  fs::create_symlink("loop", folder / "loop");
  expect_refusal({"grade", "loop"}, 2, "loop is not a folder");
  expect_refusal({"grade", "class", "--feedback", "loop/x"}, 2, "symbolic links");
  expect_refusal({"grade", "class", "--output", "loop/g.json"}, 2, "symbolic links");
}

TEST_F(Grade, GivesEachFolderAFileOfItsOwnWhateverItsName) {
  fs::remove_all(folder / "class");
  const std::string longest(250, 'x');
  for (const std::string& name :
       {std::string("x\1"), std::string("x\2"), std::string("x?-2"), longest, longest.substr(1)})
    hand_in(name, "");
  const ProgramRun run = graded({"--feedback", "for them"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "for them"), fs::directory_iterator()), 5);
}

TEST_F(Grade, WritesNothingWhereLinksLeadThatAppearMeanwhile) {
  hand_in("zoe", head + " for (int i = 0; i >= 0; i ^= 1) __threadfence(); }");
  fs::create_directory(folder / "theirs");
  fs::create_directory(folder / "feedback");
  open({"grade", "class", "--sandbox", "auto", "--jobs", "1", "--feedback", "feedback"},
       {{"TERM", "xterm"}, {"GPULAB_TIME_LIMIT", "5"}});
  until("2 of 3, about");
  fs::rename(folder / "feedback", folder / "was-feedback");
  fs::create_directory_symlink("theirs", folder / "feedback");
  until_the_end();
  EXPECT_TRUE(fs::is_empty(folder / "theirs"));
  EXPECT_TRUE(fs::exists(folder / "was-feedback" / "ada.txt"));
}

class Class : public TerminalTest {
 protected:
  void SetUp() override {
    TerminalTest::SetUp();
    fs::create_directory(folder / "shared");
    write("first_kernel.cu", "");
  }
  ProgramRun check() const { return run({"check", "--device", "simulator"}); }
};

TEST_F(Class, SeesTheChecksOfThoseWhoShareThem) {
  const ProgramRun begun = run({"progress", "--share", "shared", "--name", "Ada"});
  EXPECT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_TRUE(contains(begun.out, "shared/Ada."));
  check();
  const ProgramRun seen = run({"class", "shared"});
  EXPECT_TRUE(contains(seen.out, "1 learner, 0 stuck")) << "one check is not a sign of it";
  EXPECT_TRUE(contains(seen.out, "first-kernel      1       0         missing-kernel (1)")) << seen.out;
  EXPECT_TRUE(contains(run({"class", "shared", "--format", "json"}).out, "\"learner\": \"Ada\""));
}

TEST_F(Class, IsDrawnAnewAtEachCheckUntilQIsPressed) {
  run({"progress", "--share", "shared", "--name", "Ada"});
  open({"class", "shared"}, no_colour, 80);
  until("Ada");
  check();
  until("missing-kernel (1)");
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
  EXPECT_TRUE(is_in_canonical_mode());
}

TEST_F(Class, ThatIsGoneFailsNoCheck) {
  run({"progress", "--share", "shared", "--name", "Ada"});
  write("first_kernel.cu", "");
  fs::remove_all(folder / "shared");
  const ProgramRun checked = check();
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_TRUE(contains(checked.out, "NO SUCH KERNEL"));
  EXPECT_TRUE(contains(checked.err, "the class does not see this check"));
  EXPECT_EQ(std::count(checked.err.begin(), checked.err.end(), '\n'), 1) << checked.err;
  EXPECT_EQ(run({"progress", "--share", "none"}).exit_code, 0);
  EXPECT_EQ(check().err, "");
  expect_refusal({"class", "shared"}, 2, "cannot read shared");
  expect_refusal({"progress", "--name", "Ada"}, 2, "--share");
}

}  // namespace
}  // namespace gpulab::cli
