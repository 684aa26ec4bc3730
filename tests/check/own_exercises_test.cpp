#include "check/own_exercises.hpp"

#include "base/error.hpp"
#include "check/causes.hpp"
#include "check/checks.hpp"
#include "folder_fixture.hpp"

namespace gpulab::check {
namespace {

class OwnExercises : public FolderTest {
 protected:
  OwnExercises() { write_exercise("saxpy"); }
  ~OwnExercises() override { use_exercises({}); }

  void write_exercise(const std::string& name) const {
    std::filesystem::create_directories(folder / name / "mistakes");
    write(name + "/exercise.toml", toml);
    write(name + "/reference.cpp", reference);
    write(name + "/starter.cu", "__global__ void saxpy(int n, float a, const float* X, float* Y) {}\n");
    write(name + "/solution.cu",
          "__global__ void saxpy(int n, float a, const float* X, float* Y) {\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) Y[i] = a * X[i] + 1;\n}\n");
    write(name + "/hints.txt", "One.\n---\nTwo.\n");
  }

  // Replaces a part of a file of the exercise.
  void change(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read("saxpy/" + file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write("saxpy/" + file, text.replace(at, from.size(), to));
  }

  // Returns the error of reading the exercise, without the folder's own path.
  std::string refusal() const {
    try {
      read_exercises(folder);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
      std::string text = error.what();
      const std::string path = folder.string() + "/";
      if (const std::size_t at = text.find(path); at != std::string::npos) text.erase(at, path.size());
      return text;
    }
  }

  // Runs the reference at a size, and returns its error or nothing. `rest` is then the last Y - a * X.
  std::string reference_error(std::size_t size, float& rest) const {
    const Lesson lesson = read_exercise(folder / "saxpy").lesson;
    Settings settings = lesson.default_settings();
    settings.options["n"] = std::uint64_t{size};
    const Problem problem = lesson.problem(settings);
    Inputs inputs(problem.arrays);
    Outputs outputs(problem.arrays);
    problem.fill(inputs, 1);
    try {
      problem.references.plain(inputs, outputs);
    } catch (const Error& error) {
      return error.what();
    }
    rest = outputs.find("Y")->as<float>()[size - 1] - 2.5f * inputs.find("X")->as<float>()[size - 1];
    return "";
  }

  const std::string toml =
      "title = \"a * X + 1\"\n[sizes]\nn = { default = 500, max = 9000 }\n[arrays]\n"
      "X = { length = \"n\", range = [-1, 1] }\nY = { length = \"n\" }\n[scalars]\na = 2.5\n";
  const std::string reference =
      "void reference(int n, float a, const float* X, float* Y) {\n"
      "  for (int i = 0; i < n; ++i) Y[i] = a * X[i] + 1;\n}\n";
};

TEST_F(OwnExercises, BecomeALessonAndAnExercise) {
  const OwnExercise own = read_exercises(folder).front();
  EXPECT_EQ(own.exercise.name, "saxpy");
  EXPECT_EQ(own.exercise.file, "saxpy.cu");
  EXPECT_EQ(own.exercise.hints.size(), 2u);
  EXPECT_EQ(own.lesson.title, "a * X + 1");
  EXPECT_EQ(own.lesson.arguments.signature().text(), "(int, float, const float*, float*)");
  const Problem problem = own.lesson.problem(own.lesson.default_settings());
  EXPECT_EQ(problem.array(Output<float>("Y")).length, 500u);
  EXPECT_NO_THROW(own.lesson.require_consistent(problem));
}

TEST_F(OwnExercises, TakeThePlaceOfTheCoursesUntilThereAreNone) {
  const std::size_t all = all_exercises().size();
  use_exercises(read_exercises(folder));
  EXPECT_EQ(all_exercises().size(), 1u);
  EXPECT_EQ(lesson_of(all_exercises().front()).name, "saxpy");
  use_exercises({});
  EXPECT_EQ(all_exercises().size(), all);
}

TEST_F(OwnExercises, AreOrderedByStepThenByName) {
  write_exercise("before");
  change("exercise.toml", "title", "step = 2\ntitle");
  write_exercise("zero");
  std::string names;
  for (const OwnExercise& own : read_exercises(folder)) names += own.exercise.name + " ";
  EXPECT_EQ(names, "before zero saxpy ");
}

TEST_F(OwnExercises, ComputeTheReferenceByOneConfinedThread) {
  float rest = 0;
  EXPECT_EQ(reference_error(700, rest), "");
  EXPECT_NEAR(rest, 1, 1e-5);
}

TEST_F(OwnExercises, SayInWhichLineAReferenceGoesWrong) {
  float ignored = 0;
  change("reference.cpp", "i < n", "i <= n");
  EXPECT_NE(reference_error(700, ignored).find("reads X[700] in line 2, past its 700 elements"),
            std::string::npos);
  write("saxpy/reference.cpp", "void reference(int n, float a, const float* X, float* Y) { Z[0] = 1; }\n");
  EXPECT_NE(reference_error(700, ignored).find("reference.cpp does not compile: line 1"), std::string::npos);
}

TEST_F(OwnExercises, RefuseAWrongFileWithItsLine) {
  const struct {
    const char *file, *from, *to, *refusal;
  } wrong[] = {
      {"exercise.toml", "title", "titel",
       "saxpy/exercise.toml, line 1: there is no key 'titel'; did you mean 'title'?"},
      {"exercise.toml", "= \"a", "\"a", "saxpy/exercise.toml, line 1: "},
      {"exercise.toml", "\"n\" }\n[s", "\"m\" }\n[s", "saxpy/exercise.toml, line 6: 'm' is not a size"},
      {"exercise.toml", "\"n\" }\n[s", "\"n - 500\" }\n[s",
       "saxpy/exercise.toml, line 6: the length of Y, 'n - 500', is 0 where n is 500; it is a whole number from 1 to"},
      {"exercise.toml", "Y = ", "Z = ",
       "saxpy/exercise.toml: [arrays] lacks 'Y', a parameter of reference(): is it 'Z', which"},
      {"exercise.toml", "a = 2.5", "",
       "saxpy/exercise.toml: neither [scalars] nor [sizes] has 'a', a parameter of reference(): write a = 1"},
      {"exercise.toml", "a = 2.5", "a = { default = 2.5, min = 3, max = 9 }",
       "line 8: default is a number from 3 to 9"},
      {"exercise.toml", "a = 2.5", "a = { default = 2.5 }",
       "line 8: a has no min: { default = 2.5, min = -10, max = 10 }"},
      {"exercise.toml", "a = 2.5", "seed = { default = 2.5, min = 0, max = 9 }",
       "line 8: gpulab check has an option --seed; give this number another name"},
      {"exercise.toml", "n = {", "seed = {",
       "saxpy/exercise.toml, line 3: gpulab check has an option --seed"},
      {"exercise.toml", "n = {", "gpu = {", "saxpy/exercise.toml, line 3: gpulab check has an option --gpu"},
      {"exercise.toml", "default = 500", "default = 9001", "line 3: n is a whole number from 1 to 9000"},
      {"exercise.toml", "title", "grid = \"two\"\ntitle",
       "saxpy/exercise.toml, line 1: 'two' is not a size; [sizes] lists them; grid is \"one thread per element\""},
      {"exercise.toml", "title", "grid = \"n / 501\"\ntitle",
       "saxpy/exercise.toml, line 1: the number of blocks, 'n / 501', is 0 where n is 500; it is a whole number"},
      {"exercise.toml", "[scalars]", "grid = \"n\"\n[scalars]",
       "line 7: grid is no array: write it above the first [table]"},
      {"exercise.toml", "[arrays]", "work = \"Y\"\n[arrays]",
       "line 4: work is no size: write it above the first [table]"},
      {"exercise.toml", "title", "demands = [\"fast\"]\ntitle",
       "saxpy/exercise.toml, line 1: there is no demand 'fast'; there are all-threads, coalesced, "},
      {"exercise.toml", "title", "demands = \"coalesced\"\ntitle", "line 1: demands is a list: [\"shared-"},
      {"exercise.toml", "title = \"a * X + 1\"\n", "demands = [\"coalesced\"]\ntitle = \"a\"\n[program]\n",
       "line 1: a whole program has no demands"},
      {"exercise.toml", "title", "block = 2000\ntitle",
       "saxpy/exercise.toml, line 1: block is a whole number from 1"},
      {"exercise.toml", "[-1, 1] }", "[-1, 1], cleared = \"yes\" }", "line 5: cleared is true or false"},
      {"exercise.toml", "[sizes]", "[program]\nsizes = 12\n[sizes]",
       "line 3: sizes is a list: [1000, 1, 4097]"},
      {"exercise.toml", "title", "work = \"Q\"\ntitle", "saxpy/exercise.toml: reference() has no array 'Q'"},
      {"reference.cpp", "float a", "long a",
       "saxpy/reference.cpp, line 1: the parameter a is of type 'long'"},
      {"reference.cpp", "float* Y", "const float* Y", "saxpy/exercise.toml: reference() writes nothing"},
      {"reference.cpp", "void reference", "void compute",
       "saxpy/reference.cpp has no function void reference(...)"},
  };
  for (const auto& [file, from, to, expected] : wrong) {
    write_exercise("saxpy");
    change(file, from, to);
    EXPECT_NE(refusal().find(expected), std::string::npos) << to << ": " << refusal();
  }
}

TEST_F(OwnExercises, NameTheKeyThatIsMeant) {
  change("reference.cpp", "int n, float a", "int number, int n, float a");
  change("exercise.toml", "a = 2.5", "a = 2.5\nnumbr = 3");
  EXPECT_TRUE(
      contains(refusal(), "has 'number', a parameter of reference(): is it 'numbr', which is no parameter?"))
      << refusal();
}

TEST_F(OwnExercises, RefuseMissingFilesAndNamesThatAreTaken) {
  for (const char* file : {"reference.cpp", "starter.cu", "solution.cu", "hints.txt"}) {
    write_exercise("saxpy");
    std::filesystem::remove(folder / "saxpy" / file);
    EXPECT_NE(refusal().find(std::string("cannot read saxpy/") + file), std::string::npos) << refusal();
  }
  write_exercise("saxpy");
  for (const char* name : {"first_kernel", "histogram", "Saxpy2", "a b"}) {
    write_exercise(name);
    EXPECT_NE(refusal(), "") << name;
    std::filesystem::remove_all(folder / name);
  }
  write_exercise("my_sum");
  write_exercise("my-sum");
  EXPECT_NE(refusal().find("two exercises called my-sum"), std::string::npos) << refusal();
  std::filesystem::remove_all(folder / "saxpy");
  std::filesystem::remove_all(folder / "my_sum");
  std::filesystem::remove_all(folder / "my-sum");
  EXPECT_NE(refusal().find("has no exercise"), std::string::npos) << refusal();
}

TEST_F(OwnExercises, AreTriedFileByFile) {
  write("saxpy/mistakes/out-of-bounds-write.cu",
        read("saxpy/solution.cu").replace(read("saxpy/solution.cu").find("i < n"), 5, "i >= 0"));
  write("saxpy/mistakes/right.cu", "// expect: wrong-index\n" + read("saxpy/solution.cu"));
  write("saxpy/mistakes/odd.cu", "// expect: pass, although it looks odd\n" + read("saxpy/solution.cu"));
  write("saxpy/mistakes/unguarded.diff",
        "// expect: out-of-bounds-write\n@@\n-  if (i < n) Y[i] = a * X[i] + 1;\n"
        "+  Y[i] = a * X[i] + 1;\n");
  const OwnExercise own = read_exercise(folder / "saxpy");
  use_exercises({own});
  std::string text;
  for (const TriedFile& file : try_exercise(own, folder / "saxpy"))
    text += file.name + ": " + file.expected + ", " + file.found +
            (file.why.empty() ? "" : ", off: " + file.why) + "\n";
  EXPECT_EQ(text,
            "starter.cu: fail, unwritten-everywhere\nsolution.cu: pass, pass\n"
            "mistakes/odd.cu: pass, pass\n"
            "mistakes/out-of-bounds-write.cu: out-of-bounds-write, out-of-bounds-write\n"
            "mistakes/right.cu: wrong-index, pass, off: mistakes/right.cu should fail, and passes\n"
            "mistakes/unguarded.diff: out-of-bounds-write, out-of-bounds-write\n"
            "exercise.toml: vary, fixed, off: a is always 2.5, so a kernel passes with 2.5 in place of a; "
            "a = { default = 2.5, min = ..., max = ... } varies it\n");
}

TEST_F(OwnExercises, SayWhatTheSolutionMayDoBetterAndWhichMistakesDoNotFitIt) {
  change("solution.cu", "if (i < n)", "for (int k = 0; k < 9; ++k);\n  if (i < n)");
  write("saxpy/mistakes/old.diff", "@@\n-  if (i <= n) Y[i] = a * X[i] + 1;\n+  Y[i] = 1;\n");
  write("saxpy/mistakes/unguarded.diff",
        "// expect: stray-semicolon\n@@\n-  if (i < n) Y[i] = a * X[i] + 1;\n"
        "+  Y[i] = a * X[i] + 1;\n");
  const OwnExercise own = read_exercise(folder / "saxpy");
  use_exercises({own});
  const std::string said =
      tried_text(own, try_exercise(own, folder / "saxpy"), {.colour = false, .width = 400});
  for (const char* part :
       {"ok   solution.cu              pass             pass",
        "off  mistakes/old.diff        be a mistake     refused",
        "ok   mistakes/unguarded.diff  stray-semicolon  stray-semicolon",
        "solution.cu: right, and yet the loop in line 3 does nothing: it ends at the semicolon\n",
        "old.diff does not fit the solution: ",
        "old.diff:1: there is no line 'if (i <= n) Y[i] = a * X[i] + 1;' to be replaced, or beside one\n"})
    EXPECT_TRUE(contains(said, part)) << part << "\n" << said;
}

TEST_F(OwnExercises, SayThatANameIsAPatternAndListWhatMayFailInAnyWay) {
  std::string unguarded = read("saxpy/solution.cu");
  unguarded.replace(unguarded.find("i < n"), 5, "i >= 0");
  for (const char* name : {"one", "two", "no_guard"})
    write("saxpy/mistakes/" + std::string(name) + ".cu", unguarded);
  const OwnExercise own = read_exercise(folder / "saxpy");
  use_exercises({own});
  const std::string said =
      tried_text(own, try_exercise(own, folder / "saxpy"), {.colour = false, .width = 400});
  EXPECT_TRUE(contains(said,
                       "no_guard.cu should fail as no-guard, a pattern, since the file is called so (a first "
                       "line \"// expect: out-of-bounds-write\" says otherwise), and fails as out"))
      << said;
  for (const char* name : {"one", "two"})
    EXPECT_TRUE(contains(
        said, fmt::format("mistakes/{}.cu       fail      out-of-bounds-write   expect, because\n", name)))
        << said;
}

TEST_F(OwnExercises, NameWhatNothingReadsAndLoseNoFractionWithoutAnInteger) {
  change("reference.cpp", read("saxpy/reference.cpp"),
         "void reference(int n, float a, const float* X, float* Y) {\n"
         "  for (int i = 0; i < n; ++i) Y[i] = X[i] > a ? a : X[i];\n}\n");
  change("exercise.toml", read("saxpy/exercise.toml"),
         "title = \"Clip\"\n[sizes]\nn = 100\n[scalars]\na = 1.5\n[arrays]\n"
         "X = { length = \"n\", range = [1, 2] }\nY = { length = \"n\" }\n");
  const OwnExercise own = read_exercise(folder / "saxpy");
  use_exercises({own});
  const auto result_of = [&](const std::string& store) {
    return check_exercise(own.exercise,
                          {"saxpy.cu",
                           "__global__ void saxpy(int n, float a, const float* X, float* Y) {\n"
                           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) " +
                               store + "\n}\n"},
                          {.with_gpu = false});
  };
  for (const auto& [store, unread] : {std::pair("Y[i] = X[i] > 1.0f ? 1.0f : X[i];", "nothing reads 'a'"),
                                      std::pair("Y[i] = a;", "nothing reads 'X'")}) {
    const CheckResult result = result_of(store);
    EXPECT_EQ(result.pattern, "wrong-formula") << store;
    EXPECT_TRUE(result.summary.starts_with(unread)) << result.summary;
  }
  EXPECT_EQ(result_of("Y[i] = (int)(X[i] > a ? a : X[i]);").pattern, "whole-numbers");
}

// A parameter may be there for the reference alone.
TEST_F(OwnExercises, NameFirstWhatOnlyTheSolutionReadsAndNeverWhatItDoesNotRead) {
  change("reference.cpp", read("saxpy/reference.cpp"),
         "void reference(int n, float a, float b, const float* X, float* Y) {\n"
         "  for (int i = 0; i < n; ++i) Y[i] = X[i] > 0 ? X[i] : a * X[i] + 0 * b;\n}\n");
  change(
      "exercise.toml", read("saxpy/exercise.toml"),
      "title = \"Leak\"\n[sizes]\nn = 100\n[scalars]\na = { default = 0.1, min = 0, max = 1 }\nb = 1\n[arrays]\n"
      "X = { length = \"n\", range = [-1, 1] }\nY = { length = \"n\" }\n");
  const auto kernel = [](const std::string& value) {
    return "__global__ void saxpy(int n, float a, float b, const float* X, float* Y) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) Y[i] = " +
           value + ";\n}\n";
  };
  write("saxpy/solution.cu", kernel("X[i] > 0 ? X[i] : a * X[i]"));
  const OwnExercise own = read_exercise(folder / "saxpy");
  use_exercises({own});
  const auto summary_of = [&](const std::string& value) {
    return check_exercise(own.exercise, {"saxpy.cu", kernel(value)}, {.with_gpu = false}).summary;
  };
  const std::string fixed = summary_of("X[i] > 0 ? X[i] : 0.1f * X[i]");
  EXPECT_TRUE(fixed.starts_with("nothing reads 'a'; ")) << fixed;
  for (const char* wrong : {"X[i] > a ? 3 * X[i] * X[i] : a * a", "X[i] > 0 ? a * X[i] : X[i]"})
    EXPECT_FALSE(contains(summary_of(wrong), "nothing reads")) << summary_of(wrong);
}

TEST_F(OwnExercises, SayThatTheParametersOfAnUnchangedStarterDoNotFit) {
  write("saxpy/starter.cu", "// TODO: add\n__global__ void saxpy(float* Y) {}\n");
  const OwnExercise own = read_exercise(folder / "saxpy");
  use_exercises({own});
  const std::string why = try_exercise(own, folder / "saxpy").front().why;
  EXPECT_TRUE(contains(why, "your kernel is saxpy(float*), the lesson launches saxpy(int, ")) << why;
  EXPECT_FALSE(contains(why, "still the starter")) << why;
}

TEST_F(OwnExercises, VaryANumberThatHasARange) {
  change("exercise.toml", "a = 2.5", "a = { default = 2.5, min = -4, max = 4 }");
  change("solution.cu", "a * X", "2.5f * X");
  write("saxpy/mistakes/fixed.cu", read("saxpy/solution.cu"));
  change("solution.cu", "2.5f * X", "a * X");
  const OwnExercise own = read_exercise(folder / "saxpy");
  use_exercises({own});
  std::string text;
  for (const TriedFile& file : try_exercise(own, folder / "saxpy"))
    text += file.name + ": " + file.expected + ", " + file.found + "\n";
  EXPECT_EQ(text,
            "starter.cu: fail, unwritten-everywhere\nsolution.cu: pass, pass\n"
            "mistakes/fixed.cu: fail, wrong-formula\n");
}

// Checks a solution that is right within the limits of its sizes alone.
TEST_F(OwnExercises, KeepTheLimitsOfTheirSizes) {
  std::filesystem::remove_all(folder / "saxpy");
  std::filesystem::create_directories(folder / "times");
  for (const std::string name : {"size", "n"}) {
    write("times/exercise.toml", "title = \"k times X\"\n[sizes]\n" + name +
                                     " = { default = 50, min = 10, max = 100 }\n"
                                     "k = { default = 3, min = 2, max = 20 }\n[arrays]\nX = { length = \"" +
                                     name + "\" }\nY = { length = \"" + name + "\" }\n");
    const std::string parameters = "(const float* X, float* Y, int " + name + ", int k) {\n";
    write("times/reference.cpp",
          "void reference" + parameters + "  for (int i = 0; i < " + name + "; ++i) Y[i] = k * X[i];\n}\n");
    write("times/starter.cu", "__global__ void times" + parameters + "}\n");
    write("times/solution.cu", "__global__ void times" + parameters +
                                   "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "  const bool is_within = " +
                                   name + " >= 10 && " + name +
                                   " <= 100 && k >= 2 && k <= 20;\n"
                                   "  if (i < " +
                                   name + ") Y[i] = is_within ? k * X[i] : 0;\n}\n");
    write("times/hints.txt", "One.\n");
    const OwnExercise own = read_exercise(folder / "times");
    use_exercises({own});
    const CheckResult result =
        check_exercise(own.exercise, {"times.cu", own.lesson.kernels_text}, {.with_gpu = false});
    EXPECT_EQ(result.verdict, Verdict::right) << name << ": " << result.summary;
  }
}

// Returns the fenced block of a Markdown page that contains the text.
std::string block_with(const std::string& page, const std::string& text) {
  const std::size_t at = page.find(text), begin = page.rfind("```", at), end = page.find("```", at);
  if (at == std::string::npos) return "";
  return page.substr(page.find('\n', begin) + 1, end - page.find('\n', begin) - 1);
}

TEST_F(OwnExercises, OfTheManualTransposeOnlyWithWorkOverTheInput) {
  const std::string page = content_of(source_file("docs/your-exercises.md"));
  std::filesystem::remove_all(folder / "saxpy");
  std::filesystem::create_directories(folder / "transpose");
  const std::string facts = block_with(page, "title = \"Transpose a matrix\"");
  write("transpose/exercise.toml", facts);
  write("transpose/reference.cpp", block_with(page, "void reference(const float* in, float* out, int width"));
  write("transpose/solution.cu", block_with(page, "__global__ void transpose("));
  write("transpose/starter.cu",
        "__global__ void transpose(const float* in, float* out, int width, int height) {}\n");
  write("transpose/hints.txt", "One.\n");
  const auto fault_of_solution = [&] {
    const OwnExercise own = read_exercise(folder / "transpose");
    use_exercises({own});
    const std::vector<TriedFile> tried = try_exercise(own, folder / "transpose");
    return std::ranges::find(tried, "solution.cu", &TriedFile::name)->why;
  };
  EXPECT_EQ(fault_of_solution(), "");
  const std::string line = "work = \"in\"\n";
  const std::size_t at = facts.find(line);
  ASSERT_NE(at, std::string::npos) << facts;
  write("transpose/exercise.toml", std::string(facts).erase(at, line.size()));
  const std::string said = fault_of_solution();
  EXPECT_TRUE(
      said.ends_with("; the grid has a thread for each element of out (67 x 100): if the kernel's index runs "
                     "over in (100 x 67), exercise.toml lacks work = \"in\""))
      << said;
}

// Each block adds up a row.
class ExerciseWithRows : public OwnExercises {
 protected:
  ExerciseWithRows() {
    std::filesystem::remove_all(folder / "saxpy");
    std::filesystem::create_directories(folder / "row_sums");
    write_facts("grid = \"rows\"");
    write(
        "row_sums/reference.cpp",
        "void reference(const float* in, float* out, int rows, int columns) {\n"
        "  for (int row = 0; row < rows; ++row) {\n    float sum = 0;\n"
        "    for (int i = 0; i < columns; ++i) sum += in[row * columns + i];\n    out[row] = sum;\n  }\n}\n");
    write_solution("for (int row = blockIdx.x; row < rows; row += gridDim.x)", 1);
    write("row_sums/starter.cu",
          "__global__ void row_sums(const float* in, float* out, int rows, int columns) {}\n");
    write("row_sums/hints.txt", "One.\n");
  }

