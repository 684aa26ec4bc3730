#include <sys/wait.h>

#include "check/files.hpp"
#include "lesson/lesson.hpp"
#include "program_fixture.hpp"
#include "sandbox/sandbox.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

const std::string unfinished_kernel = "__global__ void vector_add_global_index(";

class ExerciseCommands : public ProgramTest {
 protected:
  void solve(const std::string& lesson, const std::string& file) const {
    write(file, printed({"solution", lesson, "--anyway"}));
  }
  std::string progress() const { return read(folder / "gpulab-progress.txt"); }
};

TEST_F(ExerciseCommands, StartWritesTheStarterOnce) {
  const std::string out = printed({"start", "first-kernel"});
  EXPECT_TRUE(out.ends_with("\n  gpulab check first_kernel.cu\n")) << out;
  EXPECT_TRUE(contains(read(folder / "first_kernel.cu"), "__global__"));
  EXPECT_TRUE(contains(progress(), "first-kernel: started, 0 hints, 0 checks\n"));
  write("first_kernel.cu", "mine");
  expect_refusal({"start", "first-kernel"}, 2, "first_kernel.cu already exists");
  EXPECT_EQ(read(folder / "first_kernel.cu"), "mine");
}

TEST_F(ExerciseCommands, StartTakesSeveralExercises) {
  printed({"start", "primes"});
  const std::string out = printed({"start", "first-kernel", "primes", "reduction.cu"});
  EXPECT_TRUE(contains(out, "wrote first_kernel.cu\n") && contains(out, "wrote reduction.cu\n")) << out;
  EXPECT_FALSE(contains(out, "primes")) << "it already existed";
  EXPECT_TRUE(
      contains(printed({"start", "--again", "primes", "reduction"}), "reduction.cu is the starter again.\n"));
  expect_refusal({"start", "matmul", "no-such"}, 2, "no-such");
  EXPECT_FALSE(std::filesystem::exists(folder / "matmul.cu")) << "nothing is written if a name is wrong";
}

TEST_F(ExerciseCommands, StartWritesOneWholeFileWhenItRunsTwiceAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(start({"start", "first-kernel"}));
  int succeeded = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++succeeded;
  }
  EXPECT_EQ(succeeded, 1);
  EXPECT_EQ(read(folder / "first_kernel.cu"), all_exercises().front().starter);
  EXPECT_EQ(files().size(), 2u) << "the starter and the progress";
}

TEST_F(ExerciseCommands, StartAgainAllResetsEveryExerciseAndKeepsCopies) {
  write("first_kernel.cu", "mine");
  write("transfers.txt", "mine too");
  write("other.cu", "not an exercise");
  write("gpulab-progress.txt", "first-kernel: passed 2026-11-21, 0 hints, 2 checks\n");
  const std::string out = printed({"start", "--again", "--all"});
  EXPECT_EQ(read(folder / "first_kernel.cu"), all_exercises().front().starter);
  EXPECT_EQ(read(folder / "first_kernel.1.cu"), "mine");
  EXPECT_EQ(read(folder / "transfers.1.txt"), "mine too");
  EXPECT_EQ(read(folder / "other.cu"), "not an exercise");
  EXPECT_TRUE(contains(out, "transfers.txt is the starter again.\nYour version is now transfers.1.txt.\n"));
  EXPECT_TRUE(contains(progress(), "first-kernel: passed 2026-11-21"));
  std::filesystem::remove(folder / "primes.cu");
  EXPECT_TRUE(printed({"start", "--again", "primes"}).starts_with("wrote primes.cu\n"))
      << "nothing was there";
  const std::string before = progress();
  EXPECT_TRUE(contains(printed({"start", "--all"}), "wrote matmul.cu\n"));
  EXPECT_TRUE(std::filesystem::exists(folder / "streams.txt") &&
              std::filesystem::exists(folder / "streams.cu"));
  EXPECT_EQ(progress(), before) << "no exercise is started";
  expect_refusal({"start", "--all"}, 2, "every exercise has a file here already");
  expect_refusal({"start", "primes", "--again", "--all"}, 2, "leave the name out");
}

TEST_F(ExerciseCommands, SuggestTheNearestName) {
  for (const char* command : {"start", "hint", "solution", "diff", "check", "watch"}) {
    expect_refusal({command, "first-kernal"}, 2, "did you mean 'first-kernel'?");
    expect_refusal({command, "radio-astronomy"}, 2, "radio-astronomy has no exercise");
  }
  expect_refusal({"start", "--again"}, 2, "--again needs an exercise");
  const std::string listed = printed({"start"});
  EXPECT_TRUE(contains(listed, "first-kernel") && contains(listed, "gpulab start EXERCISE")) << listed;
}

TEST_F(ExerciseCommands, TakeTheExerciseThatWasCheckedLast) {
  EXPECT_TRUE(contains(printed({"hint"}), "first-kernel, hint 1 of 3"))
      << "nothing was checked, so it is the first";
  write("gpulab-progress.txt",
        "first-kernel: started, 0 hints, 1 check, last only-one-element\n"
        "primes: started, 0 hints, 1 check, last wrong-values\n"
        "last checked: primes\n");
  EXPECT_TRUE(contains(printed({"hint"}), "primes, hint 1 of 3"));
  expect_refusal({"diff"}, 2, "there is no primes.cu");
  expect_refusal({"solution"}, 2, "primes has not passed yet");
  write("gpulab-progress.txt", "primes: passed, 0 hints, 1 check\nlast checked: primes\n");
  EXPECT_TRUE(contains(printed({"solution"}), "primes_from_two"));
  EXPECT_EQ(
      printed({"hint"}),
      "primes has passed. gpulab next begins first-kernel, and gpulab hint first-kernel gives a hint for it.\n");
  printed({"start", "portability"});
  EXPECT_TRUE(printed({"hint"}).starts_with(
      "primes has passed. This is a hint for portability:\n\nportability, hint 1 of 3"))
      << "the one whose file is here";
  printed({"start", "divergence"});
  std::filesystem::last_write_time(
      folder / "divergence.cu",
      std::filesystem::last_write_time(folder / "portability.cu") - std::chrono::hours(1));
  EXPECT_TRUE(contains(printed({"hint"}), "portability, hint 2 of 3")) << "the one that was saved last";
}

