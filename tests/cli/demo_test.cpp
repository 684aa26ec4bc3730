#include <sys/stat.h>
#include <chrono>
#include <thread>

#include "base/table.hpp"

#include "terminal_fixture.hpp"

namespace gpulab::cli {
namespace {

const std::string script =
    "simulated with: --size 2000\n\n== zero\ntext: Threads meet.\nshow: shared since nothing\n"
    "ask: What comes out?\nanswer: result of shared\nchoice right: right: the counts\n  because: Both barriers are "
    "there.\n"
    "choice race: a race\n  because: A barrier is missing.\n\n== last\nshow: global-atomic\n"
    "ask: How many threads?\nanswer: threads of global-atomic\nchoice exactly 2048: 2048\n  because: Whole "
    "blocks.\n"
    "choice exactly 2000: 2000\n  tempting: As many as elements.\n";

class DemoOnTerminal : public TerminalTest {
 protected:
  void SetUp() override {
    TerminalTest::SetUp();
    write("demo.txt", script);
  }
  void play(std::vector<std::string> more = {}, std::map<std::string, std::string> environment = no_colour) {
    std::vector<std::string> words{"demo", "histogram", "--script", "demo.txt"};
    words.insert(words.end(), more.begin(), more.end());
    open(words, environment, 80);
    until("q quit");
  }
  // Returns an environment in which a script with this name and body is the editor.
  std::map<std::string, std::string> with_editor(const std::string& name, const std::string& body) const {
    write(name, "#!/bin/sh\n" + body);
    ::chmod((folder / name).c_str(), 0700);
    std::map<std::string, std::string> environment = no_colour;
    environment["VISUAL"] = (folder / name).string();
    return environment;
  }
};

TEST_F(DemoOnTerminal, CountsVotesRunsAndReveals) {
  play();
  EXPECT_FALSE(is_in_canonical_mode());
  press("1");
  until("1 voted ---");
  press("2");
  press(" ");
  EXPECT_TRUE(contains(until("IT IS: right"), "1 of 2 votes ---"));
  press("\n");
  until("step 2 of 2: last");
  press("b");
  until("IT IS: right");
  press("q");
  EXPECT_TRUE(contains(until_the_end(), "\033[?1049l")) << "what was on the terminal is back";
}

TEST_F(DemoOnTerminal, RunsAnEditedKernelAndForgetsItAtTheNextStep) {
  // Nano is given the line to begin at, with no empty lines above the kernel. This one deletes both barriers.
  const auto environment =
      with_editor("nano", "test \"${1#+}\" -lt 20 && sed -i '/__syncthreads/d' \"$2\"\n");
  play({"--folder", "kernels here"}, environment);
  press("e");
  until("shared_histogram.cu, edited ");
  press(" ");
  const std::string answer = until("This kernel was edited");
  EXPECT_TRUE(contains(answer, "IT IS: a race")) << answer;
  EXPECT_FALSE(contains(answer, "A barrier is missing.")) << "the reason of the course's kernel";
  const std::string ran = read(folder / "kernels here" / "step-1" / "shared_histogram.cu");
  EXPECT_LT(ran.find("void histogram_shared("), ran.find("void histogram_global_atomic("))
      << "what was typed, then what it did not show\n"
      << ran;
  EXPECT_FALSE(contains(ran.substr(0, ran.find("\n}\n")), "__syncthreads")) << ran;
  press("d");
  const std::string edit = until("any other key");
  EXPECT_TRUE(contains(edit, "- before: without the edit")) << edit;
  EXPECT_FALSE(contains(edit, "//")) << "the editor had no comments, so none are gone\n" << edit;
  press("x");
  press("u");
  until("__syncthreads");
  press("q");
  EXPECT_TRUE(contains(until_the_end(), "your edits are in kernels here"));
}

TEST_F(DemoOnTerminal, RunsAKernelThatIsEditedAfterTheAnswerAndShowsWhatTheCompilerSays) {
  const auto environment = with_editor("nano", "sed -i 's/__syncthreads();/__syncthreads()/' \"$2\"\n");
  play({"--folder", "k"}, environment);
  press(" ");
  until("IT IS: right");
  press("e");
  const std::string answer = until("shared_histogram.cu does not compile: line 22");
  EXPECT_TRUE(contains(answer, "IT IS: refused by the compiler")) << answer;
  EXPECT_TRUE(contains(answer, "This kernel was edited")) << answer;
}

TEST_F(DemoOnTerminal, SaysThatTheSizeIsNoLongerThatOfTheQuestion) {
  play();
  press("+");
  const std::string doubled = until("This text is for 2 000 int32");
  EXPECT_TRUE(contains(doubled, "simulated at 2 x: 4 000 int32")) << doubled;
  press("-");
  press("-");
  until("simulated at 1/2 x: 1 000 int32");
  press(" ");
  until("IT IS: right");
  press(" ");
  until("step 2 of 2");
  press(" ");
  const std::string answer = until("choices and reasons are for 2 000 int32");
  EXPECT_TRUE(contains(answer, "IT IS: 1 024 threads; the choices and reasons are for 2 000 int32"))
      << answer;
  EXPECT_FALSE(contains(answer, "These reasons are for")) << answer;
}

const std::string script_with_edit =
    "simulated with: --size 2000\n\n== first\nshow: lost-updates since nothing\nas: histogram\n\n"
    "== exchange\nshow: global-atomic since lost-updates\nas: histogram\nedit:\n"
    "  - if (item < size) atomicAdd(&output[input[item]], 1);\n"
    "  + if (item < size) atomicExch(&output[input[item]], output[input[item]] + 1);\n"
    "ask: What will gpulab say?\nanswer: result of global-atomic\nchoice right: right\nchoice race: a race\n"
    "  because: Two steps.\n";

TEST_F(DemoOnTerminal, ShowsWhatHasChangedSinceTheKernelThatTheScreenNames) {
  write("demo.txt", script_with_edit);
  play({"--from", "exchange"});
  press("d");
  const std::string before = until("any other key");
  EXPECT_TRUE(contains(before, "- lost-updates: ")) << before;
  EXPECT_TRUE(contains(before, "  12 + ")) << "the number on the screen\n" << before;
  EXPECT_TRUE(contains(before, "output[input[item]] = output[input[item]] + 1;")) << before;
  EXPECT_TRUE(contains(before, "atomicExch")) << before;
  for (const char* giveaway : {"atomicAdd", "global-atomic", "global_atomic", "lost_updates", "//"})
    EXPECT_FALSE(contains(before, giveaway)) << giveaway << "\n" << before;
}

TEST_F(DemoOnTerminal, TellsNoAnswerInTheSourceAndInTheEditorBeforeTheVote) {
  const auto environment = with_editor("editor", "cp \"$1\" seen.txt\n");
  write("demo.txt", script_with_edit);
  play({"--from", "exchange"}, environment);
  press("s");
  const std::string source = until("any other key");
  press("\033");
  until("What will gpulab say?");
  press("e");
  until("What will gpulab say?");
  for (const std::string& text : {source, read(folder / "seen.txt")}) {
    EXPECT_TRUE(contains(text, "void histogram(")) << text;
    for (const char* giveaway : {"global_atomic", "lost_updates", "histogram_shared", "//"})
      EXPECT_FALSE(contains(text, giveaway)) << giveaway << "\n" << text;
  }
  press(" ");
  until("Two steps.");
  press("s");
  const std::string answered = until("any other key");
  EXPECT_TRUE(contains(answered, "histogram_global_atomic")) << "its own name is no longer hidden";
  EXPECT_FALSE(contains(answered, "histogram_shared")) << "the kernels of other steps still are";
}

TEST_F(DemoOnTerminal, ShowsItsKeysAndRestoresTheTerminalAfterASignal) {
  play();
  press("?");
  until("take the votes back");
  press("x");
  until("What comes out?");
  signal(SIGTERM);
  EXPECT_TRUE(contains(until("\033[?1049l"), "\033[?25h"));
  EXPECT_EQ(wait_for_exit(), -SIGTERM);
}

TEST_F(DemoOnTerminal, RestoresTheTerminalAfterAnEditorThatCrashed) {
  const auto environment = with_editor("editor", "stty raw -echo\nexit 3\n");
  play({}, environment);
  press("e");
  until("editor failed");
  press("q");
  until("\033[?1049l");
  EXPECT_EQ(wait_for_exit(), 0);
  EXPECT_TRUE(is_in_canonical_mode());
}

TEST_F(DemoOnTerminal, KeepsAnEmptyEditOutAndWhatKernelsPrintOffTheScreen) {
  write("empty", "");
  const auto environment =
      with_editor("editor",
                  "if test -e empty; then : > \"$1\"; else\n"
                  "sed -i 's/__syncthreads();/__syncthreads(); printf(\"%c%c\", 81, 81);/' \"$1\"\nfi\n");
  play({}, environment);
  press("e");
  until("the editor has left an empty file");
  std::filesystem::remove(folder / "empty");
  press("e");
  until("edited ");
  press(" ");
  EXPECT_FALSE(contains(until("t shows it"), "QQ"));
  press("t");
  until("any other key");
}

TEST_F(DemoOnTerminal, LeavesNoTemporaryFolderWhenASignalEndsIt) {
  std::filesystem::create_directory(folder / "tmp");
  std::map<std::string, std::string> environment = no_colour;
  environment["TMPDIR"] = (folder / "tmp").string();
  open({"demo", "mistakes", "vector-multiply"}, environment, 80);
  until("q quit");
  press(" ");
  until("IT IS");
  EXPECT_FALSE(std::filesystem::is_empty(folder / "tmp"));
  signal(SIGHUP);
  EXPECT_EQ(wait_for_exit(), -SIGHUP);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(DemoOnTerminal, MarksWhereAMistakeIsAfterTheVoteAndPrintsTheVerdictOnce) {
  open({"demo", "mistakes", "vector-multiply", "--only", "still_adds"}, no_colour, 80);
  const std::string question = until("q quit");
  EXPECT_TRUE(contains(question, "step 1 of 1")) << question;
  EXPECT_TRUE(contains(question, "A[item] + B[item]")) << question;
  for (const char* giveaway : {" ~ ", "since the course's", "still"})
    EXPECT_FALSE(contains(question, giveaway)) << giveaway << "\n" << question;
  press(" ");
  const std::string answer = until("IT IS: ");
  EXPECT_TRUE(contains(answer, "~ changed since the course's")) << answer;
  press("u");
  until("there is nothing to undo");
  press("t");
  std::string table = until("any other key");
  table = table.substr(table.rfind("IT IS: "));
  const std::size_t verdict = table.find("WRONG");
  ASSERT_NE(verdict, std::string::npos) << table;
  EXPECT_EQ(table.find("WRONG", verdict + 1), std::string::npos) << table;
}

TEST_F(DemoOnTerminal, CountsTheSecondsOfALongCheckWhichCanBeLeft) {
  open({"demo", "mistakes", "primes", "--only", "same-factor-for-ever"}, no_colour, 80);
  until("q quit");
  press(" ");
  until("checking primes.cu, 1 s");
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
}

TEST_F(DemoOnTerminal, SaysOfAnEditedMistakeThatItDoesNotEndAfterOneTimeLimit) {
  auto environment = with_editor("nano", "sed -i 's/fabsf.*/&\\n  while (item >= 0) ;/' \"$2\"\n");
  environment["GPULAB_TIME_LIMIT"] = "1";
  open({"demo", "mistakes", "first-kernel", "--only", "absolute-value", "--folder", "k"}, environment, 80);
  until("q quit");
  press("e");
  until("while (item >= 0) ;");
  press(" ");
  until("IT IS: it does not end");
}

TEST_F(DemoOnTerminal, SaysInWordsWhatAnEditedMistakeHasWrong) {
  const auto environment =
      with_editor("nano", "sed -i 's/= .*threadIdx.x;/= threadIdx.x;/; s/fabsf//' \"$2\"\n");
  open({"demo", "mistakes", "first-kernel", "--only", "absolute-value", "--folder", "k"}, environment, 80);
  until("q quit");
  press("e");
  until("edited ");
  press(" ");
  const std::string answer = until("This kernel was edited");
  EXPECT_TRUE(contains(answer, "IT IS: only block 0's elements are stored (only-first-block)")) << answer;
  EXPECT_TRUE(contains(answer, "line 2: const int item = threadIdx.x;")) << answer;
  EXPECT_FALSE(contains(answer, "What will gpulab check say?")) << "the old choices are no answers\n"
                                                                << answer;
}

TEST_F(DemoOnTerminal, SaysInWordsWhatACompilerRefusesInAnEditedMistake) {
  const auto environment = with_editor("nano", "sed -i 's/threadIdx.x;/threadIdx.x/' \"$2\"\n");
  open({"demo", "mistakes", "first-kernel", "--only", "absolute-value", "--folder", "k"}, environment, 80);
  until("q quit");
  press("e");
  until("edited ");
  press(" ");
  const std::string answer = until("A semicolon ends each statement.");
  EXPECT_TRUE(contains(answer, "IT IS: it does not compile\n") ||
              contains(answer, "IT IS: it does not compile\033"))
      << answer;
}

TEST_F(DemoOnTerminal, MarksThatAnEditedMistakePasses) {
  const auto environment = with_editor("nano", "sed -i 's/fabsf//' \"$2\"\n");
  open({"demo", "mistakes", "first-kernel", "--only", "absolute-value", "--folder", "k"}, environment, 80);
  until("q quit");
  press("e");
  until("edited ");
  press(" ");
  EXPECT_TRUE(
      contains(until("This kernel was edited, so the demo's reasons are left out."), "nothing: it passes"));
}

TEST_F(DemoOnTerminal, SaysWhichKeysVote) {
  play();
  press("7");
  until("there is no such choice: 1 to 2 vote");
  press(" ");
  until("IT IS: ");
  press("1");
  until("b goes back to the question");
}

TEST_F(DemoOnTerminal, QuitsWhileAKernelRuns) {
  auto environment = with_editor("nano", "sed -i 's/__syncthreads();/for (;;) __threadfence();/' \"$2\"\n");
  environment["GPULAB_TIME_LIMIT"] = "100";
  play({"--folder", "k"}, environment);
  press("e");
  until("edited ");
  press(" ");
  until("running: shared");
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const auto pressed = std::chrono::steady_clock::now();
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - pressed, std::chrono::seconds(5));
  EXPECT_TRUE(is_in_canonical_mode());
}

TEST_F(DemoOnTerminal, SaysThatAStepHasNothingToRun) {
  write("demo.txt", "== a\ntext: Nothing runs here.\n");
  play();
  press("r");
  EXPECT_FALSE(contains(until("this step runs nothing"), "t table"));
}

TEST_F(DemoOnTerminal, ShowsHostCodeAboveTheKernel) {
  write("demo.txt",
        "== a\nshow: shared\nhost:\n  | for (int i = 0; i < 2; ++i)\n  |   histogram<<<8, 256>>>(i);\n");
  open({"demo", "histogram", "--script", "demo.txt"}, no_colour, 80);
  const std::string screen = until("q quit");
  EXPECT_TRUE(contains(screen, "on the host, and shared_histogram.cu")) << screen;
  EXPECT_TRUE(contains(screen, "  for (int i = 0; i < 2; ++i)")) << screen;
  EXPECT_TRUE(contains(screen, "    histogram<<<8, 256>>>(i);")) << screen;
}

TEST_F(DemoOnTerminal, SaysThatThereIsNothingToCompareWith) {
  write("demo.txt", "== a\nshow: shared\n\n== b\nwith: --size 3000\nshow: shared\n");
  play({"--from", "b"});
  press("d");
  until("there is nothing to compare with");
  press("q");  // leaves what d would have shown
  press("?");
  until("any other key: back to the step");
  press("qq");
  until_the_end();
}

class DemoCommand : public ProgramTest {};

TEST_F(DemoCommand, SaysThatItCannotWriteTheNotesAndPlaysOn) {
  write("demo.txt", script);
  const ProgramRun played = run({"demo", "histogram", "--script", "demo.txt", "--notes", "/dev/full"});
  EXPECT_EQ(played.exit_code, 2);
  EXPECT_TRUE(contains(played.out, "IT IS: 2 048 threads"));
  EXPECT_TRUE(contains(played.err, "cannot write the notes to /dev/full: No space left"));
}

TEST_F(DemoCommand, KeepsWhatAnEarlierDemoHasLeftInItsFolder) {
  const std::filesystem::path file = folder / "kernels" / "step-10" / "vector_multiply.cu";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "my work";
  const ProgramRun played =
      run({"demo", "mistakes", "vector-multiply", "--from", "10", "--folder", "kernels"});
  EXPECT_EQ(played.exit_code, 0) << played.err;
  EXPECT_EQ(read(file.string() + ".previous"), "my work");
}

TEST_F(DemoCommand, PlaysThroughWithoutATerminalAndWithoutWaiting) {
  write("demo.txt", script);
  const ProgramRun played = run({"demo", "histogram", "--script", "demo.txt", "--notes", "notes.txt"});
  EXPECT_EQ(played.exit_code, 0) << played.err;
  for (const char* part :
       {"step 1 of 2: zero", "IT IS: right", "Both barriers are there.", "IT IS: 2 048 threads",
        "again: gpulab shared-histogram --variant shared --size 2000\n"})
    EXPECT_TRUE(contains(played.out, part)) << part << "\n" << played.out;
  EXPECT_FALSE(contains(played.out, "\033"));
  EXPECT_TRUE(contains(read(folder / "notes.txt"), "== shared-histogram, step 2 of 2: last"));
}

TEST_F(DemoCommand, EndsWithOneWhenTheDemoDoesNotExplainWhatCameOut) {
  write("demo.txt",
        "== a\nask: x\nanswer: threads of shared\nchoice below 1: few\nchoice exactly 3: three\n");
  const ProgramRun played = run({"demo", "histogram", "--script", "demo.txt"});
  EXPECT_EQ(played.exit_code, 1);
  EXPECT_TRUE(contains(played.out, "which is none of the choices"));
}

TEST_F(DemoCommand, BeginsAtAStepAndListsThem) {
  write("demo.txt", script);
  const ProgramRun listed = run({"demo", "histogram", "--script", "demo.txt", "--steps"});
  EXPECT_EQ(listed.out, " 1  zero  What comes out?\n 2  last  How many threads?\n");
  const ProgramRun last = run({"demo", "histogram", "--script", "demo.txt", "--from", "last"});
  EXPECT_FALSE(contains(last.out, "step 1 of 2"));
  EXPECT_TRUE(contains(last.out, "step 2 of 2"));
}

TEST_F(DemoCommand, AsksWhatCheckWillSayOfAMistake) {
  const ProgramRun played = run({"demo", "mistakes", "vector-multiply", "--from", "up_to_size"});
  EXPECT_EQ(played.exit_code, 0) << played.err;
  EXPECT_TRUE(contains(played.out, "What will gpulab check say?"));
  const std::string choices = played.out.substr(played.out.find("What will gpulab check say?"), 500);
  EXPECT_TRUE(contains(choices, "a thread writes outside of an array\n")) << choices;
  EXPECT_TRUE(contains(choices, "nothing: it passes\n")) << choices;
  EXPECT_FALSE(contains(choices.substr(0, choices.find("IT IS")), "out-of-bounds-write")) << choices;
  EXPECT_FALSE(std::filesystem::exists(folder / "vector_multiply.cu")) << "nothing is left behind";
  const std::string steps = run({"demo", "mistakes", "vector-multiply", "--steps"}).out;
  EXPECT_TRUE(contains(steps, "  up-to-size          a thread writes outside of an array\n")) << steps;
  EXPECT_FALSE(contains(played.out.substr(0, played.out.find("IT IS")), "up-to-size"))
      << "its name would give it away";
}

TEST_F(DemoCommand, PlaysTheMainMistakesUnlessAllAreAskedFor) {
  const ProgramRun main = run({"demo", "mistakes", "registers", "--plain"});
  EXPECT_TRUE(contains(main.out, "step 5 of 5")) << main.err;
  EXPECT_TRUE(contains(main.out, "main 5 of 8 (--all)"));
  EXPECT_TRUE(contains(main.out, "IT IS: nothing: it passes")) << "one of them is right";
  const ProgramRun all = run({"demo", "mistakes", "registers", "--plain", "--all"});
  EXPECT_TRUE(contains(all.out, "step 8 of 8")) << all.err;
  EXPECT_FALSE(contains(all.out, "the main"));
  EXPECT_TRUE(contains(run({"demo", "mistakes", "registers", "--plain", "--from", "5"}).out, "step 5 of 5"));
  EXPECT_TRUE(contains(run({"demo", "mistakes", "registers", "--plain", "--from", "8"}).out, "step 8 of 8"))
      << "it is none of the main ones";
  const std::string steps = run({"demo", "mistakes", "streams", "--steps"}).out;
  EXPECT_TRUE(contains(steps, "\nwith --all:\n 6  ")) << steps;
  EXPECT_TRUE(contains(steps, "\nabout 10 minutes, with --all 30\n")) << steps;
  expect_refusal({"demo", "registers", "--all"}, 2, "gpulab demo mistakes registers");
}

TEST_F(DemoCommand, PlaysStepsThatAreNamedInTheirOrder) {
  const auto steps_of = [&](const char* words) {
    return run({"demo", "mistakes", "vector-multiply", "--steps", "--only", words}).out;
  };
  EXPECT_TRUE(steps_of("up_to_size,begins-with-one").starts_with(" 1  up-to-size       a thread writes"))
      << steps_of("up_to_size,begins-with-one");
  EXPECT_EQ(steps_of("2-4,1"), steps_of("2,3,4,1"));
  EXPECT_TRUE(contains(steps_of("input-index"), "reversed-b")) << "by its pattern";
  EXPECT_FALSE(contains(steps_of("input-index"), "up-to-size"));
  EXPECT_TRUE(contains(steps_of("pass"), " 1  stride-of-the-grid  nothing: it passes\n")) << steps_of("pass");
  const std::string all = run({"demo", "mistakes", "halo-exchange", "--steps"}).out;
  EXPECT_LT(all.find("only-above"), all.find("first-rows-of-above")) << all << "from easy to hard";
  EXPECT_LT(all.find("no-guard-in-y"), all.find("as-many-rows-above")) << all << "and the subtlest last";
  EXPECT_FALSE(contains(all, "halo-of-above")) << all << "it is like other mistakes";
  expect_refusal({"demo", "matmul", "--only", "1-99"}, 2, "there is no step");
  expect_refusal({"demo", "mistakes", "vector-multiply", "--only", "up-to-sise"}, 2,
                 "did you mean 'up-to-size'?");
  expect_refusal({"demo", "mistakes", "matmul", "--only", "race-shard"}, 2, "did you mean 'race-shared'?");
}

TEST_F(DemoCommand, SaysWhyAKernelThatOnlyLooksWrongPassesInLinesThatFitAPage) {
  const ProgramRun played = run({"demo", "mistakes", "reduction", "--only", "pass"});
  EXPECT_EQ(played.exit_code, 0) << played.err;
  for (const char* part :
       {"IT IS: nothing: it passes\nFrom 32 sums on, one warp adds alone", "not 1: With s below 32", "PASSED",
        "since the course's\n", "\n  13 +     else __syncwarp();\n"})
    EXPECT_TRUE(contains(played.out, part)) << part << "\n" << played.out;
  for (const std::string& line : lines_of(played.out)) EXPECT_LE(display_width(line), 80U) << line;
}

TEST_F(DemoCommand, IsNamedByTheExplanationOfAPattern) {
  const ProgramRun explained = run({"explain", "race-shared-loop"});
  for (const char* part : {"a race in shared memory between two iterations of a loop", "right  for (...)",
                           "Found by ", "In matmul: gpulab demo mistakes matmul --from no-second-barrier"})
    EXPECT_TRUE(contains(explained.out, part)) << explained.out;
  const std::string cases = run({"explain", "out", "of", "bounds"}).out;
  for (const char* entry : {"out-of-bounds access  the term\n", "out-of-bounds-write   a thread writes"})
    EXPECT_LT(cases.find(entry), cases.find("\nout-of-bounds (pattern")) << cases;
  EXPECT_LE(lines_of(cases).size(), 23U) << "one screen";
}

TEST_F(DemoCommand, RefusesWhatItCannotPlay) {
  expect_refusal({"demo", "histo"}, 2, "there is no lesson 'histo'; did you mean 'shared-histogram'?");
  write("demo.txt", script);
  write("bad.txt", "== a\nshow: nothing-like-it\n");
  expect_refusal({"demo", "histogrm"}, 2, "did you mean");
  expect_refusal({"demo", "mistakes"}, 2, "gpulab demo mistakes LESSON");
  expect_refusal({"demo", "first-kernel", "primes"}, 2,
                 "one lesson at a time: gpulab demo first-kernel, and then gpulab demo primes");
  expect_refusal({"demo", "mistake", "matmul"}, 2, "did you mean gpulab demo mistakes matmul?");
  expect_refusal({"demo", "matmul", "mistakes"}, 2, "did you mean gpulab demo mistakes matmul?");
  expect_refusal({"demo", "mistakes", "first-kernel", "--only", "nosuch"}, 2,
                 "a step is a number, or a name: --steps lists them");
  EXPECT_TRUE(contains(run({"demo", "--help"}).out, "gpulab demo LESSON [options]"));
  expect_refusal({"demo", "mistakes", "radio-astronomy"}, 2, "radio-astronomy");
  expect_refusal({"demo", "histogram", "--script", "bad.txt"}, 2, "bad.txt:2");
  expect_refusal({"demo", "histogram", "--script", "none.txt"}, 2, "none.txt");
  expect_refusal({"demo", "histogram", "--script", "demo.txt", "--from", "9"}, 2, "2 steps");
  expect_refusal({"demo", "mistakes", "vector-multiply", "--only", "squares", "--from", "9"}, 2, "1 step\n");
  expect_refusal({"demo", "histogram", "--script", "demo.txt", "--from", "lost"}, 2, "did you mean 'last'?");
  expect_refusal({"demo", "histogram", "--script", "demo.txt", "--notes", "/no/where"}, 2, "/no/where");
  expect_refusal({"demo", "histogram", "--script", "demo.txt", "--notes", "demo.txt"}, 2, "it is the script");
  expect_refusal({"demo", "histogram", "--script", "demo.txt", "--folder", ""}, 2,
                 "--folder needs a value, and it is empty");
  expect_refusal({"demo", "histogram", "--folder", "/proc/x"}, 2, "/proc/x");
  expect_refusal({"demo", "mistakes", "first-kernel", "--form", "2"}, 2, "did you mean '--from'?");
  expect_refusal({"demo", "first-kernel", "--sise", "3"}, 2, "the keys + and - double and halve the size");
  expect_refusal({"demo", "first-kernel", "--size", "0"}, 2, "the keys + and - double and halve the size");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refusal({"demo", "histogram", "--script", "demo.txt", "--notes", "pipe"}, 2, "it is a pipe");
  expect_refusal({"demo", "histogram", "--script", "demo.txt", "--device", "cuda"}, 4, "");
}

TEST_F(DemoCommand, RefusesAtTheStartWhatALaterStepCannotDo) {
  const std::string first = "== a\ntext: x\n\n== b\nshow: shared\n";
  for (const auto& [line, why] :
       {std::pair("with: --nonsense\n", "--nonsense"), std::pair("with: --size 0\n", "--size 0"),
        std::pair("with: --help\n", "--help"), std::pair("edit:\n  - no such line\n", "no such line")}) {
    write("demo.txt", first + line);
    const ProgramRun played = run({"demo", "histogram", "--script", "demo.txt"});
    EXPECT_EQ(played.exit_code, 2);
    EXPECT_EQ(played.out, "");
    EXPECT_TRUE(contains(played.err, "step 2 b: ") && contains(played.err, why)) << played.err;
  }
}

}  // namespace
}  // namespace gpulab::cli
