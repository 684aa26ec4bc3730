#include "cli/options.hpp"
#include "kernels_folder.hpp"
#include "lesson/lesson.hpp"
#include "lesson_cases.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace replaced_kernels_test {

const Variant& solution_of(const Lesson& lesson) {
  for (const Variant& variant : lesson.variants)
    if (variant.name == lesson.solution) return variant;
  throw std::logic_error(lesson.name + " has no solution");
}

// Returns the text with nothing between the braces of each kernel.
std::string with_empty_kernels(std::string text) {
  for (std::size_t at = 0; (at = text.find("__global__", at)) != std::string::npos;) {
    const std::size_t open = text.find('{', at);
    std::size_t close = open;
    for (int depth = 0; close < text.size(); ++close) {
      depth += (text[close] == '{') - (text[close] == '}');
      if (depth == 0) break;
    }
    text.erase(open + 1, close - open - 1);
    at = open;
  }
  return text;
}

const std::string signature =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size)";
const std::string item_line = "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n";

class ReplacedKernels : public simulator::NeedsCompiler<> {
 protected:
  LessonResult run(const Lesson& lesson) {
    RunOptions options;
    options.settings.options = edge_counts(lesson, default_values(lesson)).at(2);
    if (lesson.has_size()) options.settings.size = 3000;
    options.variants = {lesson.solution};
    options.time_budget_s = 1e-9;
    options.kernels = folder.path();
    options.remark = [this](const std::string& line) { remarks += line + "\n"; };
    return run_lesson(lesson, options, *simulator::simulator_with(""));
  }
  // Runs first-kernel with this text in place of its file.
  LessonResult run_first_kernel(const std::string& text) {
    folder.write("first_kernel.cu", text);
    return run(cli::find_lesson("first-kernel"));
  }

  KernelsFolder folder;
  std::string remarks;
};

TEST_F(ReplacedKernels, ThatDoNothingAreWrongInEveryLesson) {
  for (const Lesson& lesson : all_lessons()) {
    const Variant& solution = solution_of(lesson);
    for (const std::string& file : {lesson.file_of(solution), lesson.kernels})
      folder.write(file, with_empty_kernels(embedded_kernel_file(file)));
    const LessonResult result = run(lesson);
    EXPECT_EQ(result.variants.at(0).observed, Outcome::wrong) << lesson.name;
    EXPECT_TRUE(solution.is_program || result.variants.at(0).wrong_elements > 0) << lesson.name;
    EXPECT_FALSE(result.variants.at(0).explanation.empty()) << lesson.name;
    EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result) << lesson.name;
  }
}

TEST_F(ReplacedKernels, AreUsedWhenTheyAreRight) {
  const LessonResult result = run_first_kernel(signature + " {\n" + item_line +
                                               "  if (item < size) C[item] = B[item] + A[item];\n}\n");
  EXPECT_EQ(result.variants.at(0).observed, Outcome::right);
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
  EXPECT_EQ(remarks, "");
}

TEST_F(ReplacedKernels, ThatComputeSomethingElseAreWrong) {
  const LessonResult result = run_first_kernel(signature + " {\n" + item_line +
                                               "  if (item < size) C[item] = A[item] - B[item];\n}\n");
  EXPECT_EQ(result.variants.at(0).observed, Outcome::wrong);
  EXPECT_GE(result.variants.at(0).wrong_elements, 2999u);
  EXPECT_EQ(result.variants.at(0).first_differences.front().index, 0u);
  EXPECT_FALSE(result.variants.at(0).first_differences.front().is_poison);
}

TEST_F(ReplacedKernels, MayBeWrongInASingleElement) {
  const LessonResult result =
      run_first_kernel(signature + " {\n" + item_line +
                       "  if (item < size && item != 2998) C[item] = A[item] + B[item];\n}\n");
  EXPECT_EQ(result.variants.at(0).wrong_elements, 1u);
  EXPECT_EQ(result.variants.at(0).first_differences.at(0).index, 2998u);
  EXPECT_TRUE(result.variants.at(0).first_differences.at(0).is_poison);
}

TEST_F(ReplacedKernels, ThatWriteOutsideOfTheirArraysSayInWhichLine) {
  const std::pair<const char*, const char*> elements[] = {
      {"C[size + 40]", "C[3039]"}, {"C[-1]", "C[-1]"}, {"((float*)A)[size]", "A[2999]"}};
  for (const auto& [element, name] : elements) {
    const LessonResult result = run_first_kernel(
        signature + " {\n" + item_line +
        "  if (item < size) C[item] = A[item] + B[item];\n  if (item == 0) " + element + " = 1;\n}\n");
    EXPECT_EQ(result.variants.at(0).observed, Outcome::defect) << element;
    EXPECT_TRUE(contains(result.variants.at(0).explanation, " in line 4, ")) << element;
    EXPECT_TRUE(contains(result.variants.at(0).explanation, name));
    EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result);
  }
}

TEST_F(ReplacedKernels, ThatDoNotCompileEndWithTheCompilersWords) {
  const LessonResult result = run_first_kernel(signature + " {\n  C[0] = nothing;\n}\n");
  EXPECT_EQ(result.variants.at(0).observed, Outcome::fails_to_compile);
  EXPECT_TRUE(contains(result.variants.at(0).explanation, "line 2"));
  EXPECT_TRUE(
      contains(result.variants.at(0).compiler_log, (folder.path() / "first_kernel.cu").string() + ":2"));
  EXPECT_EQ(exit_code_of(result), ExitCode::compilation);
}

TEST_F(ReplacedKernels, WithOtherParametersShowBothSignatures) {
  const LessonResult result =
      run_first_kernel("__global__ void vector_add_global_index(float* A, float* C) { C[0] = A[0]; }\n");
  EXPECT_EQ(exit_code_of(result), ExitCode::compilation);
  const std::string& shown = result.variants.at(0).explanation;
  EXPECT_TRUE(contains(shown, "your kernel is vector_add_global_index(float*, float*)"));
  EXPECT_TRUE(contains(
      shown, "the lesson launches vector_add_global_index(const float*, const float*, float*, int)"));
}

TEST_F(ReplacedKernels, ThatFaultDoNotEndTheProgram) {
  const LessonResult result = run_first_kernel(signature + " {\n  *(int*)16 = 1;\n}\n");
  EXPECT_EQ(result.variants.at(0).observed, Outcome::defect);
  EXPECT_TRUE(contains(result.variants.at(0).explanation, "in line 2"));
  EXPECT_EQ(exit_code_of(result), ExitCode::wrong_result);
}

TEST_F(ReplacedKernels, ThatAreMissingAreRemarkedOrRefused) {
  EXPECT_THROW(run(cli::find_lesson("first-kernel")), UsageError);
  folder.write("late_index.cu", "");  // some kernel file, but not that of arbitrary-size
  const LessonResult result = run(cli::find_lesson("arbitrary-size"));
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
  EXPECT_TRUE(contains(remarks, "has no arbitrary_size.cu: the built-in one is used"));
}

}  // namespace replaced_kernels_test
}  // namespace gpulab::run
