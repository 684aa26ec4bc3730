#include "teach/submissions.hpp"

#include "check/answers.hpp"
#include "check/files.hpp"
#include "test.hpp"

namespace gpulab::teach {
namespace {

TEST(TokensWithoutOwnNames, AreTheSameAfterRenaming) {
  const std::string text =
      "__device__ int twice(int x) { return 2 * x; }\n"
      "__global__ void k(int* out) { out[threadIdx.x] = twice(min(3, 4)); }";
  const std::string renamed =
      "#include <cuda_runtime.h>\n__device__ int f(int number) { /* why */ return 2*number; }\n\n"
      "__global__ void k2(int* C) {\n  C[threadIdx.x] = f(min(3, 4));  // done\n}\n";
  EXPECT_EQ(tokens_without_own_names(text), tokens_without_own_names(renamed));
}

TEST(TokensWithoutOwnNames, LeaveEmptyStatementsOut) {
  const auto tokens = [](const std::string& body) {
    return tokens_without_own_names("void k(int* a) {" + body + "}");
  };
  EXPECT_EQ(tokens("a[0] = 1;"), tokens(";a[0] = 1;; ;"));
  EXPECT_EQ(tokens("for (;;) { a[0] = 1; }"), tokens("for (;;) {; a[0] = 1; };"));
  EXPECT_NE(tokens("while (a[0]) a[0] = 1;"), tokens("while (a[0]); a[0] = 1;"));
}

TEST(TokensWithoutOwnNames, TellApartWhatDoesSomethingElse) {
  const auto tokens = [](const std::string& body) {
    return tokens_without_own_names("void k(int* a, int* b) {" + body + "}");
  };
  const auto first = tokens("a[threadIdx.x] = b[0];");
  for (const char* other : {"a[threadIdx.y] = b[0];", "a[blockIdx.x] = b[0];", "b[threadIdx.x] = a[0];",
                            "a[threadIdx.x] = b[1];", "a[threadIdx.x] = max(b[0]);"})
    EXPECT_NE(tokens(other), first) << other;
  EXPECT_NE(tokens("min(a, b);"), tokens("max(a, b);"));
}

const std::string long_kernel =
    "__global__ void histogram_shared(const int* input, int* output, int size) {\n"
    "  __shared__ int counts[256];\n"
    "  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;\n  __syncthreads();\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)\n"
    "    atomicAdd(&counts[input[i]], 1);\n  __syncthreads();\n"
    "  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(output + bin, counts[bin]);\n}\n";

Submission submission(const std::string& learner, const std::string& exercise, const std::string& text) {
  return {{.learner = learner, .exercise = exercise}, text};
}

std::string with_all_replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST(EqualSubmissions, AreFoundWithinAnExerciseUnderOtherNames) {
  const auto equal =
      equal_submissions({submission("ada", "shared-histogram", long_kernel),
                         submission("bea", "shared-histogram", with_all_replaced(long_kernel, "bin", "b")),
                         submission("cai", "shared-histogram", with_all_replaced(long_kernel, "1)", "2)"))},
                        [](const Exercise&) { return std::string(); });
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_EQ(equal[0].to, EqualFiles::To::each_other);
  EXPECT_EQ(equal[0].learners, (std::vector<std::string>{"ada", "bea"}));
}

TEST(EqualSubmissions, ToTheStarterOrTheSolutionAreNotReportedAsEqualToEachOther) {
  const std::string starter = check::find_exercise("first-kernel").exercise.starter;
  const auto equal = equal_submissions(
      {submission("ada", "shared-histogram", long_kernel), submission("bea", "shared-histogram", long_kernel),
       submission("ada", "first-kernel", starter), submission("bea", "first-kernel", starter + "// mine")},
      [](const Exercise&) { return with_all_replaced(long_kernel, "counts", "partial"); });
  ASSERT_EQ(equal.size(), 2u);
  EXPECT_EQ(equal[0].to, EqualFiles::To::the_starter);
  EXPECT_EQ(equal[1].to, EqualFiles::To::the_solution);
  EXPECT_EQ(equal[1].learners, (std::vector<std::string>{"ada", "bea"}));
}

TEST(EqualSubmissions, OfAnswersHaveTheExactTextOfTheCourse) {
  const Exercise sheet = check::find_exercise("coalescing").exercise;
  const auto equal = equal_submissions({submission("ada", "coalescing", check::answered_sheet(sheet)),
                                        submission("bea", "coalescing", sheet.starter)},
                                       [](const Exercise& exercise) {
                                         return exercise.has_questions() ? check::answered_sheet(exercise)
                                                                         : exercise.solution;
                                       });
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_EQ(equal[0].to, EqualFiles::To::the_solution);
  EXPECT_EQ(equal[0].learners, std::vector<std::string>{"ada"});
}

// Two learners may well write the same three lines.
TEST(EqualSubmissions, AreNotLookedForInShortKernels) {
  const std::string short_kernel =
      with_all_replaced(check::find_exercise("first-kernel").exercise.starter, "0;  // TODO",
                        "blockIdx.x * blockDim.x + threadIdx.x;  // TODO");
  EXPECT_TRUE(equal_submissions({submission("ada", "first-kernel", short_kernel),
                                 submission("bea", "first-kernel", short_kernel)},
                                [](const Exercise&) { return std::string(); })
                  .empty());
}

}  // namespace
}  // namespace gpulab::teach
