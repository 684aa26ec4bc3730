#include "check/checks.hpp"
#include "cuda/support.hpp"
#include "expected_text.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"
#include "simulator/simulator_fixture.hpp"
#include "source/source_parts.hpp"
#include "test.hpp"

// Kernels that a learner could write, checked for real.

namespace gpulab::check {
namespace {

class SimulatedCheckTest : public simulator::NeedsGcc<> {
 protected:
  static CheckResult checked(const std::string& lesson_name, const std::string& text, Trial trial = {}) {
    CheckResult result;
    for (const Lesson& lesson : all_lessons())
      if (lesson.name == lesson_name)
        check_on_simulator(lesson, {"kernel.cu", text}, *simulator::simulator_with("g++"), trial, result);
    return result;
  }
};

// Returns kernels/LESSON/NAME.cu, and kernels/LESSON/NAME.diff as edits of the course's solution.
std::vector<ExpectedText> wrong_kernels() {
  const std::vector<Exercise> exercises = all_exercises();
  std::vector<ExpectedText> all;
  for (const auto& folder : std::filesystem::directory_iterator(source_file("tests/check/kernels"))) {
    const auto exercise = std::ranges::find(exercises, folder.path().filename().string(), &Exercise::lesson);
    if (exercise == exercises.end()) throw std::runtime_error(folder.path().string() + " is not a lesson");
    const Lesson& lesson = lesson_of(*exercise);
    const std::string solution = source::source_with_used_parts(
        run::KernelFiles(lesson, std::nullopt).of(run::find_variant(lesson, lesson.solution)).text,
        source::kernel_names(exercise->starter));
    for (ExpectedText& kernel : expected_texts(folder.path(), solution)) all.push_back(std::move(kernel));
  }
  return all;
}

// The comment "// here" marks the line that check must name.
TEST_F(SimulatedCheckTest, SaysOfEachKernelWhatItsFirstLineStates) {
  ::setenv("GPULAB_TIME_LIMIT", "2", 1);
  for (const ExpectedText& kernel : wrong_kernels()) {
    SCOPED_TRACE(kernel.file);
    const CheckResult result = checked(kernel.file.parent_path().filename(), kernel.text);
    EXPECT_NE(result.verdict, Verdict::right);
    EXPECT_EQ(result.pattern, kernel.pattern());
    EXPECT_TRUE(contains(result.summary, kernel.sentence()));
    EXPECT_TRUE(result.pattern == "still-zero" || !contains(result.summary, "or only 0 was"));
    const std::size_t here = kernel.text.find("// here");
    if (here == std::string::npos) continue;
    EXPECT_EQ(result.line, 1 + std::count(kernel.text.begin(),
                                          kernel.text.begin() + static_cast<std::ptrdiff_t>(here), '\n'));
  }
  ::unsetenv("GPULAB_TIME_LIMIT");
}

// demands/LESSON/NAME.cu: right kernels. The first line of some says which technique they lack.
TEST_F(SimulatedCheckTest, MeetsTheDemandsOfAnExerciseInAnyWay) {
  for (const ExpectedText& kernel : expected_texts("tests/check/demands")) {
    SCOPED_TRACE(kernel.file);
    const CheckResult result = checked(kernel.file.parent_path().filename(), kernel.text);
    EXPECT_EQ(result.verdict, Verdict::right) << result.summary;
    // On a slow machine, a note may say that fewer settings were tried.
    std::vector<std::string> said = result.notes;
    for (const std::string& note : said)
      EXPECT_FALSE(contains(note, "asked for")) << "that belongs in the summary: " << note;
    if (!result.summary.empty()) said.push_back(result.summary);
    const bool is_said =
        std::ranges::any_of(said, [&](const std::string& text) { return contains(text, kernel.sentence()); });
    EXPECT_EQ(is_said, !kernel.sentence().empty()) << testing::PrintToString(said);
  }
}

// right_kernels/LESSON/NAME.cu: unusual, slow or chatty, and right.
TEST_F(SimulatedCheckTest, AcceptsRightKernelsInUnusualStyles) {
  for (const ExpectedText& kernel : expected_texts("tests/check/right_kernels")) {
    const CheckResult result = checked(kernel.file.parent_path().filename(), kernel.text);
    EXPECT_EQ(result.verdict, Verdict::right) << kernel.file << ": " << result.summary;
  }
}

TEST_F(SimulatedCheckTest, DoesNotCallAKernelWrongThatWorksTooLongInSmallBlocks) {
  const CheckResult result = checked("shared-histogram", R"(
__global__ void histogram_shared(const int* input, int* output, int size) {
  const int begin = blockIdx.x * blockDim.x;
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    int count = 0;
    for (int i = begin; i < min(begin + (int)blockDim.x, size); ++i) count += input[i] == bin;
    atomicAdd(&output[bin], count);
  }
}
)");
  EXPECT_EQ(result.verdict, Verdict::right) << result.summary;
  for (const std::string& note : result.notes) EXPECT_FALSE(contains(note, "only in blocks of")) << note;
}

// Each launch begins with an empty heap of 8 MiB, so the size alone decides whether there is room.
TEST_F(SimulatedCheckTest, NamesTheHeapWhereMallocFindsNoRoom) {
  const std::string kernel = R"(
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float* sum = (float*)malloc(size * sizeof(float));
  sum[0] = A[item] + B[item];
  if (item < size) C[item] = sum[0];
}
)";
  EXPECT_EQ(checked("first-kernel", kernel, {.settings = Settings{.size = 1024}}).verdict, Verdict::right);
  const CheckResult result = checked("first-kernel", kernel, {.settings = Settings{.size = 2048}});
  EXPECT_EQ(result.pattern, "out-of-bounds-write") << result.summary;
  EXPECT_TRUE(contains(result.summary, "malloc() or new found no room in the heap"));
}