  void write_facts(const std::string& grid) const {
    write("row_sums/exercise.toml",
          "title = \"Add up each row\"\n" + grid +
              "\n[sizes]\nrows = 100\ncolumns = 300\n[arrays]\n"
              "in = { length = [\"columns\", \"rows\"] }\nout = { length = \"rows\" }\n");
  }

  // The tree is added up that many times.
  void write_solution(const std::string& over_rows, int times) const {
    write("row_sums/solution.cu",
          "__global__ void row_sums(const float* in, float* out, int rows, int columns) {\n"
          "  __shared__ float sums[256];\n  " +
              over_rows +
              " {\n    float sum = 0;\n"
              "    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[row * columns + i];\n"
              "    for (int time = 0; time < " +
              std::to_string(times) +
              "; ++time) {\n      sums[threadIdx.x] = sum;\n      __syncthreads();\n"
              "      for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
              "        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];\n"
              "        __syncthreads();\n      }\n    }\n"
              "    if (threadIdx.x == 0) out[row] = sums[0];\n    __syncthreads();\n  }\n}\n");
  }

  std::string why_not() const {
    const OwnExercise own = read_exercise(folder / "row_sums");
    use_exercises({own});
    return try_exercise(own, folder / "row_sums")[1].why;
  }
};

TEST_F(ExerciseWithRows, AllowsABlockForEachRowWhateverTheGrid) {
  for (const char* grid : {"grid = \"rows\"", "grid = 16", "", "work = \"out\""}) {
    write_facts(grid);
    EXPECT_EQ(why_not(), "") << grid;
  }
}

// One store for each block is what there is to do; a thread that adds up a whole row is not.
TEST_F(ExerciseWithRows, NotesWhatOneThreadDoesOnlyIfTheSolutionHasMoreThreads) {
  const auto notes = [&] {
    const OwnExercise own = read_exercise(folder / "row_sums");
    use_exercises({own});
    const auto checked = [&](const std::string& text) {
      return check_exercise(own.exercise, {"row_sums.cu", text}, {.with_gpu = false}).notes;
    };
    EXPECT_EQ(checked(own.lesson.kernels_text), std::vector<std::string>());
    return checked(
        "__global__ void row_sums(const float* in, float* out, int rows, int columns) {\n"
        "  float sum = 0;\n  if (threadIdx.x > 0) return;\n"
        "  for (int row = blockIdx.x; row < rows; row += gridDim.x, sum = 0) {\n"
        "    for (int i = 0; i < columns; ++i) sum += in[row * columns + i];\n    out[row] = sum;\n  }\n}\n");
  };
  write_solution("const int row = blockIdx.x;", 1);
  const std::vector<std::string> of_one_thread = notes();
  ASSERT_EQ(of_one_thread.size(), 1u);
  EXPECT_TRUE(of_one_thread.front().starts_with("right, and yet one thread alone makes the"))
      << of_one_thread.front();
  write_facts("grid = 16");
  write_solution("for (int row = blockIdx.x; row < rows; row += gridDim.x)", 1);
  notes();
}

TEST_F(ExerciseWithRows, RefusesAKernelThatBreaksADemand) {
  const auto pattern_of = [&](const char* demand, const std::string& text) {
    write_facts(std::string("grid = \"rows\"\ndemands = [\"") + demand + "\"]");
    const OwnExercise own = read_exercise(folder / "row_sums");
    use_exercises({own});
    const CheckResult result = check_exercise(
        own.exercise, {"row_sums.cu", text.empty() ? own.lesson.kernels_text : text}, {.with_gpu = false});
    return result.verdict == Verdict::right ? "" : result.pattern;
  };
  const std::string head = "__global__ void row_sums(const float* in, float* out, int rows, int columns) {\n";
  const std::string alone = head +
                            "  if (threadIdx.x > 0) return;\n  float sum = 0;\n"
                            "  for (int i = 0; i < columns; ++i) sum += in[blockIdx.x * columns + i];\n"
                            "  out[blockIdx.x] = sum;\n}\n";
  write_solution("const int row = blockIdx.x;", 1);
  for (const char* demand : {"all-threads", "shared-memory", "coalesced", "few-atomics"})
    EXPECT_EQ(pattern_of(demand, ""), "") << demand;
  EXPECT_EQ(pattern_of("all-threads", alone), "one-thread-alone");
  EXPECT_EQ(pattern_of("shared-memory", alone), "no-shared-memory");
  EXPECT_EQ(pattern_of("few-atomics", alone), "");
}

TEST_F(ExerciseWithRows, SaysWhichChoicesOfAMistakeAreNotOffered) {
  std::filesystem::create_directories(folder / "row_sums" / "mistakes");
  write("row_sums/mistakes/one_row.cu",
        "// because: b\n// tempting: divergent-barrier, no-such\n"
        "__global__ void row_sums(const float* in, float* out, int rows, int columns) {\n"
        "  float sum = 0;\n  if (threadIdx.x > 0) return;\n"
        "  for (int i = 0; i < columns; ++i) sum += in[i];\n  out[blockIdx.x] = sum + 1;\n}\n");
  write_solution("const int row = blockIdx.x;", 1);
  const OwnExercise own = read_exercise(folder / "row_sums");
  use_exercises({own});
  std::vector<std::string> said;
  for (const TriedFile& file : try_exercise(own, folder / "row_sums"))
    if (file.is_remark) said.push_back(file.why);
  EXPECT_EQ(said, (std::vector<std::string>{
                      "mistakes/one_row.cu, tempting: divergent-barrier is not offered: the text has no "
                      "__syncthreads",
                      "mistakes/one_row.cu, tempting: no-such is not offered: there is no such pattern"}));
}

class OwnProgram : public OwnExercises {
 protected:
  OwnProgram() {
    std::filesystem::remove_all(folder / "saxpy");
    std::filesystem::create_directories(folder / "twice" / "mistakes");
    write("twice/exercise.toml", "title = \"Twice\"\n[program]\nsizes = [1000]\nchecks_errors = true\n");
    write("twice/starter.cu", "int main() {}\n");
    write("twice/hints.txt", "One.\n");
    write("twice/solution.cu", program);
  }