TEST_F(ExerciseCommands, CheckSaysThatAFileOfAnotherNameDoesNotCount) {
  solve("first-kernel", "first_kernel.cu");
  std::filesystem::rename(folder / "first_kernel.cu", folder / "mine.cu");
  const std::string note = "the file is not called first_kernel.cu, so the exercise does not count as passed";
  const ProgramRun passed = run({"check", "mine.cu", "--exercise", "first-kernel", "--device", "simulator"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out;
  EXPECT_TRUE(contains(passed.out, note));
  EXPECT_FALSE(contains(progress(), "passed")) << progress();
  std::filesystem::rename(folder / "mine.cu", folder / "first_kernel.cu");
  EXPECT_FALSE(contains(printed({"check", "first_kernel.cu", "--device", "simulator"}), note));
}

TEST_F(ExerciseCommands, CheckSaysInWhichWarpsAKernelIsRight) {
  std::string right = source_text("exercises/portability/starter.cu");
  const auto edited = [&](const std::string& text, const std::string& old, const std::string& correction) {
    return std::string(text).replace(text.find(old), old.size(), correction);
  };
  right = edited(edited(right, "0xffffffff", "~decltype(__activemask()){0}"), "offset = 16",
                 "offset = warpSize / 2");
  right = edited(edited(right, "threadIdx.x % 32", "threadIdx.x % warpSize"), "threadIdx.x / 32",
                 "threadIdx.x / warpSize");
  for (const auto& [warps, said] : {std::pair{"4", "right in warps of 64 lanes, wrong in warps of 32: "},
                                    {"8", "right in warps of 32 lanes, wrong in warps of 64: "},
                                    {"256 / warpSize", "PASSED"},
                                    {"3", "wrong from 97 on"}}) {
    write("portability.cu", edited(right, "warp < 8", std::string("warp < ") + warps));
    const ProgramRun ran = run({"check", "portability.cu", "--device", "simulator"});
    EXPECT_TRUE(contains(ran.out, said));
    EXPECT_EQ(contains(ran.out, "right in warps"), std::string(said).starts_with("right")) << ran.out;
  }
}

TEST_F(ExerciseCommands, CheckPrintsOneLineForEachThatPassed) {
  solve("first-kernel", "first_kernel.cu");
  solve("vector-multiply", "vector_multiply.cu");
  printed({"start", "primes"});
  const ProgramRun ended = run({"check", "--device", "simulator"});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_TRUE(
      ended.out.starts_with("PASSED  first-kernel · first_kernel.cu\n"
                            "PASSED  vector-multiply · vector_multiply.cu\n\n"
                            "WRONG  primes · primes.cu · not-begun\n"))
      << ended.out;
  EXPECT_TRUE(contains(ended.out, "\n2 of 3 passed, the first that has not: gpulab check primes.cu\n"));
  EXPECT_TRUE(contains(progress(), "\nlast checked: primes\n"));
}

TEST_F(ExerciseCommands, SayHowToStartWhereThereIsNothing) {
  for (const char* command : {"check", "watch"}) {
    expect_refusal({command}, 2, "gpulab next writes the first one");
    expect_refusal({command, "first-kernel"}, 2, "there is no first_kernel.cu; gpulab start first-kernel");
    expect_refusal({command, "nowhere/first_kernel.cu"}, 2, "there is no nowhere/first_kernel.cu");
  }
  expect_refusal({"diff", "first-kernel"}, 2, "there is no first_kernel.cu");
  expect_refusal({"check", "--format", "jsn"}, 2, "json");
  expect_refusal({"check", "--device", "gpu"}, 2, "simulator");
}

TEST_F(ExerciseCommands, CheckRefusesAStarterAndRemembersIt) {
  printed({"start", "first-kernel"});
  const ProgramRun ended = run({"check", "--device", "simulator"});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("WRONG  first-kernel · first_kernel.cu · only-one-element\n"))
      << ended.out;
  EXPECT_TRUE(ended.out.ends_with("gpulab check first_kernel.cu --verbose\n")) << ended.out;
  EXPECT_TRUE(contains(progress(), "first-kernel: started, 0 hints, 1 check, last "));
}

TEST_F(ExerciseCommands, CheckKnowsAStarterWithTheLineEndsOfWindows) {
  std::string starter = all_exercises().front().starter;
  for (std::size_t at = 0; (at = starter.find('\n', at)) != std::string::npos; at += 2)
    starter.insert(at, "\r");
  write("first_kernel.cu", starter);
  EXPECT_TRUE(contains(run({"check", "--device", "simulator"}).out, "note: the file is still the starter"));
}

TEST_F(ExerciseCommands, CheckPassesTheSolutionAndRemembersIt) {
  solve("first-kernel", "first_kernel.cu");
  const std::string out = printed({"check", "first_kernel.cu", "--device", "simulator"});
  EXPECT_TRUE(out.starts_with("PASSED  first-kernel · first_kernel.cu\n")) << out;
  EXPECT_TRUE(contains(progress(), "first-kernel: passed 2"));
  EXPECT_TRUE(contains(printed({"solution", "first-kernel"}), "vector_add_global_index"))
      << "it asks for no confirmation";
  EXPECT_TRUE(contains(printed({"diff", "first-kernel"}), "first_kernel.cu is the same as the course's"));
  EXPECT_TRUE(contains(printed({"progress"}), "1 of "));
}

TEST_F(ExerciseCommands, CheckPassesTheSolutionsAsTheyArePrinted) {
  for (const Exercise& exercise : all_exercises()) solve(exercise.name, exercise.file);
  const std::string out = printed({"check", "--device", "simulator"});
  const std::string count = std::to_string(all_exercises().size());
  EXPECT_TRUE(out.ends_with("\n" + count + " of " + count + " passed, next: gpulab next\n")) << out;
}

TEST_F(ExerciseCommands, AskQuestionsWhereThereIsNoKernelToWrite) {
  EXPECT_TRUE(
      contains(printed({"start", "transfers"}), "Open transfers.txt in an editor, answer its questions"));
  const ProgramRun ended = run({"check"});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("UNANSWERED  transfers · transfers.txt\nNothing is answered yet."))
      << ended.out;
  EXPECT_TRUE(contains(progress(), "transfers: started, 0 hints, 1 check, last unanswered\n"));
  EXPECT_TRUE(contains(printed({"hint", "transfers.txt"}), "the last check showed unanswered\n"));
  expect_refusal({"solution", "transfers"}, 2,
                 "gpulab solution transfers --anyway shows the course's answers");
  EXPECT_TRUE(contains(printed({"diff", "transfers", "--anyway"}), "\n+++ the course's answers\n"));
  printed({"start", "coalescing"});
  const std::string sheet = read(folder / "coalescing.txt"), first = "answer (sectors, exact):";
  write("coalescing.txt", std::string(sheet).replace(sheet.find(first), first.size(), first + " 8"));
  EXPECT_TRUE(contains(printed({"diff", "coalescing", "--anyway"}), "\n answer (sectors, exact): 8\n"))
      << "no unit";
  solve("transfers", "transfers.txt");
  const std::string passed = printed({"check", "transfers.txt"});
  EXPECT_TRUE(passed.starts_with("PASSED  transfers · transfers.txt\n")) << passed;
  EXPECT_TRUE(contains(passed, "note: on a GPU, gpulab transfers"));
  EXPECT_TRUE(contains(printed({"start", "--again", "transfers"}), "Your version is now transfers.1.txt.\n"));
}