TEST_F(SimulatedCheckTest, SaysThatGarbageOfSharedMemoryWasStoredAsNaN) {
  const CheckResult result = checked("first-kernel", R"(
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  __shared__ float sums[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = sums[threadIdx.x];
}
)");
  EXPECT_EQ(result.pattern, "uninitialised-shared") << result.summary;
  ASSERT_FALSE(result.details.empty());
  EXPECT_TRUE(contains(result.details.back(), "written as NaN"));
}

TEST_F(SimulatedCheckTest, NamesTheLineOfTheOtherThreadOfARaceAndOfFurtherDefects) {
  const CheckResult result = checked("first-kernel", R"(
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  __shared__ float sums[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) sums[threadIdx.x] = A[item];
  if (size > item) C[item] = sums[threadIdx.x ^ 1] + 2 * B[item];
}
)");
  EXPECT_EQ(result.pattern, "race-shared") << result.summary;
  ASSERT_GE(result.related.size(), 2u);
  EXPECT_EQ(result.line + result.related[0].line, 5 + 6) << "one thread in each line";
  EXPECT_TRUE(result.related[0].text.ends_with(" it here")) << result.related[0].text;
  EXPECT_EQ(result.related[1].pattern, "uninitialised-shared");
  EXPECT_EQ(result.related[1].line, 6);
}

TEST_F(SimulatedCheckTest, SaysWhatTheFirstWrongElementIsComputedFrom) {
  const CheckResult result = checked("vector-multiply", R"(
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
)");
  ASSERT_FALSE(result.first_differences.empty());
  const Difference& first = result.first_differences[0];
  ASSERT_EQ(first.inputs.size(), 2u);
  EXPECT_EQ(first.inputs[0].array, "A");
  EXPECT_EQ(first.inputs[1].index, first.index);
  EXPECT_FLOAT_EQ(static_cast<float>(first.inputs[0].value * first.inputs[1].value),
                  static_cast<float>(first.expected));
}

// Each block has to zero and merge all bins, however few threads it has.
TEST_F(SimulatedCheckTest, LetsBlocksOfASingleThreadDoTheWorkOfABlock) {
  const CheckResult result = checked(
      "shared-histogram", R"(
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
)",
      {.settings = Settings{.size = 20'000, .options = {{"distribution", "uniform"}}}, .block_size = 1});
  EXPECT_EQ(result.verdict, Verdict::right) << result.summary;
}

const std::string histogram = R"(
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) UPDATE
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) MERGE
}
)";