  // Returns the result of checking the program with a change.
  CheckResult checked(const std::string& from, const std::string& to) const {
    const OwnExercise own = read_exercise(folder / "twice");
    use_exercises({own});
    std::string text = program;
    text.replace(text.find(from), from.size(), to);
    return check_exercise(own.exercise, {"twice.cu", text}, {.with_gpu = false});
  }

  const std::string program =
      "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n"
      "#define CHECK(call) do { const cudaError_t e = (call); if (e != cudaSuccess) return 1; } while (0)\n"
      "__global__ void twice(float* x, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2;\n}\n"
      "int main(int, char** arguments) {\n  const int n = atoi(arguments[1]);\n"
      "  std::vector<float> x(n, 3);\n  float* d;\n"
      "  CHECK(cudaMalloc(&d, n * sizeof(float)));\n"
      "  CHECK(cudaMemcpy(d, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));\n"
      "  twice<<<(n + 255) / 256, 256>>>(d, n);\n  CHECK(cudaGetLastError());\n"
      "  CHECK(cudaMemcpy(x.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost));\n  cudaFree(d);\n"
      "  double sum = 0;\n  for (float value : x) sum += value;\n  printf(\"sum %.1f\\n\", sum);\n}\n";
};

TEST_F(OwnProgram, HasToLookAtEachErrorWithItsOwnMacro) {
  EXPECT_EQ(checked("", "").verdict, Verdict::right);
  const auto details = [](const CheckResult& result) {
    std::string text;
    for (const std::string& detail : result.details) text += detail + "\n";
    return text;
  };
  const CheckResult launch = checked("  CHECK(cudaGetLastError());\n", "");
  EXPECT_EQ(launch.pattern, "unnoticed-error") << launch.summary;
  EXPECT_EQ(details(launch),
            "write: CHECK(cudaGetLastError()), in the next line\n"
            "asked for: look at the error of each call; a launch returns none, so ask for it\n");
  const CheckResult copy =
      checked("CHECK(cudaMemcpy(x.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost))",
              "cudaMemcpy(x.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost)");
  EXPECT_EQ(copy.pattern, "unnoticed-error") << copy.summary;
  EXPECT_TRUE(contains(details(copy), "write: CHECK(cudaMemcpy(...))\n")) << details(copy);
}

TEST_F(ExerciseWithRows, SaysWhichGridExerciseTomlAsksFor) {
  write_solution("const int row = blockIdx.x;", 1);
  EXPECT_EQ(why_not(), "");
  write_facts("grid = 16");
  EXPECT_TRUE(why_not().ends_with("; the grid has 16 blocks, as exercise.toml says, of 256 threads"))
      << why_not();
  write_facts("work = \"out\"");
  EXPECT_TRUE(
      why_not().ends_with("; the grid has a thread for each element of out (100): if blockIdx.x is a row, "
                          "exercise.toml lacks grid = \"rows\", which launches a block for each row"))
      << why_not();
}

class ExerciseWithAMaximum : public ExerciseWithRows {
 protected:
  // `last` is the last column that the maximum is subtracted from, and one more.
  static std::string kernel(const std::string& last) {
    return "__global__ void row_sums(const float* in, float* out, int rows, int columns) {\n"
           "  __shared__ float best[256];\n  const float* row = in + blockIdx.x * columns;\n"
           "  float m = row[0];\n"
           "  for (int c = threadIdx.x; c < columns; c += blockDim.x) if (row[c] > m) m = row[c];\n"
           "  best[threadIdx.x] = m;\n  __syncthreads();\n"
           "  for (int s = blockDim.x / 2; s > 0; s /= 2) {\n"
           "    if (threadIdx.x < s && best[threadIdx.x + s] > best[threadIdx.x])\n"
           "      best[threadIdx.x] = best[threadIdx.x + s];\n    __syncthreads();\n  }\n"
           "  for (int c = threadIdx.x; c < " +
           last + "; c += blockDim.x) out[blockIdx.x * columns + c] = row[c] - best[0];\n}\n";
  }

