#include "check/files.hpp"

#include <poll.h>

#include "base/error.hpp"
#include "base/files.hpp"
#include "check/folder_fixture.hpp"
#include "folder_fixture.hpp"

namespace gpulab::check {
namespace {

TEST(TextEdits, ReplaceLinesOfOneKernelWhateverTheirMargins) {
  const std::string file = "__global__ void a() {\n  x();\n}\n__global__ void b() {\n    x();\n    y();\n}\n";
  EXPECT_EQ(edited(file, {{"", {"x();", "y();"}, {"z();", "  w();"}}}, "b"),
            "__global__ void a() {\n  x();\n}\n__global__ void b() {\n    z();\n      w();\n}\n");
  EXPECT_THROW(edited(file, {{"", {"q();"}, {}}}, "b"), UsageError);
}

// Returns the mistake that an edit makes of a solution, or why it is refused.
std::string text_or_refusal(const std::string& edit) {
  try {
    return mistake_text("m/a.diff", "// expect: x\n" + edit,
                        "// The solution.\nx();\n\n{\n  y();\n}\ny();\n");
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Mistakes, AreEditsOfASolution) {
  EXPECT_EQ(text_or_refusal("@@\n-x();\n+z();\n\n {\n+  w();\n@@ -1,2 @@\n }\n-y();\n"),
            "// expect: x\n// The solution.\nz();\n\n{\n  w();\n  y();\n}\n");
  EXPECT_EQ(mistake_text("m/a.cu", "@@\n", "x"), "@@\n");
}

TEST(Mistakes, MayBreakTheSentencesOfTheirFirstLines) {
  const std::string sentence = "// expect: pass\n// because: It looks\n// wrong, and is not.\n";
  const std::string kept = mistake_text("m/a.cu", sentence + "\nx();\n", "");
  EXPECT_EQ(said_in_mistake(kept, "because: "), "It looks wrong, and is not.");
  EXPECT_TRUE(kept.ends_with("//\n\nx();\n")) << "line numbers stay";
  const std::string made =
      mistake_text("m/a.diff", sentence + "@@\n-x();\n+y();\n", "// The solution.\nx();\n");
  EXPECT_EQ(said_in_mistake(made, "because: "), "It looks wrong, and is not.");
}

TEST(Mistakes, AreRefusedWhereAnEditDoesNotApply) {
  EXPECT_EQ(text_or_refusal("@@\n-z();\n"),
            "m/a.diff:2: there is no line 'z();' to be replaced, or beside one");
  EXPECT_EQ(text_or_refusal("@@\n x();\n-w();\n"),
            "m/a.diff:2: there is no line 'w();' to be replaced, or beside one");
  EXPECT_EQ(text_or_refusal("@@\n x();\n-y();\n"),
            "m/a.diff:2: the lines to be replaced and those beside them do not follow each other there");
  EXPECT_EQ(text_or_refusal("@@\n-x();\n@@\n y();\n+z();\n"),
            "m/a.diff:4: more than one place fits; add a line beside it that is there already");
  EXPECT_EQ(text_or_refusal("@@\n+x();\n"),
            "m/a.diff:2: more than one place fits; add a line beside it that is there already");
  EXPECT_EQ(text_or_refusal("@@\nx();\n"), "m/a.diff:3: a line of an edit begins with a space, - or +");
  EXPECT_EQ(text_or_refusal("x();\n"), "m/a.diff: there is no line @@, below which an edit begins");
}

class ExerciseFiles : public FolderTest {
 protected:
  ExerciseFile in_folder(const std::string& file) const { return find_exercise((folder / file).string()); }

  static std::string refusal(const std::string& word) {
    try {
      return find_exercise(word).exercise.lesson + " was found";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
};

TEST_F(ExerciseFiles, AreFoundByLessonAliasAndFile) {
  for (const char* word : {"shared-histogram", "histogram", "shared_histogram", "shared_histogram.cu",
                           "some/folder/shared_histogram.cu", "./shared_histogram.12.cu"})
    EXPECT_EQ(find_exercise(word).exercise.lesson, "shared-histogram") << word;
}

TEST_F(ExerciseFiles, HaveThePathOfTheFileThatWasMeant) {
  EXPECT_EQ(find_exercise("histogram").path, "shared_histogram.cu");
  EXPECT_EQ(find_exercise("histogram").folder(), ".");
  const ExerciseFile copy = find_exercise("some/shared_histogram.2.cu");
  EXPECT_EQ(copy.path, "some/shared_histogram.2.cu");
  EXPECT_EQ(copy.folder(), "some");
  EXPECT_FALSE(copy.has_own_name());
  EXPECT_EQ(copy.with_own_name().path, "some/shared_histogram.cu");
  EXPECT_TRUE(copy.with_own_name().has_own_name());
}

TEST_F(ExerciseFiles, AreRefusedWithTheNearestName) {
  EXPECT_EQ(refusal("histogran"), "there is no exercise 'histogran'; did you mean 'histogram'?");
  EXPECT_EQ(refusal("first_kernal.cu"),
            "there is no file first_kernal.cu; gpulab start first-kernel writes first_kernel.cu");
  EXPECT_NE(refusal("zzzzzzzzz").find("gpulab progress lists the exercises"), std::string::npos);
  EXPECT_NE(refusal("first_kernel.old.cu").find("there is no file"), std::string::npos);
  EXPECT_NE(refusal("").find("there is no exercise ''"), std::string::npos);
}

TEST_F(ExerciseFiles, OfQuestionsAreFoundLikeThoseOfKernels) {
  for (const char* word : {"streams", "streams.txt", "some/streams.3.txt"})
    EXPECT_EQ(find_exercise(word).exercise.lesson, "streams") << word;
  EXPECT_EQ(find_exercise("streams").path, "streams.txt");
  EXPECT_EQ(find_exercise("streams.3.txt").with_own_name().path, "streams.txt");
  EXPECT_EQ(find_exercise("streams.cu").path, "streams.cu") << "the lesson's other exercise";
  EXPECT_NE(refusal("first_kernel.txt").find("gpulab start first-kernel writes first_kernel.cu"),
            std::string::npos);
}

TEST_F(ExerciseFiles, AreNotThereForALessonWithoutAnExercise) {
  EXPECT_NE(refusal("radio-astronomy").find("radio-astronomy has no exercise"), std::string::npos);
}

TEST_F(ExerciseFiles, AreListedInTheOrderOfTheCourse) {
  for (const char* file : {"shared_histogram.cu", "first_kernel.cu", "first_kernel.1.cu", "other.cu"})
    write(file, "");
  const auto found = exercises_in(folder);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, folder / "first_kernel.cu");
  EXPECT_EQ(found[1].path, folder / "shared_histogram.cu");
}

TEST_F(ExerciseFiles, AreWrittenOnce) {
  const ExerciseFile exercise = in_folder("first_kernel.cu");
  EXPECT_TRUE(write_starter(exercise));
  EXPECT_EQ(read("first_kernel.cu"), exercise.exercise.starter);
  write("first_kernel.cu", "mine");
  EXPECT_FALSE(write_starter(exercise));
  EXPECT_EQ(read("first_kernel.cu"), "mine");
}

TEST_F(ExerciseFiles, KeepEveryVersionWhenTheyBeginAgain) {
  const ExerciseFile exercise = in_folder("first_kernel.cu");
  write("first_kernel.cu", "one");
  EXPECT_EQ(restore_starter(exercise), folder / "first_kernel.1.cu");
  EXPECT_EQ(read("first_kernel.cu"), exercise.exercise.starter);
  write("first_kernel.cu", "two");
  EXPECT_EQ(restore_starter(exercise), folder / "first_kernel.2.cu");
  EXPECT_EQ(read("first_kernel.1.cu"), "one");
  EXPECT_EQ(read("first_kernel.2.cu"), "two");
  EXPECT_EQ(files(), (Names{"first_kernel.1.cu", "first_kernel.2.cu", "first_kernel.cu"}));
}

TEST_F(ExerciseFiles, KeepNothingWhereThereIsNothingToKeep) {
  const ExerciseFile exercise = in_folder("first_kernel.cu");
  EXPECT_EQ(restore_starter(exercise), std::nullopt) << "no file";
  EXPECT_EQ(restore_starter(exercise), std::nullopt) << "the starter";
  EXPECT_EQ(files(), Names{"first_kernel.cu"});
}

TEST_F(ExerciseFiles, KeepWhatALinkPointsToWhenTheyBeginAgain) {
  write("elsewhere.cu", "mine");
  std::filesystem::create_symlink("elsewhere.cu", folder / "first_kernel.cu");
  restore_starter(in_folder("first_kernel.cu"));
  EXPECT_EQ(read("elsewhere.cu"), "mine");
  EXPECT_EQ(read("first_kernel.1.cu"), "mine");
}

class LearnersFile : public FolderTest {};

TEST_F(LearnersFile, IsItsTextUnderTheNameThatWasGiven) {
  write("mine.cu", "__global__ void k() {}\n");
  const device::KernelSource source = learner_file(folder / "mine.cu");
  EXPECT_EQ(source.name, (folder / "mine.cu").string());
  EXPECT_EQ(source.text, "__global__ void k() {}\n");
}

TEST_F(LearnersFile, IsRefusedWhereItCannotBeAKernelFile) {
  write("large.cu", std::string((1 << 20) + 1, ' '));
  write("binary.cu", std::string("\x7f"
                                 "ELF\0",
                                 5));
  for (const std::string& name :
       {std::string("large.cu"), std::string("binary.cu"), std::string("no.cu"), std::string()})
    EXPECT_THROW(learner_file(folder / name), UsageError) << name;
}

using Paths = std::vector<std::filesystem::path>;

class SavedFilesTest : public FolderTest {
 protected:
  Paths all() const { return {folder / "a.cu", folder / "b.cu"}; }
};

TEST_F(SavedFilesTest, AreThoseThatAreNew) {
  SavedFiles saved;
  EXPECT_EQ(saved.take_changed(all()), Paths{});
  write("a.cu", "");
  EXPECT_EQ(saved.take_changed(all()), Paths{folder / "a.cu"});
  EXPECT_EQ(saved.take_changed(all()), Paths{});
  write("b.cu", "");
  EXPECT_EQ(saved.take_changed(all()), Paths{folder / "b.cu"});
}

TEST_F(SavedFilesTest, AreThoseThatWereWrittenOrReplaced) {
  SavedFiles saved;
  write("a.cu", "1");
  write("b.cu", "1");
  saved.take_changed(all());
  write("a.cu", "12");
  EXPECT_EQ(saved.take_changed(all()), Paths{folder / "a.cu"});
  write("new", "1");
  std::filesystem::rename(folder / "new", folder / "b.cu");
  EXPECT_EQ(saved.take_changed(all()), Paths{folder / "b.cu"});
}

TEST_F(SavedFilesTest, WakeWhoPollsTheirFolder) {
  const FolderEvents events({folder});
  if (events.descriptor() < 0) GTEST_SKIP() << "this machine has no inotify";
  pollfd source{.fd = events.descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&source, 1, 0), 0);
  write("a.cu", "1");
  EXPECT_EQ(::poll(&source, 1, 0), 1);
  events.wait_until_quiet();
  EXPECT_EQ(::poll(&source, 1, 0), 0);
  write("new", "1");
  events.drain();
  std::filesystem::rename(folder / "new", folder / "a.cu");
  EXPECT_EQ(::poll(&source, 1, 0), 1) << "renamed over the old file";
}

}  // namespace
}  // namespace gpulab::check
