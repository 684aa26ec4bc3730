#include "check/answers.hpp"

#include "base/error.hpp"
#include "check/files.hpp"
#include "check/folder_fixture.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

const std::string sheet = R"(# A comment, and an
answer: 1

1. Two streams
   Kernels, which take so long:
     primes: 6 ms
     count primes: 1 ms
   The link carries 55: that is not a fact.
answer (ms, exact): 7 ms   # 6 + 1

2. Doubles
   __global__ void twice(const double* A, double* C) {
     C[threadIdx.x] = 2 * A[threadIdx.x];
   }
     threads: 256
answer (sectors, within 2.5 %):
)";

TEST(AnswerSheet, HasQuestionsUnderTheirHeadings) {
  const auto questions = asked_questions(sheet);
  ASSERT_EQ(questions.size(), 2u);
  EXPECT_EQ(questions[0].heading, "1. Two streams");
  EXPECT_EQ(questions[0].name, "Two streams");
  EXPECT_EQ(questions[1].heading, "2. Doubles");
}

TEST(AnswerSheet, HasFactsInSiUnits) {
  const auto questions = asked_questions(sheet);
  EXPECT_DOUBLE_EQ(questions[0].facts.of("primes"), 6e-3);
  EXPECT_DOUBLE_EQ(questions[0].facts.of("count primes"), 1e-3);
  EXPECT_DOUBLE_EQ(questions[1].facts.of("threads"), 256);
  EXPECT_THROW(questions[0].facts.of("threads"), std::logic_error);
  EXPECT_THROW(questions[0].facts.of("The link carries"), std::logic_error);
}

TEST(AnswerSheet, HasTheTextOfKernels) {
  const auto questions = asked_questions(sheet);
  EXPECT_EQ(questions[0].kernels, "");
  EXPECT_EQ(questions[1].kernels,
            "__global__ void twice(const double* A, double* C) {\nC[threadIdx.x] = 2 * A[threadIdx.x];\n}\n");
}

TEST(AnswerSheet, SaysHowToAnswer) {
  const auto questions = asked_questions(sheet);
  EXPECT_EQ(questions[0].unit, "ms");
  EXPECT_EQ(questions[0].tolerance, 0);
  EXPECT_EQ(questions[1].unit, "sectors");
  EXPECT_DOUBLE_EQ(questions[1].tolerance, 0.025);
}

TEST(AnswerSheet, HasAnswersWithTheirLinesAndWithoutNotes) {
  const auto questions = asked_questions(sheet);
  EXPECT_EQ(questions[0].answer, "7 ms");
  EXPECT_EQ(questions[0].line, 9);
  EXPECT_EQ(questions[0].source, "answer (ms, exact): 7 ms   # 6 + 1");
  EXPECT_EQ(questions[1].answer, "");
  EXPECT_EQ(questions[1].line, 16);
}

TEST(AnswerSheet, AcceptsTheWaysInWhichLearnersWriteAnAnswer) {
  const auto answer = [](const std::string& line) { return asked_questions("1. One\n" + line)[0].answer; };
  EXPECT_EQ(answer("answer: 7 ms"), "7 ms");
  EXPECT_EQ(answer("  Answer :7\r\n"), "7");
  EXPECT_EQ(answer("answer (whatever): 7"), "") << "not a line for an answer";
  EXPECT_EQ(answer("answer: 6\nanswer: 7\nanswer:\n"), "7") << "the last that is not empty";
  EXPECT_EQ(answer(""), "");
}

TEST(AnswerSheet, IsEmptyWhereNothingIsAsked) {
  EXPECT_TRUE(asked_questions("").empty());
  EXPECT_TRUE(asked_questions(std::string(1000000, 'a')).empty());
  EXPECT_TRUE(asked_questions("1. \nanswer: 7\n").empty());
}

const Question sum_of_two{.name = "Sum",
                          .answer = [](const Facts& facts) { return facts.of("a") + facts.of("b"); },
                          .errors = {{"longest-alone", "that is the longer one",
                                      [](const Facts& facts) { return facts.of("a"); }}}};

AskedQuestion asked(const std::string& unit, double a, double b, double tolerance = 0) {
  AskedQuestion question{.heading = "1. Sum", .name = "Sum", .unit = unit, .tolerance = tolerance};
  question.facts.set("a", a);
  question.facts.set("b", b);
  return question;
}

std::string pattern(const std::string& answer, const AskedQuestion& question) {
  return judge_answer(answer, question, sum_of_two).pattern;
}