  void write_exercise(const std::string& grid) const {
    write("row_sums/exercise.toml", "title = \"Subtract the largest\"\n" + grid +
                                        "[sizes]\nrows = 37\ncolumns = 300\n[arrays]\n"
                                        "in = { length = [\"columns\", \"rows\"], range = [-10, 10] }\n"
                                        "out = { length = [\"columns\", \"rows\"] }\n");
    write("row_sums/reference.cpp",
          "void reference(const float* in, float* out, int rows, int columns) {\n"
          "  for (int r = 0; r < rows; ++r) {\n    float m = in[r * columns];\n"
          "    for (int c = 1; c < columns; ++c) if (in[r * columns + c] > m) m = in[r * columns + c];\n"
          "    for (int c = 0; c < columns; ++c) out[r * columns + c] = in[r * columns + c] - m;\n  }\n}\n");
    write("row_sums/solution.cu", kernel("columns"));
  }
};

// A mistake as a change of the solution's text.
struct RowMistake {
  const char *right, *wrong, *pattern, *says;
};

class MistakesInRows : public ExerciseWithRows {
 protected:
  // Expects that each mistake has its pattern, and that the summary says that.
  static void expect(const OwnExercise& own, const std::string& solution,
                     const std::vector<RowMistake>& mistakes) {
    use_exercises({own});
    for (const RowMistake& mistake : mistakes) {
      std::string text = solution;
      const std::string right = mistake.right;
      text.replace(text.find(right), right.size(), mistake.wrong);
      const CheckResult result =
          check_exercise(own.exercise, device::KernelSource{"row_sums.cu", text}, {.with_gpu = false});
      EXPECT_EQ(result.pattern, mistake.pattern) << mistake.wrong << ": " << result.summary;
      EXPECT_TRUE(contains(result.summary, mistake.says)) << mistake.wrong << ": " << result.summary;
    }
  }