TEST_F(ExerciseCommands, GiveALessonQuestionsAndAProgram) {
  const std::string started = printed({"start", "streams"});
  EXPECT_TRUE(contains(started, "wrote streams.txt\n"));
  EXPECT_TRUE(contains(started, "wrote streams.cu\nOpen streams.cu in an editor, do what its comment says"));
  expect_refusal({"start", "streams"}, 2, "streams.txt already exists");
  const ProgramRun both = run({"check", "streams", "--verbose"});
  EXPECT_TRUE(contains(both.out, "UNANSWERED  streams · streams.txt\n"));
  EXPECT_TRUE(contains(both.out, "\nWRONG  streams.cu · streams.cu · not-begun\n"));
  EXPECT_TRUE(contains(both.out, "\nagain: gpulab run streams.cu -- 1000\n"));
  EXPECT_TRUE(contains(progress(), "streams.cu: started, 0 hints, 1 check, last not-begun\n"));
  EXPECT_TRUE(contains(printed({"hint", "streams.cu"}), "Nothing has been changed yet"));
  expect_refusal({"diff", "streams.cu"}, 2, "gpulab diff streams.cu --anyway shows the course's program");
  solve("streams.cu", "streams.cu");
  EXPECT_TRUE(printed({"check", "streams.cu"}).starts_with("PASSED  streams.cu · streams.cu\n"));
  EXPECT_TRUE(contains(progress(), "streams.cu: passed"));
  EXPECT_TRUE(contains(printed({"start", "--again", "streams.cu"}), "Your version is now streams.1.cu.\n"));
  write("mine.cu", "int main() {}\n");
  const ProgramRun mine = run({"check", "mine.cu", "--exercise", "streams"});
  EXPECT_TRUE(mine.out.starts_with("WRONG  streams.cu · mine.cu · no-launch\n")) << mine.out << mine.err;
  expect_refusal({"inspect", "streams.cu"}, 2, "gpulab run --inspect streams.cu");
}