std::string changed(std::string text, const std::string& word, const std::string& replacement) {
  return text.replace(text.find(word), word.size(), replacement);
}

TEST_F(SimulatedCheckTest, SaysNothingOfBlocksThatNoTermsFill) {
  const std::string text = source_text("tests/check/kernels/convolution-1d/one_tap_too_many.cu");
  const CheckResult result =
      checked("convolution-1d", changed(text, "int j = 0; j <= taps", "int j = 1; j < taps"));
  EXPECT_EQ(result.pattern, "skipped-elements");
  EXPECT_TRUE(contains(result.summary, "without the first tap"));
  EXPECT_FALSE(contains(result.summary, "every block")) << result.summary;
}

TEST_F(SimulatedCheckTest, CallsARaceOfOneLineThatAddsAnUpdate) {
  const std::string merged = changed(histogram, "MERGE", "atomicAdd(&output[bin], counts[bin]);");
  for (const char* update :
       {"counts[input[item]] += 1;", "counts[input[item]]++;", "++counts[input[item]];"}) {
    const CheckResult result = checked("shared-histogram", changed(merged, "UPDATE", update));
    EXPECT_EQ(result.pattern, "race-shared-update") << update << "\n" << result.summary;
    EXPECT_EQ(result.line, 7);
  }
  const std::string counted = changed(histogram, "UPDATE", "atomicAdd(&counts[input[item]], 1);");
  EXPECT_EQ(checked("shared-histogram", changed(counted, "MERGE", "output[bin] += counts[bin];")).pattern,
            "race-global-update");
  EXPECT_EQ(checked("shared-histogram", changed(counted, "MERGE", "output[bin] = counts[bin];")).pattern,
            "race-global");
}

TEST_F(SimulatedCheckTest, SaysThatAThreadIsInTheNextIterationOfALoop) {
  const std::string tiled = R"(
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[32][32], b[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += 32) {
    const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < m && a_column < k ? A[row * k + a_column] : 0;
    b[threadIdx.y][threadIdx.x] = b_row < k && column < n ? B[b_row * n + column] : 0;
    BARRIER
    for (int i = 0; i < 32; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    END
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
)";
  const CheckResult end =
      checked("matmul", changed(changed(tiled, "BARRIER", "__syncthreads();"), "END", ""));
  EXPECT_EQ(end.pattern, "race-shared-loop");
  EXPECT_TRUE(contains(end.summary, "is already in the next iteration of the loop"));
  EXPECT_TRUE(contains(end.summary, "a barrier is needed between line 11 of one iteration and line "));
  const CheckResult middle =
      checked("matmul", changed(changed(tiled, "BARRIER", ""), "END", "__syncthreads();"));
  EXPECT_EQ(middle.pattern, "race-shared");
  EXPECT_FALSE(contains(middle.summary, "round")) << middle.summary;
}

const std::string vector_add = R"(
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  BODY
}
)";