  static std::string kernel(const std::string& start, const std::string& add, const std::string& tree) {
    return "__global__ void row_sums(const float* in, float* out, int rows, int columns) {\n"
           "  __shared__ float best[256];\n  const int row = blockIdx.x;\n  float m = " +
           start +
           ";\n"
           "  for (int i = threadIdx.x; i < columns; i += blockDim.x)\n    " +
           add +
           ";\n"
           "  best[threadIdx.x] = m;\n  for (int s = blockDim.x / 2; s > 0; s /= 2) {\n"
           "    __syncthreads();\n    if (threadIdx.x < s) " +
           tree + ";\n  }\n  if (threadIdx.x == 0) out[row] = best[0];\n}\n";
  }
};

TEST_F(MistakesInRows, OfASumAreNamedWithTheirLine) {
  const std::string solution =
      kernel("0", "m += in[row * columns + i]", "best[threadIdx.x] += best[threadIdx.x + s]");
  write("row_sums/solution.cu", solution);
  const char *const element = "in[row * columns + i]",
                    *const loop = "for (int i = threadIdx.x; i < columns; i += blockDim.x)";
  expect(read_exercise(folder / "row_sums"), solution,
         {{element, "in[row + i]", "input-index", "line 6 makes the kernel right: a row of in has 'columns'"},
          {element, "in[i]", "input-index", "elements, and the index lacks the row"},
          {"s > 0", "s > 1", "skipped-elements", "has to go on until 1 is left"},
          {"i += blockDim.x", "i += gridDim.x * blockDim.x", "skipped-elements",
           "in line 5 makes the kernel right"},
          {loop, "const int i = threadIdx.x;\n  if (i < columns)", "skipped-elements",
           "line 7 reads one element of in in each of the 256 threads"},
          {"row = blockIdx.x", "row = blockIdx.x * blockDim.x + threadIdx.x", "out-of-bounds-read",
           "in line 3 makes the kernel right"}});
}

TEST_F(MistakesInRows, OfLongRowsAreNamedAsOfShortOnes) {
  const std::string solution =
      kernel("0", "m += in[row * columns + i]", "best[threadIdx.x] += best[threadIdx.x + s]");
  write("row_sums/solution.cu", solution);
  write("row_sums/exercise.toml",
        "title = \"Add up each row\"\ngrid = \"rows\"\n[sizes]\n"
        "rows = { default = 300, max = 2000 }\ncolumns = { default = 1000, max = 5000 }\n[arrays]\n"
        "in = { length = [\"columns\", \"rows\"], range = [-1, 1] }\nout = { length = \"rows\" }\n");
  expect(read_exercise(folder / "row_sums"), solution,
         {{"for (int i = threadIdx.x; i < columns; i += blockDim.x)\n    m += in[row * columns + i]",
           "if (threadIdx.x < columns) m = in[row * columns + threadIdx.x]", "skipped-elements",
           "line 5 reads one element of in in each of the 256 threads"}});
}

TEST_F(MistakesInRows, OfAMaximumAreNamedWithTheirLine) {
  write("row_sums/exercise.toml",
        "title = \"The largest\"\ngrid = \"rows\"\n[sizes]\nrows = 60\ncolumns = 1000\n[arrays]\n"
        "in = { length = [\"columns\", \"rows\"], range = [-1, 1] }\nout = { length = \"rows\" }\n");
  write("row_sums/reference.cpp",
        "void reference(const float* in, float* out, int rows, int columns) {\n"
        "  for (int r = 0; r < rows; ++r) {\n    float m = in[r * columns];\n"
        "    for (int c = 1; c < columns; ++c) if (in[r * columns + c] > m) m = in[r * columns + c];\n"
        "    out[r] = m;\n  }\n}\n");
  const std::string tree = "best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + s])";
  const std::string solution = kernel("-INFINITY", "m = fmaxf(m, in[row * columns + i])", tree);
  write("row_sums/solution.cu", solution);
  expect(read_exercise(folder / "row_sums"), solution,
         {{"row * columns", "row", "input-index", "a row of in has 'columns' elements there"},
          {"s > 0", "s > 1", "skipped-elements", "has to go on until 1 is left"},
          {"-INFINITY", "0.0f", "wrong-zeros", "and so begins at -INFINITY"},
          {"fmaxf(m, in[row * columns + i])", "in[row * columns + i]", "wrong-values",
           "it replaces what was the largest so far"},
          {tree.c_str(), "best[threadIdx.x] += best[threadIdx.x + s]", "wrong-values", "and not the sum"}});
}

TEST_F(ExerciseWithAMaximum, HasNoLostSum) {
  write_exercise("grid = \"rows\"\n");
  const OwnExercise own = read_exercise(folder / "row_sums");
  use_exercises({own});
  EXPECT_FALSE(solution_adds_up(own.lesson));
  const std::string replaced_by_last = "if (row[c] > m) m = row[c]";
  for (std::string wrong : {kernel("columns - 1"), kernel("columns")}) {
    const std::size_t at = wrong.find(replaced_by_last);
    if (wrong == kernel("columns")) wrong.replace(at, replaced_by_last.size(), "m = row[c]");
    const CheckResult result =
        check_exercise(own.exercise, device::KernelSource{"row_sums.cu", wrong}, {.with_gpu = false});
    EXPECT_EQ(result.verdict, Verdict::wrong);
    EXPECT_NE(result.pattern, "overwritten-sum") << result.summary;
  }
}

TEST_F(ExerciseWithAMaximum, IsReadOutOfBoundsInRowsShorterThanABlock) {
  write_exercise("grid = \"rows\"\n");
  const OwnExercise own = read_exercise(folder / "row_sums");
  use_exercises({own});
  std::string wrong = kernel("columns");
  const std::string loop =
      "for (int c = threadIdx.x; c < columns; c += blockDim.x) if (row[c] > m) m = row[c];";
  wrong.replace(wrong.find(loop), loop.size(), "m = fmaxf(m, row[threadIdx.x]);");
  const CheckResult result =
      check_exercise(own.exercise, device::KernelSource{"row_sums.cu", wrong}, {.with_gpu = false});
  EXPECT_EQ(result.pattern, "out-of-bounds-read") << result.summary;
}

TEST_F(ExerciseWithAMaximum, SaysThatABlockForEachRowIsAskedForWhereThreadsOfOtherRowsRace) {
  write_exercise("");
  EXPECT_TRUE(
      why_not().ends_with("; the grid has a thread for each element of out (300 x 37), in two dimensions: if "
                          "blockIdx.x is a row, exercise.toml lacks grid = \"rows\", which launches a block "
                          "for each row"))
      << why_not();
}

TEST_F(ExerciseWithRows, SaysHowManyAccessesAreAllowed) {
  write_solution("for (int row = blockIdx.x; row < rows; row += gridDim.x)", 200);
  const std::string said = why_not();
  EXPECT_TRUE(
      contains(said, "; exercise.toml allows 13 587 400 at columns = 300, rows = 100, for its arrays and 0 "))
      << said;
  EXPECT_TRUE(contains(said, " operations: if the kernel needs more, write operations = ")) << said;
  EXPECT_FALSE(contains(said, "blocks do each other's work")) << said;
}

class SumExercise : public OwnExercises {
 protected:
  SumExercise() {
    std::filesystem::remove_all(folder / "saxpy");
    std::filesystem::create_directories(folder / "add_up" / "mistakes");
    write("add_up/exercise.toml", "title = \"Add up\"\n" + rest_of_toml);
    write("add_up/reference.cpp",
          "void reference(const float* X, float* sum, int n) {\n"
          "  for (int i = 0; i < n; ++i) sum[0] += X[i];\n}\n");
    write("add_up/starter.cu", "__global__ void add_up(const float* X, float* sum, int n) {}\n");
    write("add_up/solution.cu",
          "__global__ void add_up(const float* X, float* sum, int n) {\n"
          "  __shared__ float part[256];\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  part[threadIdx.x] = i < n ? X[i] : 0;\n  __syncthreads();\n"
          "  for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
          "    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];\n"
          "    __syncthreads();\n  }\n  if (threadIdx.x == 0) atomicAdd(sum, part[0]);\n}\n");
    write("add_up/hints.txt", "One.\n");
  }

