#include "program_fixture.hpp"

namespace gpulab::cli {
namespace {

class ExerciseOfAnInstructor : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    EXPECT_EQ(run({"exercise", "new", "mine/times_five"}).exit_code, 0);
    std::filesystem::create_directory(folder / "learner");
  }

  ProgramRun run_as_learner(const std::vector<std::string>& words, const Environment& environment = {}) {
    working_folder = folder / "learner";
    const ProgramRun ended = run(words, environment);
    working_folder.clear();
    return ended;
  }
};

TEST_F(ExerciseOfAnInstructor, IsWrittenAsAnExampleThatPassesItsOwnCheck) {
  const ProgramRun ended = run({"exercise", "check", "mine"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "times-five · Multiply a vector by a number\n"));
  EXPECT_FALSE(contains(ended.out, "off")) << ended.out;
  expect_refusal({"exercise", "new", "mine/times_five"}, 2, "is there already");
  expect_refusal({"exercise", "new", "first_kernel"}, 2, "first-kernel is a lesson of the course");
  EXPECT_FALSE(std::filesystem::exists(folder / "first_kernel"));
  EXPECT_EQ(run({"exercise", "new", "mine/other/"}).exit_code, 0);
}

TEST_F(ExerciseOfAnInstructor, EndsWithOneIfAFileIsOffAndWithThreeIfTheReferenceDoesNotCompile) {
  std::filesystem::copy_file(folder / "mine/times_five/solution.cu", folder / "mine/times_five/starter.cu",
                             std::filesystem::copy_options::overwrite_existing);
  const ProgramRun off = run({"exercise", "check", "mine/times_five"});
  EXPECT_EQ(off.exit_code, 1);
  EXPECT_TRUE(contains(off.out, "starter.cu should fail, and passes"));
  write("mine/times_five/reference.cpp",
        "void reference(float factor, const float* X, float* Y, int size) { oops }\n");
  expect_refusal({"exercise", "check", "mine"}, 3, "mine/times_five/reference.cpp does not compile: line 1");
}

TEST_F(ExerciseOfAnInstructor, IsOffIfItsDemoIsRefused) {
  write("mine/times_five/demo.txt", "== guard\nshow: solutoin\n");
  const ProgramRun off = run({"exercise", "check", "mine/times_five"});
  EXPECT_EQ(off.exit_code, 1) << off.err;
  EXPECT_TRUE(contains(off.out, "demo.txt:2: ")) << off.out;
}

// A step with such a file would have an answer that is none of its choices.
TEST_F(ExerciseOfAnInstructor, HasNoDemoOfMistakesWhileAFileHasNoKernelToRun) {
  const std::vector<std::string> demo{"demo", "mistakes", "times-five", "--exercises", "mine", "--steps"};
  EXPECT_TRUE(contains(run(demo).out, "missing-if"));
  const auto refusal_with_change = [&](const char* file, const std::string& from, const std::string& to) {
    const std::string text = read(folder / "mine/times_five" / file);
    write(std::string("mine/times_five/") + file,
          std::string(text).replace(text.find(from), from.size(), to));
    const ProgramRun ended = run(demo);
    write(std::string("mine/times_five/") + file, text);
    EXPECT_EQ(ended.exit_code, 2) << ended.out;
    return ended.err;
  };
  for (const char* file : {"solution.cu", "mistakes/missing_if.cu"}) {
    const std::string renamed = refusal_with_change(file, "times_five(", "times_six(");
    EXPECT_TRUE(contains(renamed, "has no kernel times_five(")) << renamed;
    EXPECT_FALSE(contains(renamed, "does not compile")) << renamed;
    const std::string broken = refusal_with_change(file, "];", "]");
    EXPECT_TRUE(contains(broken, std::string(file) + " does not compile: line ")) << broken;
  }
}