TEST(JudgeAnswer, PassesWhatIsRightInAnyUnit) {
  const AskedQuestion question = asked("ms", 4e-3, 3e-3);
  for (const char* answer : {"7", "7 ms", "7.0ms", "7000 us", "0.007 s"}) {
    EXPECT_EQ(pattern(answer, question), "") << answer;
    EXPECT_TRUE(judge_answer(answer, question, sum_of_two).is_right());
  }
}

TEST(JudgeAnswer, PassesWhatIsNearWithinTheTolerance) {
  const AskedQuestion question = asked("ms", 60e-3, 40e-3, 0.02);
  for (const char* answer : {"98", "100", "102"}) EXPECT_EQ(pattern(answer, question), "") << answer;
  for (const char* answer : {"97.9", "102.1"}) EXPECT_EQ(pattern(answer, question), "wrong-number") << answer;
  EXPECT_EQ(pattern("100.001", asked("ms", 60e-3, 40e-3)), "wrong-number") << "exact";
}

TEST(JudgeAnswer, NamesTheTypicalErrorThatItFits) {
  const AnswerJudgement judgement = judge_answer("4 ms", asked("ms", 4e-3, 3e-3), sum_of_two);
  EXPECT_EQ(judgement.pattern, "longest-alone");
  EXPECT_EQ(judgement.explanation, "that is the longer one");
}

TEST(JudgeAnswer, NamesMistakesInUnits) {
  const AskedQuestion time = asked("ms", 4e-3, 3e-3);
  for (const char* answer : {"7 s", "0.007", "7 us", "7 ns", "7000"})
    EXPECT_EQ(pattern(answer, time), "wrong-prefix") << answer;
  EXPECT_EQ(pattern("56 ms", time), "bits-for-bytes");
  EXPECT_EQ(pattern("7 x", time), "wrong-unit");
  EXPECT_EQ(pattern("7 kB", time), "wrong-unit");
  EXPECT_EQ(pattern("64 KiB", asked("kB", 32e3, 32e3)), "wrong-unit") << "64 kB are not 64 KiB";
  EXPECT_EQ(pattern("25 x", asked("%", 0.125, 0.125)), "wrong-unit");
  EXPECT_EQ(pattern("0.25", asked("%", 0.125, 0.125)), "fraction-for-percent");
  EXPECT_EQ(pattern("0.25 x", asked("%", 0.125, 0.125)), "") << "x is the unit of a fraction";
  EXPECT_EQ(pattern("0.5", asked("x", 1.5, 0.5)), "upside-down");
  EXPECT_EQ(pattern("2000", asked("sectors", 1.5, 0.5)), "wrong-number") << "a count has no prefix";
}

TEST(JudgeAnswer, SaysThatTheNumberWouldBeRightInAnotherUnit) {
  const AskedQuestion time = asked("ms", 4e-3, 3e-3);
  const auto says_so = [&](const char* answer) {
    return judge_answer(answer, time, sum_of_two).explanation.find("number would be right") !=
           std::string::npos;
  };
  EXPECT_TRUE(says_so("7 kB"));
  EXPECT_FALSE(says_so("8 kB"));
  EXPECT_FALSE(says_so("8 us"));
}

TEST(JudgeAnswer, NamesMissingAndUnreadableAnswers) {
  const AskedQuestion question = asked("ms", 4e-3, 3e-3);
  EXPECT_EQ(pattern("", question), unanswered);
  EXPECT_EQ(pattern("seven", question), "unreadable-answer");
  EXPECT_EQ(pattern("0", question), "wrong-number");
  EXPECT_TRUE(contains(judge_answer("2,44 ms", question, {}).explanation, "a point, not a comma"));
}

TEST(JudgeAnswer, DoesNotGiveTheAnswerAway) {
  const AskedQuestion question = asked("ms", 4e-3, 3e-3);
  for (const char* answer : {"", "x", "4", "56 kB", "8", "99"})
    EXPECT_EQ(judge_answer(answer, question, sum_of_two).explanation.find('7'), std::string::npos) << answer;
}

class CheckAnswers : public FolderTest {
 protected:
  static CheckResult checked(const std::string& text) {
    return check_answers(find_exercise("transfers").exercise, "transfers.txt", text);
  }
  std::string refusal(const std::string& file) const {
    return message_thrown<UsageError>(
        [&] { learner_file(find_exercise("transfers").exercise, folder / file); });
  }
};