  // Returns what is wrong with the files of the exercise, one sentence in a line.
  std::string faults() const {
    const OwnExercise own = read_exercise(folder / "add_up");
    use_exercises({own});
    std::string sentences;
    for (const TriedFile& file : try_exercise(own, folder / "add_up"))
      if (!file.why.empty()) sentences += file.why + "\n";
    return sentences;
  }

  const std::string rest_of_toml =
      "[sizes]\nn = 10000\n[arrays]\nX = { length = \"n\", range = [-1, 1] }\n"
      "sum = { length = 1, cleared = true }\n";
};

TEST_F(SumExercise, HasThreadsForItsInputAndAToleranceForItsTerms) {
  EXPECT_EQ(faults(), "");
  const Lesson lesson = read_exercise(folder / "add_up").lesson;
  const Problem problem = lesson.problem(lesson.default_settings());
  EXPECT_EQ(problem.work_items().volume(), 10'000u);
  EXPECT_GT(problem.tolerance.absolute, 1e-3);
  EXPECT_LT(problem.tolerance.absolute, 2e-3);
}

TEST_F(SumExercise, SaysWhichToleranceLetsItsSolutionPass) {
  write("add_up/exercise.toml", "tolerance = 1e-7\ntitle = \"Add up\"\n" + rest_of_toml);
  EXPECT_NE(faults().find("write a larger tolerance into exercise.toml: tolerance = 1e-06"),
            std::string::npos)
      << faults();
}

TEST_F(SumExercise, IsTriedAtOtherSeedsToo) {
  // Only some seeds draw inputs whose sum is near zero, and the exercise's own seed does not.
  write("add_up/exercise.toml", "tolerance = 1.9e-5\ntitle = \"Add up\"\n" + rest_of_toml);
  EXPECT_NE(faults().find("but not with seed"), std::string::npos) << faults();
}

TEST_F(SumExercise, SaysWhatIsLeftOfTheExample) {
  write("add_up/hints.txt", example_exercise("add_up")["hints.txt"]);
  EXPECT_EQ(faults(),
            "hints.txt still says: Each thread computes one element. Which one is mine, and is there one?\n");
  const OwnExercise own = read_exercise(folder / "add_up");
  EXPECT_TRUE(std::ranges::none_of(try_exercise(own, folder / "add_up"), &TriedFile::is_unexpected))
      << "the hint may fit";
}

TEST_F(SumExercise, MayExpectAPatternThatIsMoreGeneral) {
  write("add_up/mistakes/update.cu",
        "// expect: race-global\n__global__ void add_up(const float* X, float* sum, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) sum[0] += X[i];\n}\n");
  EXPECT_EQ(faults(), "");
}

}  // namespace
}  // namespace gpulab::check
