#include "source/program_files.hpp"

#include <gtest/gtest.h>

namespace gpulab::source {
namespace {

using Premise = ProgramFinding::Premise;

// Whether a finding about that call in that line is kept.
bool is_kept(const std::string& text, Premise premise, const std::string& call, int line = 1) {
  ProgramReport report;
  report.findings = {{.pattern = "some", .place = {"", line}, .premise = premise, .call = call}};
  find_source_lines({{"sum.cu", "sum.cu", text, true}}, report);
  return !report.findings.empty();
}

TEST(SourceLines, SeeWhetherAnybodyLooksAtWhatACallReturns) {
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

TEST(SourceLines, FindACallThatBeganInALineBefore) {
  EXPECT_TRUE(is_kept("\ncudaMemcpy(a, b,\n  n,\n  kind);", Premise::value_is_unused, "cudaMemcpy", 4));
  EXPECT_FALSE(is_kept("cudaMemcpy(a, b, n, kind);\n\nf();", Premise::value_is_unused, "cudaMemcpy", 3));
}

TEST(SourceLines, SeeWhetherACallCountsBytes) {
  EXPECT_TRUE(is_kept("cudaMemcpy(a, b, n, kind);", Premise::counts_no_bytes, "cudaMemcpy"));
  EXPECT_TRUE(is_kept("cudaMemcpy2D(a, w * sizeof(int), b, pitch, w, h, kind);", Premise::counts_no_bytes,
                      "cudaMemcpy2D"));
  for (const char* text : {"cudaMemcpy(a, b, n * sizeof(int), kind);", "cudaMemcpy(a, b, numBytes, kind);",
                           "cudaMemcpy(f(a, n), b, sizeof a, kind);"})
    EXPECT_FALSE(is_kept(text, Premise::counts_no_bytes, "cudaMemcpy")) << text;
}

TEST(SourceLines, SeeWhetherAPointerIsOneToFloats) {
  for (const char* text :
       {"float* a; cudaMemset(a, 1, n);", "const int n = 3; double *b = f(n), *a; cudaMemset(a, 1, n);",
        "void f(float* a) { cudaMemset(a, 1, n); }"})
    EXPECT_TRUE(is_kept(text, Premise::is_of_floats, "cudaMemset")) << text;
  for (const char* text : {"int* a; float* b; cudaMemset(a, 1, n);", "unsigned char *a; cudaMemset(a, 1, n);",
                           "cudaMemset(a, 1, n);"})
    EXPECT_FALSE(is_kept(text, Premise::is_of_floats, "cudaMemset")) << text;
}

}  // namespace
}  // namespace gpulab::source