TEST_F(ExerciseCommands, CheckEndsWithThreeWhereAFileDoesNotCompile) {
  write("first_kernel.cu", unfinished_kernel);
  const ProgramRun ended = run({"check", "--device", "simulator", "--format", "json"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  const auto document = nlohmann::json::parse(ended.out);
  EXPECT_EQ(document["checks"][0]["verdict"], "does_not_compile");
  EXPECT_EQ(document["exit_code"], 3);
}

TEST_F(ExerciseCommands, CheckShowsTheDeclarationOfTheStarterThatAFileLacks) {
  write("constant.cu", read(source_file("tests/check/kernels/constant/no_declaration.cu")));
  EXPECT_TRUE(
      contains(run({"check", "--device", "simulator"}, {{"COLUMNS", "200"}}).out,
               "write the starter's line above the kernel, __constant__ float factors_constant[16384];"));
}

TEST_F(ExerciseCommands, CheckEndsWithTheMostSevereOfSeveralCodes) {
  printed({"start", "vector-multiply"});
  write("first_kernel.cu", unfinished_kernel);
  const ProgramRun ended = run({"check", "--device", "simulator"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_LT(ended.out.find("first_kernel.cu"), ended.out.find("vector_multiply.cu"));
  EXPECT_TRUE(contains(ended.out, "\n0 of 2 passed, the first that has not: gpulab check first_kernel.cu\n"));
}

TEST_F(ExerciseCommands, CheckGoesOnAfterAFileThatCannotBeRead) {
  std::filesystem::create_directory(folder / "first_kernel.cu");
  printed({"start", "vector-multiply"});
  const ProgramRun ended = run({"check", "--device", "simulator", "--format", "json"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(contains(ended.err, "first_kernel.cu"));
  EXPECT_EQ(nlohmann::json::parse(ended.out)["checks"].size(), 2u);
}

TEST_F(ExerciseCommands, CheckGoesOnAfterAFileThatIsNotThere) {
  write("first_kernel.cu", unfinished_kernel);
  const ProgramRun ended = run({"check", "primes.cu", "first_kernel.cu", "--device", "simulator"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.err,
            "gpulab: there is no primes.cu; gpulab start primes writes the starter into this folder\n");
  EXPECT_TRUE(ended.out.starts_with("DOES NOT COMPILE  first-kernel")) << ended.out;
}

TEST_F(ExerciseCommands, CheckWritesADocumentIntoAFile) {
  write("first_kernel.cu", unfinished_kernel);
  const ProgramRun ended = run({"check", "--device", "simulator", "--format", "gcc", "--output", "out"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(read(folder / "out").starts_with("first_kernel.cu:1:")) << read(folder / "out");
  EXPECT_EQ(run({"check", "--device", "simulator", "--output", "out"}).out, "");
  EXPECT_TRUE(read(folder / "out").starts_with("DOES NOT COMPILE  first-kernel")) << read(folder / "out");
  expect_refusal({"check", "--output", "no/such/folder"}, 2, "cannot write no/such/folder");
}

TEST_F(ExerciseCommands, CheckNamesEveryFileInADocumentThatIsStopped) {
  solve("first-kernel", "first_kernel.cu");
  std::string endless = printed({"solution", "vector-multiply", "--anyway"});
  endless.insert(endless.find("{", endless.find("__global__")) + 1, "\n  while (size > 0) {}\n");
  write("vector_multiply.cu", endless);
  write("primes.cu", "");
  const pid_t child = start({"check", "first_kernel.cu", "vector_multiply.cu", "primes.cu", "--device",
                             "simulator", "--format", "json", "--output", "out"},
                            {{"GPULAB_TIME_LIMIT", "50"}});
  const auto checks = [&] {
    const std::string text = read(folder / "out");
    return text.empty() ? nlohmann::json::array() : nlohmann::json::parse(text)["checks"];
  };
  for (int i = 0; i < 600 && (checks().empty() || checks()[0]["verdict"] != "passed"); ++i) ::usleep(50'000);
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(checks().size(), 3u);
  EXPECT_EQ(checks()[0]["verdict"], "passed");
  for (const std::size_t other : {1u, 2u}) EXPECT_EQ(checks()[other]["verdict"], "not_checked");
  EXPECT_TRUE(contains(checks()[2]["summary"], "was stopped before it finished")) << checks()[2];
}

TEST_F(ExerciseCommands, CheckWritesADocumentInEachFormatOfAFileThatIsNotThere) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"check", "nosuch.cu"},
                                                {"check", "nosuch.cu", "--exercise", "none"},
                                                {"check"}})
    for (const auto& [format, part] : std::map<std::string, std::string>{{"json", "\"exit_code\": 2"},
                                                                         {"junit", "errors=\"1\""},
                                                                         {"github", "::error "},
                                                                         {"sarif", "there is no "},
                                                                         {"gcc", "there is no "},
                                                                         {"gradescope", "there is no "}}) {
      std::vector<std::string> typed = words;
      typed.insert(typed.end(), {"--format", format});
      const ProgramRun ended = run(typed);
      EXPECT_EQ(ended.exit_code, 2) << format;
      EXPECT_TRUE(contains(ended.out, part)) << format;
      EXPECT_EQ(ended.err.empty(), format == "github") << "annotations and messages are read in one log";
    }
}

TEST_F(ExerciseCommands, CheckWritesZeroPointsForGradescopeWhereItCannotCheck) {
  expect_refusal({"check", "--format", "gradescope", "--output", "out"}, 2,
                 "there is no exercise in this folder");
  EXPECT_EQ(nlohmann::json::parse(read(folder / "out"))["tests"][0]["score"], 0);
  EXPECT_TRUE(contains(read(folder / "out"), "there is no exercise"));
  expect_refusal({"check", "primes.cu", "--format", "gradescope", "--output", "out"}, 2,
                 "there is no primes.cu");
  EXPECT_EQ(nlohmann::json::parse(read(folder / "out"))["tests"][0]["score"], 0);
}

TEST_F(ExerciseCommands, CheckSaysWhatToTypeForAFileOfNoExercise) {
  write("whole.cu", "int main() {}\n");
  expect_refusal({"check", "whole.cu"}, 2,
                 "whole.cu is a whole program, and of no exercise; gpulab run whole.cu");
  write("no kernel.cu", "int x;\n");
  write("edit.diff", "@@\n-x();\n");
  expect_refusal({"check", "edit.diff", "--exercise", "first-kernel"}, 2,
                 "edit.diff is an edit, and a kernel belongs here");
  expect_refusal({"check", "no kernel.cu"}, 2, "gpulab check 'no kernel.cu' --exercise LESSON");
}

TEST_F(ExerciseCommands, CheckSaysWhatToTypeForAFileThatIsNotThereAndForAFolder) {
  expect_refusal({"check", "histogram.cu"}, 2,
                 "there is no file histogram.cu; gpulab start shared-histogram writes shared_histogram.cu");
  expect_refusal({"check", "xyzzy.cu"}, 2, "there is no file xyzzy.cu; gpulab progress lists the exercises");
  std::filesystem::create_directory(folder / "mine");
  expect_refusal({"check", "mine"}, 2,
                 "there is no exercise in the folder mine; gpulab next writes the first");
  solve("first-kernel", "mine/first_kernel.cu");
  EXPECT_TRUE(run({"check", "mine"}).out.starts_with("PASSED  first-kernel"));
}

TEST_F(ExerciseCommands, CheckNamesMissingFilesInADocumentByTheLessonThatTheyAreLike) {
  const ProgramRun ended = run({"check", "frist_kernel.cu", "xyzzy.cu", "primes.cu", "--output", "c.json"});
  EXPECT_EQ(ended.exit_code, 2);
  const auto checks = nlohmann::json::parse(read(folder / "c.json"))["checks"];
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_EQ(checks[0]["exercise"], "first-kernel");
  EXPECT_TRUE(checks[1]["exercise"].is_null());
  EXPECT_EQ(checks[2]["exercise"], "primes");
}

TEST_F(ExerciseCommands, NextGoesBackToTheExerciseBefore) {
  expect_refusal({"next", "--previous"}, 2, "first-kernel is the first exercise");
  solve("first-kernel", "first_kernel.cu");
  run({"check"});
  std::filesystem::remove(folder / "first_kernel.cu");
  EXPECT_TRUE(contains(printed({"next"}), "Next is arbitrary-size"));
  EXPECT_TRUE(contains(printed({"next", "--previous"}), "The one before is first-kernel"));
  EXPECT_TRUE(contains(printed({"progress"}), "1 of 24 passed")) << "it stays passed";
}

TEST_F(ExerciseCommands, AQuestionSheetWithoutAnswersIsNotCalledWrong) {
  printed({"start", "streams"});
  const ProgramRun fresh = run({"check", "streams"});
  EXPECT_EQ(fresh.exit_code, 1);
  EXPECT_TRUE(fresh.out.starts_with("UNANSWERED  streams · streams.txt")) << fresh.out;
  EXPECT_TRUE(contains(fresh.out, "Nothing is answered yet."));
  const auto document = nlohmann::json::parse(run({"check", "streams", "--format", "json"}).out);
  EXPECT_EQ(document["checks"][0]["verdict"], "unanswered");
}

TEST_F(ExerciseCommands, CheckNamesThePatternAndAListExplainsIt) {
  printed({"start", "first-kernel"});
  const ProgramRun checked = run({"check", "--device", "simulator"});
  EXPECT_TRUE(checked.out.starts_with("WRONG  first-kernel · first_kernel.cu · only-one-element\n"))
      << checked.out;
  EXPECT_TRUE(contains(printed({"list", "--patterns"}), "\n  only-one-element "));
}

TEST_F(ExerciseCommands, CheckTakesAFileOfAnotherNameWithoutRememberingIt) {
  solve("first-kernel", "attempt.cu");
  const std::string before = progress();
  std::vector<std::string> words{"check", "attempt.cu", "--device", "simulator"};
  EXPECT_TRUE(printed(words).starts_with("PASSED  first-kernel · attempt.cu")) << "recognised by its kernel";
  words.insert(words.end(), {"--exercise", "first-kernel"});
  EXPECT_TRUE(printed(words).starts_with("PASSED  first-kernel · attempt.cu"));
  EXPECT_EQ(progress(), before);
}

TEST_F(ExerciseCommands, CheckOfAFolderReportsAKernelFileThatItCannotPlace) {
  solve("first-kernel", "first_kernel.cu");
  solve("first-kernel", "first_kernel.1.cu");
  solve("first-kernel", "older.cu");
  write("program.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
  const ProgramRun with_versions = run({"check", "--device", "simulator"});
  EXPECT_EQ(with_versions.exit_code, 0) << with_versions.err;
  EXPECT_TRUE(contains(with_versions.err,
                       "gpulab: older.cu is not checked, since its exercise has a file of its own name here; "
                       "gpulab check older.cu checks it"));
  EXPECT_EQ(run({"check", "--device", "simulator", "--quiet"}).err, "");
  EXPECT_TRUE(contains(run({"check", "--device", "simulator", "--format", "github"}).err,
                       "::notice file=older.cu,line=1,col=1,title=gpulab check::older.cu is not checked"));
  write("misnamed.cu", "__global__ void foo(int* a) { a[0] = 1; }\n");
  const ProgramRun text = run({"check", "--device", "simulator"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_TRUE(contains(text.err, "the name of misnamed.cu does not say which exercise it is"));
  const ProgramRun junit = run({"check", ".", "--device", "simulator", "--format", "junit"});
  EXPECT_EQ(junit.exit_code, 2);
  EXPECT_TRUE(contains(junit.out, "tests=\"2\""));
  EXPECT_TRUE(contains(junit.out, "errors=\"1\""));
  const ProgramRun github = run({"check", "--device", "simulator", "--format", "github"});
  EXPECT_TRUE(contains(github.out, "::error file=misnamed.cu"));
  solve("reduction", "renamed.cu");
  std::filesystem::remove(folder / "misnamed.cu");
  const ProgramRun renamed = run({"check", "--device", "simulator"});
  EXPECT_EQ(renamed.exit_code, 0);
  EXPECT_TRUE(contains(renamed.out, "renamed.cu")) << "recognised by its kernel";
  std::filesystem::create_directory(folder / "alone");
  std::filesystem::rename(folder / "renamed.cu", folder / "alone/renamed.cu");
  const ProgramRun alone = run({"check", "alone", "--device", "simulator"});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_FALSE(contains(alone.err, "there is no exercise")) << alone.err;
}

// A checkout of somebody else's may have links to any file of this machine, and messages quote lines.
TEST_F(ExerciseCommands, CheckReadsNoFileOfAnotherFolderThroughALink) {
  write("secret.txt", "hunter2\n");
  std::filesystem::create_directory(folder / "theirs");
  std::filesystem::create_symlink("../secret.txt", folder / "theirs/first_kernel.cu");
  for (const std::string word : {"theirs", "theirs/first_kernel.cu"}) {
    const ProgramRun ran = run({"check", word, "--device", "simulator"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_FALSE(contains(ran.out + ran.err, "hunter2")) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.err, "it is a link to a file in another folder; name that file"));
  }
  solve("first-kernel", "theirs/own.cu");
  std::filesystem::remove(folder / "theirs/first_kernel.cu");
  std::filesystem::create_symlink("own.cu", folder / "theirs/first_kernel.cu");
  EXPECT_EQ(run({"check", "theirs/first_kernel.cu", "--device", "simulator"}).exit_code, 0);
}

TEST_F(ExerciseCommands, CheckNamesThePlaceOfARefusalOnceToAnEditor) {
  write("first_kernel.cu", "syntax error here\n");
  const ProgramRun checked = run({"check", "--device", "simulator", "--format", "gcc"});
  EXPECT_TRUE(contains(checked.out, "first_kernel.cu:1:1: error: "));
}

TEST_F(ExerciseCommands, CheckConfinesKernelsOrSaysThatItCannot) {
  solve("first-kernel", "first_kernel.cu");
  if (sandbox::support().is_complete())
    EXPECT_TRUE(printed({"check", "first_kernel.cu", "--sandbox", "require"}).starts_with("PASSED"));
  else
    expect_refusal({"check", "first_kernel.cu", "--sandbox", "require"}, 4, "cannot be confined");
  EXPECT_TRUE(printed({"check", "first_kernel.cu", "--sandbox", "off"}).starts_with("PASSED"));
  expect_refusal({"check", "first_kernel.cu", "--sandbox", "require", "--device", "cuda"}, 2,
                 "exclude each other");
}

TEST_F(ExerciseCommands, CheckShowsWhatAKernelPrints) {
  write("first_kernel.cu",
        "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
        "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (item == 0) printf(\"the size is %d, %s\\n\", size, \"really\");\n"
        "  if (item < size) C[item] = A[item] + B[item];\n"
        "}\n");
  const std::string out = printed({"check", "first_kernel.cu", "--device", "simulator"});
  EXPECT_TRUE(contains(out, "\nprinted by the kernel:\n  the size is 10007, really\n"));
}

TEST_F(ExerciseCommands, CheckNamesTheSettingsThatShowAMistake) {
  const std::string solution = printed({"solution", "convolution", "--anyway"});
  const std::filesystem::path mistake = source_file("exercises/convolution/mistakes/not_flipped.diff");
  write("it's mine.cu", check::mistake_text(mistake, read(mistake), solution));
  const auto checked = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "json"});
    const ProgramRun ended = run(words);
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    auto check = nlohmann::json::parse(ended.out)["checks"][0];
    check.erase("seconds");
    return check;
  };
  const auto first = checked({"check", "it's mine.cu", "--exercise", "convolution", "--device", "simulator"});
  EXPECT_EQ(first["reproduce"],
            "gpulab check 'it'\\''s mine.cu' --exercise convolution --device simulator --filter ramp "
            "--filter-width 3 --height 2 --image random --width 2 --block-size 256 --seed 42");
  const auto again = checked({"check",          "it's mine.cu",
                              "--exercise",     "convolution",
                              "--device",       "simulator",
                              "--filter",       "ramp",
                              "--filter-width", "3",
                              "--height",       "2",
                              "--image",        "random",
                              "--width",        "2",
                              "--block-size",   "256",
                              "--seed",         "42"});
  EXPECT_EQ(again, first);
}

TEST_F(ExerciseCommands, CheckTriesSettingsOfYourOwn) {
  solve("convolution", "convolution.cu");
  solve("first-kernel", "first_kernel.cu");
  const std::string before = progress();
  const std::string out =
      printed({"check", "convolution.cu", "--border", "mirror", "--width", "7", "--block-size", "64"});
  EXPECT_TRUE(contains(out, "PASSED") && contains(out, "does not count as passed")) << out;
  printed({"check", "first_kernel.cu", "--size", "77", "--block-size", "32", "--seed", "3"});
  EXPECT_EQ(progress(), before) << "such a check is not recorded";
  expect_refusal({"check", "convolution.cu", "--border", "none"}, 2, "zero, clamp, mirror");
  expect_refusal({"check", "convolution.cu", "--size", "7"}, 2,
                 "convolution has no option '--size'; its sizes are --width, --height");
  expect_refusal({"check", "convolution.cu", "--block-size", "33"}, 2, "a multiple of 32");
  expect_refusal({"check", "first_kernel.cu", "--border", "zero"}, 2,
                 "first-kernel has no option '--border'");
  expect_refusal({"check", "first_kernel.cu", "--size", "2^40"}, 2, "the largest that first-kernel takes");
}

TEST_F(ExerciseCommands, HintGivesOneMoreEachTime) {
  printed({"start", "first-kernel"});
  for (const char* number : {"hint 1 of 3", "hint 2 of 3", "hint 3 of 3"})
    EXPECT_TRUE(contains(printed({"hint", "first-kernel"}), number)) << number;
  EXPECT_TRUE(contains(progress(), "first-kernel: started, 3 hints, 0 checks\n"));
  EXPECT_TRUE(contains(printed({"hint", "first_kernel.cu"}), "none left"));
}

TEST_F(ExerciseCommands, HintBeginsWithWhatFitsTheLastCheck) {
  write("gpulab-progress.txt", "first-kernel: started, 1 hint, 2 checks, last only-first-block\n");
  const std::string out = printed({"hint", "first-kernel"});
  EXPECT_TRUE(out.starts_with("the last check showed only-first-block\n")) << out;
  EXPECT_TRUE(contains(out, "hint 2 of 3"));
}

TEST_F(ExerciseCommands, SolutionAndDiffNeedAnywayWhereNobodyCanBeAsked) {
  printed({"start", "first-kernel"});
  expect_refusal({"solution", "first-kernel"}, 2, "gpulab solution first-kernel --anyway");
  expect_refusal({"diff", "first-kernel"}, 2, "gpulab diff first-kernel --anyway");
  const std::string diff = printed({"diff", "first-kernel", "--anyway"});
  EXPECT_TRUE(diff.starts_with("--- first_kernel.cu\n+++ the course's kernels/first_kernel.cu")) << diff;
  EXPECT_TRUE(contains(diff, "\n+"));
  printed({"start", "reduction"});
  EXPECT_TRUE(contains(printed({"diff", "reduction", "--anyway"}), "+__device__ float thread_sum("))
      << "the kernel uses it";
}

TEST_F(ExerciseCommands, ShowAsksBeforeItShowsTheSolutionOfAnExerciseThatIsBegun) {
  EXPECT_TRUE(contains(printed({"show", "first-kernel"}), "vector_add_global_index")) << "not begun here";
  printed({"start", "first-kernel"});
  write("first_kernel.cu", "__global__ void vector_add_global_index() {}");
  run({"check", "first_kernel.cu", "--device", "simulator"});
  expect_refusal({"show", "first-kernel"}, 2, "gpulab show first-kernel --anyway");
  expect_refusal({"show", "first-kernel", "global-index"}, 2, "gpulab show first-kernel --anyway");
  expect_refusal({"show", "first-kernel", "--to", "k"}, 2, "gpulab show first-kernel --anyway");
  EXPECT_TRUE(contains(printed({"show", "first-kernel", "thread-index"}), "vector_add_thread_index"));
  EXPECT_TRUE(contains(printed({"show", "first-kernel", "--anyway"}), "vector_add_global_index"));
}

TEST_F(ExerciseCommands, ProgressSaysWhatPassedAfterTheSolutionWasRead) {
  solve("first-kernel", "first_kernel.cu");
  EXPECT_TRUE(contains(progress(), "first-kernel: not started, solution read"));
  printed({"check", "first_kernel.cu", "--device", "simulator"});
  EXPECT_TRUE(contains(progress(), ", after reading the solution, 0 hints, 1 check"));
  EXPECT_TRUE(contains(printed({"progress"}), " passed (1 after reading the solution)"));
  printed({"start", "--again", "first-kernel"});
  EXPECT_TRUE(contains(progress(), ", after reading the solution, 0 hints, 1 check"));
}

TEST_F(ExerciseCommands, CheckDrawsOtherSettingsForAnotherSeed) {
  solve("first-kernel", "first_kernel.cu");
  const std::string passed = printed({"check", "first_kernel.cu", "--device", "simulator", "--seed", "3"});
  EXPECT_FALSE(contains(passed, "only these settings")) << passed;
  const std::string single =
      printed({"check", "first_kernel.cu", "--device", "simulator", "--size", "9", "--inputs", "edge"});
  EXPECT_TRUE(contains(single, "only these settings"));
  expect_refusal({"check", "first_kernel.cu", "--inputs", "none"}, 2, "--inputs");
}

TEST_F(ExerciseCommands, StartAgainKeepsACopy) {
  write("first_kernel.cu", "mine");
  write("gpulab-progress.txt", "first-kernel: passed 2026-11-21, 3 hints, 9 checks\n");
  const std::string out = printed({"start", "--again", "first-kernel"});
  EXPECT_TRUE(contains(out, "Your version is now first_kernel.1.cu.\n"));
  EXPECT_EQ(read(folder / "first_kernel.1.cu"), "mine");
  EXPECT_EQ(read(folder / "first_kernel.cu"), all_exercises().front().starter);
  EXPECT_TRUE(contains(out, "first-kernel has passed before, and stays passed.\n"));
  EXPECT_EQ(progress(), "first-kernel: passed 2026-11-21, 0 hints, 9 checks\n");
  EXPECT_FALSE(contains(printed({"start", "--again", "first-kernel"}), "Your version is now"));
  write("gpulab-progress.txt", "first-kernel: started, 3 hints, 9 checks, last shifted\n");
  EXPECT_FALSE(contains(printed({"start", "--again", "first-kernel"}), "passed"));
  EXPECT_EQ(progress(), "first-kernel: started, 0 hints, 0 checks\n");
}

TEST_F(ExerciseCommands, CheckSaysWhatIsToBeDoneInAStarter) {
  printed({"start", "reduction"});
  const ProgramRun begun = run({"check", "reduction.cu", "--device", "simulator"});
  EXPECT_EQ(begun.exit_code, 1);
  EXPECT_TRUE(contains(begun.out,
                       "reduction.cu · not-begun\nthe file is still the starter: line 24 says what is to be "
                       "done: TODO: the tree\n"));
  for (const char* lesson : {"vector-multiply", "shared-memory", "divergence", "constant"}) {
    printed({"start", lesson});
    EXPECT_TRUE(contains(run({"check", lesson, "--device", "simulator"}).out, " · not-begun\n")) << lesson;
  }
  const std::string starter = read(folder / "reduction.cu");
  write("reduction.cu", "\n" + starter + "  \n");
  EXPECT_TRUE(contains(run({"check", "reduction.cu", "--device", "simulator"}).out, "line 25 says what is"));
  write("reduction.cu", starter);
  const ProgramRun placed = run({"check", "reduction.cu", "--device", "simulator", "--format", "gcc"});
  EXPECT_TRUE(contains(placed.out, "reduction.cu:24:"));
  printed({"start", "first-kernel"});
  const ProgramRun first = run({"check", "first_kernel.cu", "--device", "simulator"});
  EXPECT_TRUE(contains(first.out, "only-one-element"));
  EXPECT_TRUE(contains(first.out, "note: the file is still the starter: line 16 says what is to be done"));
}

TEST_F(ExerciseCommands, NextGoesThroughTheCourse) {
  EXPECT_TRUE(printed({"next"}).starts_with("Next is first-kernel: "));
  EXPECT_EQ(read(folder / "first_kernel.cu"), all_exercises().front().starter);
  EXPECT_TRUE(contains(printed({"next"}), "first_kernel.cu already exists.\n"));
  std::string all;
  for (const Exercise& exercise : all_exercises()) all += exercise.name + ": passed\n";
  write("gpulab-progress.txt", all.substr(all.find('\n') + 1));
  EXPECT_TRUE(printed({"next"}).starts_with("Next is first-kernel: "));
  const std::string title = "Next is vector-multiply: Multiply two vectors";
  write("gpulab-progress.txt", all.substr(0, all.find("vector-multiply")));
  const std::string out = run({"next"}, {{"COLUMNS", "80"}}).out;
  EXPECT_TRUE(out.starts_with(title)) << out;
  for (const std::string& line : lines_of(out)) EXPECT_LE(line.size(), 80u);
  write("gpulab-progress.txt", all);
  EXPECT_TRUE(printed({"next"}).ends_with("exercises have passed.\n"));
}

TEST_F(ExerciseCommands, ProgressListsEveryExercise) {
  const std::string out = printed({"progress"});
  const auto document = nlohmann::json::parse(printed({"progress", "--format", "json"}));
  for (const Exercise& exercise : all_exercises()) EXPECT_TRUE(contains(out, exercise.name));
  EXPECT_EQ(document["exercises"].size(), all_exercises().size());
  EXPECT_EQ(document["next"], "first-kernel");
  EXPECT_EQ(files(), std::vector<std::string>{}) << "nothing to remember";
}

TEST_F(ExerciseCommands, WorkInAFolderThatCannotBeWrittenTo) {
  working_folder = "/proc";
  expect_refusal({"start", "first-kernel"}, 2, "cannot write first_kernel.cu");
  expect_refusal({"start", "--again", "first-kernel"}, 2, "cannot write first_kernel.cu");
  expect_refusal({"next"}, 2, "cannot write first_kernel.cu");
  EXPECT_TRUE(contains(printed({"progress"}), "first-kernel"));
  const ProgramRun hint = run({"hint", "first-kernel"});
  EXPECT_EQ(hint.exit_code, 0);
  EXPECT_TRUE(contains(hint.out, "hint 1 of 3"));
  EXPECT_TRUE(contains(hint.err, "your progress is not saved"));
}

TEST_F(ExerciseCommands, LeaveProgressAloneThatCannotBeRead) {
  std::filesystem::create_directory(folder / "gpulab-progress.txt");
  expect_refusal({"progress"}, 2, "cannot read the progress in gpulab-progress.txt: it is a folder");
  expect_refusal({"next"}, 2, "cannot read the progress in gpulab-progress.txt");
  const ProgramRun started = run({"start", "first-kernel"});
  EXPECT_EQ(started.exit_code, 0);
  EXPECT_TRUE(contains(started.err, "your progress is not saved"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "gpulab-progress.txt"));
}

TEST_F(ExerciseCommands, RequireAGpuWhereOneIsAskedFor) {
  solve("first-kernel", "first_kernel.cu");
  const ProgramRun ended = run({"check", "--device", "cuda", "--output", "checks.json"});
  EXPECT_EQ(ended.exit_code, 4) << ended.err;
  const auto checks = nlohmann::json::parse(read(folder / "checks.json"))["checks"];
  ASSERT_EQ(checks.size(), 1u) << "one for each file";
  EXPECT_EQ(checks[0]["exercise"], "first-kernel");
  EXPECT_EQ(checks[0]["verdict"], "not_checked");
}

}  // namespace
}  // namespace gpulab::cli
