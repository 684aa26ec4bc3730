#include "check/answers.hpp"

#include "base/error.hpp"
#include "check/files.hpp"
#include "check/folder_fixture.hpp"

namespace gpulab::check {
namespace {

class CheckAnswers : public FolderTest {
 protected:
  static CheckResult checked(const std::string& text) {
    return check_answers(find_exercise("transfers").exercise, "transfers.txt", text);
  }
  std::string refusal(const std::string& file) const {
    try {
      learners_file(find_exercise("transfers").exercise, folder / file);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
};

TEST_F(CheckAnswers, SaysOfEveryQuestionHowItStands) {
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

TEST_F(CheckAnswers, NamesTheLineOfEveryAnswerThatIsNotRight) {
  const CheckResult result = checked("1. Page-locked memory\n  answer: 7\n2. Pageable memory\nanswer:\n");
  EXPECT_EQ(result.line, 2);
  EXPECT_EQ(result.column, 3);
  ASSERT_EQ(result.related.size(), 1u) << "the others have no line in this file";
  EXPECT_EQ(result.related[0].line, 4);
  EXPECT_EQ(result.related[0].pattern, "unanswered");
  EXPECT_EQ(result.related[0].text, "2. Pageable memory: no answer yet");
}

TEST_F(CheckAnswers, TellsOfAWrongAnswerBeforeAMissingOne) {
  const CheckResult result = checked("1. Page-locked memory\nanswer:\n3. Small copies\nanswer: 1 x\n");
  EXPECT_EQ(result.pattern, "latency-forgotten");
}

TEST_F(CheckAnswers, AsksWhatTheExerciseAsksWhateverTheFileSays) {
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
  EXPECT_NE(refusal("binary").find("it is no text; a file of answers is"), std::string::npos);
  EXPECT_NE(refusal("large").find("a file of answers has at most 1 048 576 bytes"), std::string::npos);
  EXPECT_NE(refusal("nowhere").find("cannot read"), std::string::npos);
}

}  // namespace
}  // namespace gpulab::check