TEST_F(SimulatedCheckTest, TriesSizesBeyond16BitsAndNamesTheLimit) {
  const CheckResult result = checked(
      "first-kernel",
      changed(vector_add, "BODY", "const unsigned short j = i;\n  if (i < size) C[j] = A[j] + B[j];"));
  EXPECT_NE(result.verdict, Verdict::right);
  const CheckResult limited = checked(
      "first-kernel", changed(vector_add, "BODY", "if (i < size && i <= 0xffff) C[i] = A[i] + B[i];"));
  EXPECT_EQ(limited.pattern, "type-limit") << limited.summary;
  EXPECT_EQ(limited.size, 65'537u);
}

TEST_F(SimulatedCheckTest, NamesTheNumberThatIsWrittenForTheSize) {
  const CheckResult result =
      checked("first-kernel", changed(vector_add, "BODY", "if (i < size && i < 7000) C[i] = A[i] + B[i];"));
  EXPECT_EQ(result.pattern, "constant-for-size") << result.summary;
  EXPECT_EQ(result.line, 4);
  EXPECT_TRUE(contains(result.where, "right up to size 7 000, wrong from 7 001 on"));
}

TEST_F(SimulatedCheckTest, TriesNegativeNumbersZerosAndLargeNumbers) {
  for (const char* formula : {"fabsf(A[i] + B[i])", "fmaxf(0, A[i] + B[i])", "A[i] == 0 ? 0 : A[i] + B[i]",
                              "fminf(A[i] + B[i], 1e6f)"}) {
    const CheckResult result = checked(
        "first-kernel", changed(vector_add, "BODY", "if (i < size) C[i] = " + std::string(formula) + ";"));
    EXPECT_EQ(result.verdict, Verdict::wrong) << formula;
    ASSERT_TRUE(result.tried_with) << formula;
    EXPECT_TRUE(result.tried_with->edge_inputs) << formula;
  }
}

TEST_F(SimulatedCheckTest, ShrinksWhatFailsAndSaysTheSameEachTime) {
  const std::string text =
      changed(vector_add, "BODY", "if (i < size) C[i] = A[i] + B[i] + (size == 4242 || size > 20000);");
  const CheckResult result = checked("first-kernel", text);
  EXPECT_EQ(result.verdict, Verdict::wrong);
  EXPECT_TRUE(result.size == 4242 || result.size == 20001) << result.size;
  EXPECT_EQ(packed(result), packed(checked("first-kernel", text)));
}

TEST_F(SimulatedCheckTest, DoesNotSayThatUpdatesWereLostWithoutARace) {
  const std::string counted = changed(histogram, "UPDATE", "atomicAdd(&counts[input[item]], item % 7 != 3);");
  const CheckResult result =
      checked("shared-histogram", changed(counted, "MERGE", "atomicAdd(&output[bin], counts[bin]);"));
  EXPECT_EQ(result.pattern, "too-few") << result.summary;
  EXPECT_FALSE(contains(result.summary, "lost")) << result.summary;
}

TEST_F(SimulatedCheckTest, SaysWhereElseItIsRight) {
  const CheckResult result =
      checked("first-kernel", changed(vector_add, "BODY", "if (i < size / 4 * 4) C[i] = A[i] + B[i];"));
  EXPECT_TRUE(contains(result.where, "right where size is a multiple of 4, wrong elsewhere"));
}

CheckResult checked_by_nvrtc(const std::string& text) {
  CheckResult result;
  check_by_nvrtc({"folder/mine.cu", text}, sandbox::Mode::off, result);
  return result;
}

class NvrtcCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::support().status().nvrtc_found) GTEST_SKIP() << "there is no NVRTC";
  }
};

TEST_F(NvrtcCheck, ShowsTheMessageAtTheLearnersLine) {
  // A C++ compiler takes this for a function that any code may call.
  const CheckResult result =
      checked_by_nvrtc("__global__ void f(float* a) {}\n\n  float half(float x) { return x / 2; }\n");
  EXPECT_EQ(result.verdict, Verdict::does_not_compile);
  EXPECT_EQ(result.pattern, "does-not-compile");
  EXPECT_EQ(result.line, 3);
  EXPECT_EQ(result.source, "float half(float x) { return x / 2; }");
  EXPECT_TRUE(result.summary.starts_with("folder/mine.cu does not compile: line 3: ")) << result.summary;
  EXPECT_TRUE(result.compiler_log.starts_with("folder/mine.cu(3): error: ")) << result.compiler_log;
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_TRUE(result.notes[0].starts_with("NVRTC ")) << result.notes[0];
}

TEST_F(NvrtcCheck, SaysNothingOfWhatCompiles) {
  const CheckResult result =
      checked_by_nvrtc("__global__ void f(int* a) { a[0] = __reduce_add_sync(~0u, 1); }\n");
  EXPECT_EQ(result.verdict, Verdict::right) << result.summary;
  EXPECT_TRUE(result.notes.empty());
}

}  // namespace
}  // namespace gpulab::check