TEST_F(ExerciseOfAnInstructor, IsBegunCheckedAndPassedByALearnerWhoNamesTheFolderOnce) {
  EXPECT_TRUE(contains(run_as_learner({"next", "--exercises", "../mine"}).out, "Next is times-five"));
  EXPECT_EQ(run_as_learner({"check"}).exit_code, 1);
  EXPECT_TRUE(contains(run_as_learner({"hint"}).out, "times-five, hint 1 of 3"));
  std::filesystem::copy_file(folder / "mine/times_five/solution.cu", folder / "learner/times_five.cu",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(contains(run_as_learner({"check", "--size", "7"}).out, "PASSED"));
  const ProgramRun passed = run_as_learner({"check"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_TRUE(contains(run_as_learner({"progress"}).out, "1 of 1 passed"));
  EXPECT_TRUE(contains(run_as_learner({"solution"}).out, "__global__ void times_five("));
  EXPECT_TRUE(contains(run_as_learner({"next", "--exercises", "none"}).out, "Next is first-kernel"));
  EXPECT_FALSE(contains(read(folder / "learner/gpulab-progress.txt"), "exercises:"));
}

TEST_F(ExerciseOfAnInstructor, IsNamedByTheEnvironmentToo) {
  const Environment classroom{{"GPULAB_EXERCISES", (folder / "mine").string()}};
  EXPECT_TRUE(contains(run_as_learner({"next"}, classroom).out, "Next is times-five"));
  EXPECT_TRUE(contains(run_as_learner({"next"}).out, "Next is first-kernel"));
  const ProgramRun gone = run_as_learner({"next"}, {{"GPULAB_EXERCISES", "/nowhere"}});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_EQ(gone.err, "gpulab: GPULAB_EXERCISES: there is no folder /nowhere with exercises\n");
}

TEST_F(ExerciseOfAnInstructor, IsGradedAloneOrTogetherWithThoseOfTheCourse) {
  std::filesystem::create_directories(folder / "class/ada");
  std::filesystem::create_directories(folder / "class/bea");
  std::filesystem::copy_file(folder / "mine/times_five/solution.cu", folder / "class/ada/times_five.cu");
  write("class/bea/first_kernel.cu", "\n");
  const auto matrix = [&](const std::vector<std::string>& exercises) {
    std::vector<std::string> words{"grade", "class", "--sandbox", "auto", "--format", "matrix"};
    words.insert(words.end(), exercises.begin(), exercises.end());
    const ProgramRun graded = run(words);
    EXPECT_EQ(graded.exit_code, 0) << graded.err;
    return graded.out;
  };
  EXPECT_TRUE(contains(matrix({"--exercises", "mine"}), "times-five,passed,")) << "in the heading";
  const std::string both =
      "learner,name,times-five,first-kernel,passed,points,percent\n"
      "ada,ada,1,,1,1,50\nbea,bea,,0,0,0,0\n";
  EXPECT_EQ(matrix({"--exercises", "mine,first-kernel"}), both);
  EXPECT_EQ(run({"grade", "class", "--exercises", "mine", "--write-class"}).exit_code, 0);
  EXPECT_TRUE(contains(read(folder / "class/class.toml"), "exercises_folder = \"../mine\""));
  EXPECT_EQ(matrix({}), both) << "class.toml names the folder and both exercises";
}

TEST_F(ExerciseOfAnInstructor, IsCountedInAClassWhoseFileNamesTheFolder) {
  std::filesystem::create_directory(folder / "shared");
  run_as_learner({"next", "--exercises", "../mine"});
  run_as_learner({"progress", "--share", "../shared", "--name", "Ada"});
  run_as_learner({"check"});
  const std::string unknown = run({"class", "shared"}).out;
  EXPECT_TRUE(contains(unknown, "0/24"));
  EXPECT_TRUE(contains(unknown, "1 learner at exercises that are not in use here: class.toml lists others"));
  EXPECT_TRUE(contains(run({"class", "shared", "--exercises", "mine"}).out, "0/1"));
  write("shared/class.toml", "exercises_folder = \"../mine\"\n");
  EXPECT_TRUE(contains(run({"class", "shared"}).out, "times-five"));
  write("shared/class.toml", "[exercises.first-kernel]\n[exercises.matmul]\n");
  EXPECT_TRUE(contains(run({"class", "shared"}).out, "0/2")) << "the exercises of the class";
}

TEST_F(ExerciseOfAnInstructor, GivesItsReasonToALearnerWhoMakesOneOfItsMistakes) {
  write("mine/times_five/mistakes/square.diff",
        "// because: X is multiplied by itself.\n@@\n-  if (item < size) Y[item] = factor * X[item];\n"
        "+  if (item < size) Y[item] = X[item] * X[item];\n");
  write("mine/times_five/mistakes/bad.diff", "// because: It cannot be read.\n@@\n- no such line\n+ x\n");
  run_as_learner({"next", "--exercises", "../mine"});
  std::string text = read(folder / "mine/times_five/solution.cu");
  const std::string right = "factor * X[item]", squared = "X[item]*X[item] /* mine */";
  write("learner/times_five.cu", text.replace(text.find(right), right.size(), squared));
  const std::string said = run_as_learner({"check"}).out;
  EXPECT_TRUE(contains(said, "X is multiplied by itself."));
  write("learner/times_five.cu", text.replace(text.find(squared), squared.size(), "X[item] * X[0]"));
  EXPECT_FALSE(contains(run_as_learner({"check"}).out, "X is multiplied by itself."));
}

TEST_F(ExerciseOfAnInstructor, IsShownEstimatedAndDemonstratedToo) {
  expect_refusal({"show", "times-five", "--exercises", "mine"}, 2, "times-five has not passed yet");
  EXPECT_TRUE(contains(run({"show", "times-five", "--exercises", "mine", "--anyway"}).out,
                       "__global__ void times_five("));
  EXPECT_EQ(run({"show", "times-five", "--exercises", "mine", "--anyway", "--to", "k"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "k/times_five.cu"));
  EXPECT_TRUE(contains(run({"estimate", "times-five", "--exercises", "mine"}).out, "solution"));
  const ProgramRun mistakes = run({"demo", "mistakes", "times-five", "--exercises", "mine", "--plain"});
  EXPECT_EQ(mistakes.exit_code, 0) << mistakes.err << mistakes.out;
  EXPECT_TRUE(contains(mistakes.out, "(out-of-bounds-write)"));
  EXPECT_TRUE(contains(mistakes.out, "Launched as <<<"));
  const std::string line = "@@\n-  if (item < size) Y[item] = factor * X[item];\n+  ";
  write("mine/times_five/mistakes/half.diff",
        line + "if (item < size && X[item] > 0.5f) Y[item] = factor * X[item];\n");
  write("mine/times_five/mistakes/sum.diff",
        "// expect: race-global\n" + line + "if (item < size) Y[0] += factor * X[item];\n");
  const ProgramRun more = run({"demo", "mistakes", "times-five", "--exercises", "mine", "--plain"});
  EXPECT_EQ(more.exit_code, 0) << more.err << more.out;
  EXPECT_TRUE(contains(more.out, "makes the kernel right; 7 443 of 10 007\n  unwritten"))
      << "what check says in place of a reason";
  for (const char* answer : {"IT IS: elements are missing here and there (unwritten-scattered)",
                             "IT IS: a race in global memory (race-global-index)"})
    EXPECT_TRUE(contains(more.out, answer)) << answer;
  expect_refusal({"demo", "times-five", "--exercises", "mine"}, 2, "times-five has no demo");
  write("mine/times_five/demo.txt",
        "== guard\nshow: solution\nask: Right?\nanswer: result of solution\nchoice right: yes\n"
        "  because: There is a guard.\nchoice wrong: no\n");
  const ProgramRun played =
      run({"demo", "times-five", "--exercises", "mine", "--plain", "--device", "simulator"});
  EXPECT_TRUE(contains(played.out, "IT IS: yes (right)\nThere is a guard.")) << played.err;
}

}  // namespace
}  // namespace gpulab::cli