TEST_F(CheckAnswers, ListsTheStateOfEveryQuestion) {
  const CheckResult result =
      checked("1. Page-locked memory\nanswer: 2.44\n2. Pageable memory\nanswer: 1 ms\n");
  EXPECT_EQ(result.details, (Names{"1. Page-locked memory: right", "2. Pageable memory: not right",
                                   "3. Small copies: no answer yet", "4. Half of the link: no answer yet",
                                   "5. End to end: no answer yet"}));
  EXPECT_TRUE(result.summary.starts_with("1 of 5 answers is right. Question 2, Pageable memory: "))
      << result.summary;
  EXPECT_EQ(result.line, 4);
  EXPECT_EQ(result.source, "answer: 1 ms");
  EXPECT_EQ(result.questions, 5u);
  EXPECT_EQ(result.right_answers, 1u);
}

TEST_F(CheckAnswers, ExplainsEachAnswerThatIsACommonMistake) {
  const CheckResult result = checked(
      "1. Page-locked memory\nanswer: 7\n2. Pageable memory\nanswer: 1\n3. Small copies\nanswer: 1 x\n");
  EXPECT_EQ(result.details[1], "2. Pageable memory: not right");
  EXPECT_TRUE(result.details[2].starts_with("3. Small copies: ")) << result.details[2];
  EXPECT_FALSE(contains(result.details[2], "not right")) << result.details[2];
  EXPECT_EQ(result.related[1].text, result.details[2]);
}

TEST_F(CheckAnswers, NamesTheLineOfEveryAnswerThatIsNotRight) {
  const CheckResult result = checked("1. Page-locked memory\n  answer: 7\n2. Pageable memory\nanswer:\n");
  EXPECT_EQ(result.line, 2);
  EXPECT_EQ(result.column, 3);
  ASSERT_EQ(result.related.size(), 1u) << "the others have no line in this file";
  EXPECT_EQ(result.related[0].line, 4);
  EXPECT_EQ(result.related[0].pattern, "unanswered");
  EXPECT_EQ(result.related[0].text, "2. Pageable memory: no answer yet");
}

TEST_F(CheckAnswers, ListsTheFirstQuestionToo) {
  const CheckResult result = checked("1. Page-locked memory\nanswer:\n2. Pageable memory\nanswer:\n");
  EXPECT_TRUE(result.summary.starts_with("Nothing is answered yet"));
  ASSERT_EQ(result.related.size(), 2u);
  EXPECT_EQ(result.related[0].text, "1. Page-locked memory: no answer yet");
}

TEST_F(CheckAnswers, NamesAWrongAnswerBeforeAMissingOne) {
  const CheckResult result = checked("1. Page-locked memory\nanswer:\n3. Small copies\nanswer: 1 x\n");
  EXPECT_EQ(result.pattern, "latency-forgotten");
}

TEST_F(CheckAnswers, UsesTheQuestionsOfTheExerciseWhateverTheFileSays) {
  const CheckResult result = checked("1. Page-locked memory\nbytes: 1 MB\nanswer (s, within 100 %): 1\n");
  EXPECT_EQ(result.details[0], "1. Page-locked memory: not right");
}

TEST_F(CheckAnswers, TakesAnEmptyFileForUnanswered) {
  const CheckResult result = checked("");
  EXPECT_EQ(result.pattern, "unanswered");
  EXPECT_EQ(result.line, 0);
}

TEST_F(CheckAnswers, RefusesWhatIsNoText) {
  std::filesystem::create_directory(folder / "a folder");
  write("binary", std::string("a\0b", 3));
  write("large", std::string((std::size_t{1} << 20) + 1, 'a'));
  EXPECT_NE(refusal("a folder").find("is a folder, not a file of answers"), std::string::npos);
  EXPECT_NE(refusal("binary").find("it is not a text; a file of answers is"), std::string::npos);
  EXPECT_NE(refusal("large").find("a file of answers has at most 1 048 576 bytes"), std::string::npos);
  EXPECT_NE(refusal("nowhere").find("cannot read"), std::string::npos);
}

TEST(AnsweredSheet, HasAnswersAndReasonsInTheirPlaces) {
  const Exercise exercise{
      .starter = "# head\n\n1. One\n   text\nanswer (ms, exact):\n\n2. Two\nanswer (x, exact):\n",
      .solution = "1. One\nanswer: 7 ms\n# because\n# of that\n\n2. Two\nanswer: 3 x\n"};
  EXPECT_EQ(answered_sheet(exercise),
            "# head\n\n1. One\n   text\nanswer (ms, exact): 7 ms\n# because\n# of that\n\n2. Two\n"
            "answer (x, exact): 3 x\n");
}

