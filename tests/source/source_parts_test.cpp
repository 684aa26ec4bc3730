#include "source/source_parts.hpp"

#include "some_kernel_file.hpp"
#include "source/program_files.hpp"
#include "source/program_findings.hpp"
#include "test.hpp"

namespace gpulab::source {
namespace {

const std::string& file = some_kernel_file;

TEST(FunctionSource, CutsAKernelWithTheCommentAboveIt) {
  EXPECT_EQ(function_source(file, "histogram"), R"(// One atomic for every element.
// All blocks queue.
__global__ void histogram(const int* input, int* output, int size) {
  if (size > 0) { output[0] = '}'; }  // }
  const char* text = "} \" {"; /* } */
}
)");
}

TEST(FunctionSource, TakesTheDefinitionAndNotTheDeclaration) {
  EXPECT_EQ(function_source(file, "later"), R"(/* Two versions. */
template <int n>
__global__ void __launch_bounds__(256) later (int* output) {
  output[n] = 1'000;
}
)");
}

TEST(FunctionSource, LooksIntoNamespaces) {
  EXPECT_EQ(function_source(file, "hidden"), "__global__ void hidden() {}\n");
}

TEST(FunctionSource, IsEmptyForWhatIsNotAKernelOfTheFile) {
  EXPECT_EQ(function_source(file, "twice"), "");
  EXPECT_EQ(function_source(file, "histo"), "");
  EXPECT_EQ(function_source(file, "input"), "");
  EXPECT_EQ(function_source("", "histogram"), "");
}

TEST(KernelNames, AreThoseOfTheDefinitions) {
  EXPECT_EQ(kernel_names("__global__ void later(int);\n__device__ int half(int i) { return i / 2; }\n"
                         "// __global__ void never() {}\n"
                         "extern \"C\" __global__ void __launch_bounds__(256) one(int* a) { half(2); }\n"
                         "namespace n {\n__global__\nvoid two() {}\n}\n"),
            (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(kernel_names("").empty());
}

TEST(FunctionSource, GivesTheRestOfAFileWithABraceMissing) {
  EXPECT_EQ(function_source("__global__ void open() {\n  if (1) {\n}", "open"),
            "__global__ void open() {\n  if (1) {\n}\n");
}

TEST(SourceWithUsedParts, HasTheFunctionsAndVariablesThatAKernelNeeds) {
  const std::string lesson =
      "// About the file.\n\n__constant__ float filter[4];\n\n// Not used.\nconst int spare = 1;\n\n"
      "const int step = 1;           // elements\n"
      "const int values[] = {step, 2};  // words\n\n"
      "extern __shared__ float shared[];\n\n"
      "// Half of it.\n__device__ int half(int i) { return i / values[1]; }\n\n"
      "__global__ void other(int* a) { a[0] = half(1); }\n\n"
      "__global__ void wanted(int* a) { a[0] = half(filter[0]); }\n";
  EXPECT_EQ(source_with_used_parts(lesson, {"wanted"}),
            "__constant__ float filter[4];\n\n"
            "const int step = 1;           // elements\n"
            "const int values[] = {step, 2};  // words\n\n"
            "// Half of it.\n__device__ int half(int i) { return i / values[1]; }\n\n"
            "__global__ void wanted(int* a) { a[0] = half(filter[0]); }\n");
  EXPECT_EQ(source_with_used_parts(lesson, {"no_such"}), "");
}

TEST(SourceWithUsedParts, HasTypesAndConstantsWhoseValueIsACall) {
  const std::string lesson =
      "using Mask = decltype(__activemask());\n"
      "constexpr auto all = ~Mask{0};\n"
      "constexpr int unused = sizeof(Mask);\n"
      "__global__ void wanted(int* a) { __syncwarp(all); }\n";
  EXPECT_EQ(source_with_used_parts(lesson, {"wanted"}),
            "using Mask = decltype(__activemask());\nconstexpr auto all = ~Mask{0};\n"
            "__global__ void wanted(int* a) { __syncwarp(all); }\n");
}

TEST(LinesOfParts, IncludeTheCommentAbove) {
  const auto parts = lines_of_parts(file);
  const auto histogram = std::ranges::find(parts, "histogram", &PartLines::name);
  ASSERT_NE(histogram, parts.end());
  EXPECT_TRUE(histogram->is_kernel);
  EXPECT_EQ(histogram->first, 5);
  EXPECT_EQ(histogram->last, 10);
  const auto twice = std::ranges::find(parts, "twice", &PartLines::name);
  ASSERT_NE(twice, parts.end());
  EXPECT_FALSE(twice->is_kernel);
  EXPECT_EQ(twice->first, 12);
  EXPECT_EQ(twice->last, 12);
}

TEST(SourceText, IsTheSourceItselfWithoutColour) {
  EXPECT_EQ(source_text(file, {.colour = false}), file);
}

TEST(SourceText, ColoursWordsOfCudaAndOfTheLanguage) {
  EXPECT_EQ(source_text("__global__ void f();", {.colour = true}),
            "\x1b[36m__global__\x1b[0m \x1b[34mvoid\x1b[0m f();");
  EXPECT_EQ(source_text("// a comment that is too long for\n// a screen\n\n// x\n", {.width = 20}),
            "// a comment that is\n// too long for a\n// screen\n\n// x\n");
  EXPECT_EQ(source_text("  f();  // after the code\n", {.width = 20}), "  // after the code\n  f();\n");
  EXPECT_EQ(source_text("  // a comment that is too long for a screen\n  f();", {.width = 40}),
            "  // a comment that is too long for a\n  // screen\n  f();");
  EXPECT_EQ(source_text("threadIdx.x + 2.5e-3f", {.colour = true}),
            "\x1b[36mthreadIdx\x1b[0m.x + \x1b[35m2.5e-3f\x1b[0m");
}

TEST(SourceText, ColoursNothingInsideCommentsAndStrings) {
  EXPECT_EQ(source_text("// if 1", {.colour = true}), "\x1b[32m// if 1\x1b[0m");
  EXPECT_EQ(source_text("\"if 1\"", {.colour = true}), "\x1b[33m\"if 1\"\x1b[0m");
}

using Premise = ProgramFinding::Premise;

// Returns whether a finding about this call in this line is kept.
bool is_kept(const std::string& text, Premise premise, const std::string& call, int line = 1) {
  ProgramReport report;
  report.findings = {{.pattern = "some", .place = {"", line}, .premise = premise, .call = call}};
  find_source_lines({{.name = "sum.cu", .path = "sum.cu", .code = text, .is_unit = true}}, report);
  return !report.findings.empty();
}

TEST(SourceLines, SeeWhetherTheResultOfACallIsUsed) {
  for (const char* text : {"cudaMalloc(&p, 4);", "{ cudaMalloc(&p, 4); }", "if (x) cudaMalloc(&p, 4);",
                           "else cudaMalloc(&p, 4);", "f(); cudaMalloc((void**)&p, n * sizeof(int));",
                           "x: cudaMalloc(&p, 4);", "::cudaMalloc(&p, 4);"})
    EXPECT_TRUE(is_kept(text, Premise::value_is_unused, "cudaMalloc")) << text;
  for (const char* text :
       {"CHECK(cudaMalloc(&p, 4));", "e = cudaMalloc(&p, 4);", "if (cudaMalloc(&p, 4)) return;",
        "return cudaMalloc(&p, 4);", "(void)cudaMalloc(&p, 4);",
        "cudaMalloc(&p, 4) == cudaSuccess ? f() : g();", "ALLOCATE(p, 4);", ""})
    EXPECT_FALSE(is_kept(text, Premise::value_is_unused, "cudaMalloc")) << text;
}

TEST(SourceLines, FindACallThatBeginsInAnEarlierLine) {
  EXPECT_TRUE(is_kept("\ncudaMemcpy(a, b,\n  n,\n  kind);", Premise::value_is_unused, "cudaMemcpy", 4));
  EXPECT_FALSE(is_kept("cudaMemcpy(a, b, n, kind);\n\nf();", Premise::value_is_unused, "cudaMemcpy", 3));
}

TEST(SourceLines, SeeWhetherACallCountsBytes) {
  EXPECT_TRUE(is_kept("cudaMemcpy(a, b, n, kind);", Premise::size_is_not_in_bytes, "cudaMemcpy"));
  EXPECT_TRUE(is_kept("cudaMemcpy2D(a, w * sizeof(int), b, pitch, w, h, kind);",
                      Premise::size_is_not_in_bytes, "cudaMemcpy2D"));
  for (const char* text : {"cudaMemcpy(a, b, n * sizeof(int), kind);", "cudaMemcpy(a, b, numBytes, kind);",
                           "cudaMemcpy(f(a, n), b, sizeof a, kind);"})
    EXPECT_FALSE(is_kept(text, Premise::size_is_not_in_bytes, "cudaMemcpy")) << text;
}

TEST(SourceLines, SeeWhetherACallIsGivenTheSizeOfAPointer) {
  const auto is_kept_with = [](const std::string& declared, const std::string& call) {
    return is_kept("void f() { " + declared + " " + call + " }", Premise::size_is_of_pointer,
                   call.substr(0, call.find('(')));
  };
  for (const char* call : {"cudaMemcpy(h, d, sizeof(h), kind);", "cudaMemcpy(d, h, sizeof h, kind);",
                           "cudaMemcpyAsync(h, d, sizeof(h), kind, s);", "cudaMemset(h, 0, sizeof(h));"})
    EXPECT_TRUE(is_kept_with("float* h = f(n);", call)) << call;
  for (const char* call :
       {"cudaMemcpy(&p->next, &h, sizeof(h), kind);", "cudaMemcpy(h, d, sizeof(*h), kind);",
        "cudaMemcpy(h, d, n * sizeof(h), kind);", "cudaMemcpy(x, d, sizeof(h), kind);"})
    EXPECT_FALSE(is_kept_with("float* h = f(n);", call)) << call;
  const std::string copy = "cudaMemcpy(h, d, sizeof(h), kind);";
  for (const char* declared : {"Params* h = new Params;", "auto *const h = f(n);", "int *d, *h = f(n);",
                               "for (T<int>* h = f(n); h;) {", "Params *h; { Params h[2]; }"})
    EXPECT_TRUE(is_kept_with(declared, copy)) << declared;
  for (const char* declared : {"float h[2];", "Params h[2];", "float* h; { float h[2];", "{ Params* h; }",
                               "Params h[2]; printf(form, *h);", "Params h[2]; return *h;"})
    EXPECT_FALSE(is_kept_with(declared, copy)) << declared;
  EXPECT_TRUE(is_kept("void f(const Params* h) { " + copy + " }", Premise::size_is_of_pointer, "cudaMemcpy"));
  const std::string copy_of_vector = "cudaMemcpy(d, v.data(), sizeof(v), kind);";
  EXPECT_TRUE(is_kept_with("std::vector<float> v(n);", copy_of_vector));
  EXPECT_FALSE(is_kept_with("std::array<float, 6> v;", copy_of_vector));
  EXPECT_FALSE(is_kept_with("std::vector<float> v(n);", "cudaMemcpy(d, w.data(), sizeof(v), kind);"));
  EXPECT_FALSE(is_kept("Params h[2]; void g(Params* h) { f(h); } void f() { " + copy + " }",
                       Premise::size_is_of_pointer, "cudaMemcpy"));
}

TEST(SourceLines, SeeWhetherAPointerIsOneToFloats) {
  for (const char* text :
       {"float* a; cudaMemset(a, 1, n);", "const int n = 3; double *b = f(n), *a; cudaMemset(a, 1, n);",
        "void f(float* a) { cudaMemset(a, 1, n); }"})
    EXPECT_TRUE(is_kept(text, Premise::array_has_floats, "cudaMemset")) << text;
  for (const char* text : {"int* a; float* b; cudaMemset(a, 1, n);", "unsigned char *a; cudaMemset(a, 1, n);",
                           "cudaMemset(a, 1, n);"})
    EXPECT_FALSE(is_kept(text, Premise::array_has_floats, "cudaMemset")) << text;
}

}  // namespace
}  // namespace gpulab::source