TEST(AnsweredSheet, LeavesAQuestionOpenThatHasNoAnswer) {
  const Exercise exercise{.starter = "1. One\nanswer (ms, exact):\n2. Two\nanswer (x, exact):\n",
                          .solution = "2. Two\nanswer: 3 x"};
  EXPECT_EQ(answered_sheet(exercise), "1. One\nanswer (ms, exact):\n2. Two\nanswer (x, exact): 3 x\n");
}

const Unit& ms = *unit_called("ms");

double value_of(const std::string& text) {
  const auto given = quantity(text, ms);
  EXPECT_TRUE(given) << text;
  return given ? given->value : -1;
}

TEST(Quantity, HasTheUnitThatIsWrittenBehindIt) {
  EXPECT_DOUBLE_EQ(value_of("3 s"), 3);
  EXPECT_DOUBLE_EQ(value_of("3 us"), 3e-6);
  EXPECT_DOUBLE_EQ(value_of("3 \u00b5s"), 3e-6);
  EXPECT_DOUBLE_EQ(value_of("2.5kB"), 2500);
  EXPECT_DOUBLE_EQ(value_of("55 GB/s"), 55e9);
  EXPECT_DOUBLE_EQ(value_of("25 %"), 0.25);
  EXPECT_DOUBLE_EQ(value_of("1.75x"), 1.75);
  EXPECT_DOUBLE_EQ(value_of(" 8 sectors "), 8);
  EXPECT_EQ(quantity("8 sectors", ms)->dimension, Dimension::number);
  EXPECT_EQ(quantity("55 GB/s", ms)->dimension, Dimension::rate);
}

TEST(Quantity, HasTheUnitOfTheQuestionWithoutOne) {
  EXPECT_DOUBLE_EQ(value_of("7"), 7e-3);
  EXPECT_EQ(quantity("7", ms)->dimension, Dimension::time);
}

TEST(Quantity, TakesNumbersAsPeopleWriteThem) {
  EXPECT_DOUBLE_EQ(value_of("1 000 000 us"), 1);
  EXPECT_DOUBLE_EQ(value_of(".5 s"), 0.5);
  EXPECT_DOUBLE_EQ(value_of("1e3"), 1);
  EXPECT_DOUBLE_EQ(value_of("2.5e-3 s"), 2.5e-3);
}

TEST(Quantity, IsRefusedWhereTheTextIsNoNumberWithAUnit) {
  for (const std::string text : {"", " ", "ms", "seven", "7,5 ms", "-7 ms", "+7", "7 parsecs", "7 ms 3",
                                 "1 2", "1 00", "nan", "inf", "1e999", "0x10", "7..5", "3 / 4", "about 7 ms"})
    EXPECT_FALSE(quantity(text, ms)) << text;
  EXPECT_FALSE(quantity(std::string(100000, '1'), ms));
}

const std::string kernels = R"(__global__ void every_other(const float* A, float* C, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  C[i] = A[stride * i];
}
)";

const Input<float> A{"A"};
const Output<float> C{"C"};
const Scalar<int> stride{"stride"};

class CountAccesses : public simulator::SimulatorTest {
 protected:
  Facts counted(const CountedKernel& kernel) {
    const auto module =
        device().compile({"questions.cu", kernels}, {.instrumentation = device::Instrumentation::counted});
    Facts facts;
    count_accesses(kernel, *module, device(), facts);
    return facts;
  }
};

TEST_P(CountAccesses, AddsWhatWarpsTouchToTheFacts) {
  const Facts facts =
      counted({"every_other", {.grid = {4}, .block = {64}}, {A(512), C(256)}, {A, C, stride(2)}});
  EXPECT_EQ(facts.of(counted_sectors_per_load), 8);
  EXPECT_EQ(facts.of(counted_sectors_per_store), 4);
  EXPECT_EQ(facts.of(counted_used_part_of_loads), 0.5);
}

TEST_P(CountAccesses, RefusesAKernelThatIsNotThere) {
  EXPECT_THROW(counted({"every_third", {.grid = {1}, .block = {1}}, {C(1)}, {C}}), CompileError);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CountAccesses, simulator::both_compilers, simulator::name_of_compiler);

}  // namespace
}  // namespace gpulab::check
