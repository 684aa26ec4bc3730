#include <fmt/format.h>

#include "check/judging.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

RefusalInSource refusal_in(const std::string& text, int line, const std::string& complaint) {
  return refusal_in_source({.kind = DefectKind::does_not_compile, .line = line, .complaint = complaint},
                           text);
}

TEST(RefusalInSource, NamesThePatternOfACompilersComplaint) {
  const std::string text = "const int i = blockIdx.x + threadIdx;\nC[i] = 1\nfloat_sums[threadIdx] = sum;\n";
  const auto pattern = [&](int line, const std::string& complaint) {
    return refusal_in(text, line, complaint).pattern;
  };
  EXPECT_EQ(pattern(1, "no match for 'operator+' (operand types are 'unsigned int' and 'const uint3')"),
            "component-missing");
  EXPECT_EQ(pattern(3, "no match for 'operator[]' (operand types are 'float [256]' and 'const uint3')"),
            "component-missing");
  EXPECT_EQ(pattern(2, "expected ';' before '}' token"), "missing-semicolon");
  EXPECT_EQ(pattern(2, "expected ',' or ';' before 'if'"), "missing-semicolon");
  EXPECT_EQ(pattern(2, "expected '}' at end of input"), "missing-bracket");
  EXPECT_EQ(pattern(2, "'C' was not declared in this scope"), "unknown-name");
  EXPECT_EQ(pattern(2, "identifier \"C\" is undefined"), "unknown-name");
  EXPECT_EQ(pattern(2, "invalid types 'float*[const float]' for array subscript"), "wrong-subscript");
  EXPECT_EQ(pattern(2, "assignment of read-only location '*(A + 4)'"), "stores-to-const");
  EXPECT_EQ(pattern(2, "sum is used before it has a value"), "unset-variable");
  EXPECT_EQ(pattern(2, "'k' does not name a type"), "does-not-compile");
}

constexpr const char* any_words = "no";

// Returns the message for a complaint about a line of a kernel, whose body begins in line 2.
std::string refusal(const std::string& body, int line, const std::string& complaint) {
  const std::string text = "__global__ void f(const float* A, float* C, int size) {\n" + body;
  return refusal_in(text, line, complaint).text;
}

TEST(RefusalInSource, ProposesTheNameThatWasProbablyMeant) {
  const auto proposed = [](const std::string& name, const std::string& proposal) {
    return refusal("  int number = size;\n  " + name + ";\n}\n", 3,
                   "‘" + name + "’ was not declared in this scope; did you mean ‘" + proposal + "’?");
  };
  EXPECT_TRUE(contains(proposed("atomicAd", "atomicAnd"), "write atomicAdd"));
  EXPECT_TRUE(contains(proposed("AtomicAdd", "atomicAnd"), "write atomicAdd"));
  EXPECT_TRUE(contains(proposed("_shared_", "char"), "write __shared__"));
  EXPECT_TRUE(contains(proposed("num", "enum"), "write number"));
  EXPECT_TRUE(contains(proposed("powr", "powf"), "write powf"));
  EXPECT_EQ(refusal("  float temp_a = A[0];\n  temp_c = temp_a + 1;\n}\n", 3,
                    "‘temp_c’ was not declared in this scope; did you mean ‘temp_a’?"),
            "line 3 has temp_c, which is not known: write its type before it, as in float temp_c = ...");
}

TEST(RefusalInSource, NamesTheStreamOfALaunchAndAHeaderOfTheHost) {
  const std::string text =
      "int main() {\n  twice<<<4, 256, s>>>(d, n);\n  std::vector<float> v(9);\n}\n"
      "__global__ void f() {\n  std::vector<int> v;\n}\n";
  EXPECT_TRUE(contains(
      refusal_in(text, 2, "invalid conversion from ‘cudaStream_t’ {aka ‘gpulab_stream*’} to ‘size_t’").text,
      "<<<blocks, threads, 0, stream>>>"));
  EXPECT_TRUE(contains(refusal_in(text, 3, "‘vector’ is not a member of ‘std’").text,
                       "has vector, and no #include names its header: write #include <vector>"));
  EXPECT_TRUE(contains(
      refusal_in("int main() {\n  std::vector<float> v(9);  std::is_sorted(v.begin(), v.end());\n}\n", 2,
                 "‘is_sorted’ is not a member of ‘std’; did you mean ‘is_signed’?")
          .text,
      "has is_sorted, and no #include names its header: write #include <algorithm>"));
  for (const auto& [name, header] : {std::pair("copy_n", "algorithm"), {"unordered_map", "unordered_map"}})
    EXPECT_TRUE(contains(refusal_in(fmt::format("int main() {{\n  std::{}(1);\n}}\n", name), 2,
                                    fmt::format("‘{}’ is not a member of ‘std’", name))
                             .text,
                         fmt::format("no #include names its header: write #include <{}>", header)));
  EXPECT_TRUE(contains(refusal_in(text, 6, "‘vector’ is not a member of ‘std’").text,
                       "which device code does not have"));
}

TEST(RefusalInSource, SaysHowAnIndexASumAndACounterAreWritten) {
  EXPECT_TRUE(contains(refusal("  item = blockIdx.x * blockDim.x + threadIdx.x;\n}\n", 2,
                               "‘item’ was not declared in this scope"),
                       "as in int item ="));
  EXPECT_TRUE(
      contains(refusal("  A[0] + A[1] = C[0];\n}\n", 2, "lvalue required as left operand of assignment"),
               "write C[i] = A[i] + B[i]"));
  EXPECT_TRUE(contains(refusal("  int counts[256];\n}\n", 2,
                               "non-thread-local declaration of ‘int counts [256]’ follows thread-local "
                               "declaration"),
                       "declares int counts [256] a second time"));
  EXPECT_TRUE(contains(refusal("  atomicInc(&C[0], 1);\n}\n", 2,
                               "invalid conversion from ‘int*’ to ‘unsigned int*’ [-fpermissive]"),
                       "atomicInc, which takes the address of an unsigned int"));
}

TEST(RefusalInSource, TakesABraceForNoType) {
  EXPECT_EQ(refusal("  int i = 0;\n  if (i < n) {\n    C[i] = A[i];\n  }\n}\n", 3,
                    "‘n’ was not declared in this scope"),
            "line 3 has n, which is not known: is the kernel's last parameter meant, size?");
  EXPECT_TRUE(contains(refusal("  int i = 0;\n  float C[i] = A[i];\n}\n", 3, any_words),
                       "declares a second C: leave out float"));
}

TEST(RefusalInSource, SaysWhichArgumentIsNoPointer) {
  const std::string text =
      "int main() {\n  std::vector<float> h(9);\n  float* dx, dy;\n  cudaMalloc(&dy, 36);\n"
      "  cudaMemcpy(dx, h, 36, cudaMemcpyHostToDevice);\n  scale<<<1, 9>>>(dx);\n}\n";
  EXPECT_TRUE(contains(refusal_in(text, 4, "no matching function for call to ‘cudaMalloc(float*, int)’").text,
                       "gives cudaMalloc dy, which is no pointer: declare it as float* dy"));
  EXPECT_TRUE(contains(refusal_in(text, 5, "cannot convert ‘std::vector<float>’ to ‘const void*’").text,
                       "write h.data()"));
  EXPECT_EQ(refusal_in(text, 6, "too few arguments to function ‘void scale(float*, float, int)’").text,
            "line 6 gives fewer arguments than scale has parameters: (float*, float, int)");
}

TEST(RefusalInSource, NamesTheDeclarationOfAnIndexAndTheTypesOfArguments) {
  const RefusalInSource index = refusal_in("void f(float* C) {\n  float item = 0;\n  C[item] = 1;\n}\n", 3,
                                           "invalid types ‘float*[float]’ for array subscript");
  EXPECT_EQ(
      index.text,
      "line 2 declares item as float, and line 3 has it as an index, which is a whole number: write int item");
  EXPECT_EQ(index.line, 2);
  const std::string other = "  int i;\n  C[i] = A[i];\n}\n";
  EXPECT_EQ(refusal(other, 3, "i is used before it has a value"),
            "line 3 uses i before it has a value: write i = ... where it is declared");
  EXPECT_TRUE(
      contains(refusal(other, 3, "ISO C++ forbids comparison between pointer and integer [-fpermissive]"),
               "compares a number with an address"));
  EXPECT_TRUE(
      contains(refusal(other, 3, "cannot convert ‘int*’ to ‘float*’"),
               "has int* where float* is needed: both are addresses, of elements of different types"));
}

TEST(RefusalInSource, SaysThatAPointerHasOneIndex) {
  EXPECT_EQ(refusal("  C[0] = A[1][2];\n}\n", 2, "invalid types ‘const float[int]’ for array subscript"),
            "line 2 has two indices for A, which has one dimension: A[row * length + column]");
}

TEST(RefusalInSource, AsksForTheAddressThatCudaMallocTakes) {
  const std::string body = "  cudaMalloc(C, 4);\n}\n";
  for (const char* complaint : {"no matching function for call to ‘cudaMalloc(float*&, long unsigned int)’",
                                "no matching function for call to 'cudaMalloc'"})
    EXPECT_TRUE(contains(refusal(body, 2, complaint), "write cudaMalloc(&pointer, bytes)")) << complaint;
}

TEST(RefusalInSource, ShowsHowACopyAnEventAndALaunchAreWritten) {
  EXPECT_TRUE(
      contains(refusal("  cudaMemcpy(C, A, 4);\n}\n", 2,
                       "too few arguments to function ‘cudaError_t cudaMemcpy(void*, const void*, size_t, "
                       "cudaMemcpyKind)’"),
               "write cudaMemcpy(destination, source, bytes, direction)"));
  EXPECT_TRUE(contains(
      refusal("  cudaEventRecord(stream);\n}\n", 2, "cannot convert ‘cudaStream_t’ to ‘cudaEvent_t’"),
      "write cudaEventRecord(event, stream)"));
  EXPECT_TRUE(
      contains(refusal("  f<<1, 2>>(A, C, size);\n}\n", 2,
                       "invalid operands of types ‘void(const float*, float*, int)’ and ‘int’ to binary "
                       "‘operator<<’"),
               "<< in place of <<<"));
  EXPECT_EQ(
      refusal("  f<<<4>>>(A, C, size);\n}\n", 2,
              "call to ‘gpulab_configure’ declared with attribute error: a launch has blocks and threads"),
      "line 2 launches with one number: <<<blocks, threads>>> takes the blocks of the grid and the threads of a "
      "block");
}

TEST(RefusalInSource, SaysThatTheDestinationOfACopyIsConst) {
  const std::string body = "  check(cudaMemcpy(A + 1, C, 4, cudaMemcpyDeviceToHost));\n}\n";
  EXPECT_EQ(
      refusal(body, 2, "invalid conversion from ‘const void*’ to ‘void*’"),
      "line 2 has A as the destination of cudaMemcpy, which comes first, and A is const, so it cannot be "
      "one: exchange the two");
  EXPECT_FALSE(contains(refusal(body, 2, "invalid conversion from ‘float’ to ‘void*’"), "is const"));
}

TEST(RefusalInSource, SaysThatALaunchReturnsNothing) {
  const std::string body = "  check(f<<<1, 2>>>(A, C, size));\n}\n";
  EXPECT_TRUE(
      contains(refusal(body, 2, "invalid use of void expression"), "cudaGetLastError() in the line after"));
}

TEST(RefusalInSource, SaysThatTheFileHasAKernelTwice) {
  const std::string redefined = "redefinition of 'void f(const float*, float*, int)'";
  const std::string again = "  C[0] = 1;\n}\n__global__ void f(const float* A, float* C, int size) {\n}\n";
  EXPECT_EQ(refusal(again, 4, redefined), "line 4 defines f, which line 1 has defined: delete one of them");
  EXPECT_TRUE(
      contains(refusal("  int i = 0;\n  int i = 1;\n}\n", 3, "redeclaration of 'int i'"), "second time"));
}

TEST(RefusalInSource, AsksToLeaveOutTheTypeWhereADeclarationAdds) {
  EXPECT_TRUE(
      contains(refusal("  for (;;) float sum += A[0];\n}\n", 2, "expected initializer before '+=' token"),
               "leave out float, and write sum +="));
}

TEST(RefusalInSource, AsksToLeaveOutTheTypeBeforeAnElement) {
  EXPECT_EQ(refusal("  if (0 < size) float C[0] = A[0];\n}\n", 2, "variable length array ‘C’ is used"),
            "line 2 declares a second C: leave out float to store in C");
}

TEST(RefusalInSource, SaysThatAParameterIsDeclaredAgainOrAConstHasNoValue) {
  EXPECT_TRUE(contains(refusal("  int size = 1;\n}\n", 2, "declaration of ‘int size’ shadows a parameter"),
                       "declares the parameter int size again"));
  for (const char* complaint : {"uninitialized ‘const b’ [-fpermissive]",
                                "default initialization of an object of const type 'const float'",
                                "const variable \"b\" requires an initializer"})
    EXPECT_TRUE(contains(refusal("  const float b;\n}\n", 2, complaint), "has a const without a value"))
        << complaint;
}

TEST(RefusalInSource, FindsTyposWhateverTheCompilerSays) {
  EXPECT_TRUE(contains(
      refusal("  __shared__ unsigned char counts[4];\n  atomicAdd(&counts[0], 1);\n}\n", 3, any_words),
      "line 3 calls atomicAdd for counts, of type unsigned char: there is none for it, so use int"));
  EXPECT_EQ(refusal("  __shared__ int counts[4];\n  atomicAdd(&counts[0], 1);\n}\n", 3, any_words), "");
  EXPECT_TRUE(contains(refusal("  C[0] = a[threadIdx.y, i];\n}\n", 2, any_words), "write a[y][x]"));
  EXPECT_EQ(refusal("  C[0] = a[f(0, 1)];\n}\n", 2, any_words), "");
  EXPECT_EQ(refusal("  float sum = 0\uFF1B\n}\n", 2, any_words),
            "line 2 has \uFF1B, a character that C++ does not know: type it again");
  EXPECT_EQ(refusal("  printf(\"\uFF1B\");  // \uFF1B\n}\n", 2, any_words), "") << "a text and a comment";
  EXPECT_EQ(refusal("  half =/ 2;\n}\n", 2, any_words), "line 2 has =/: write /=");
}

TEST(RefusalInSource, SaysWhereABracketOrASemicolonIsMissing) {
  EXPECT_EQ(refusal("  int i = 0\n  if (i < size) C[i] = 0;\n}\n", 3, "expected ‘,’ or ‘;’ before ‘if’"),
            "line 2 lacks a semicolon: write ; at its end");
  EXPECT_EQ(refusal("  int i = 0\n}\n", 2, "expected ';' at end of declaration"),
            "line 2 lacks a semicolon: write ; at its end");
  EXPECT_EQ(
      refusal("  __shared__ int counts[256]\n  for (;;) {}\n}\n", 3, "expected initializer before ‘for’"),
      "line 2 lacks a semicolon: write ; at its end");
  const std::string print = "  if (size > 1) printf(\"x\")";
  EXPECT_EQ(refusal(print + "\n  C[0] = 0;\n}\n", 2, "expected ‘;’ before ‘C’"),
            "line 2 lacks a semicolon: write ; at its end");
  EXPECT_EQ(refusal(print + " C[0] = 0;\n}\n", 2, "expected ‘;’ before ‘C’"),
            "line 2 lacks a semicolon before C");
  EXPECT_TRUE(contains(refusal("  float sum = f(A) C[1];\n}\n", 2, "expected ‘;’ before ‘C’"),
                       "an operator such as +"));
  EXPECT_EQ(refusal("  if (size > 0) {\n    C[0] = 0;\n}\n", 4, "expected ‘}’ at end of input"),
            "line 2 has a { that is never closed: write } where its block ends");
  EXPECT_EQ(refusal("  C[0] = 0;\n", 2, "expected ‘}’ at end of input"),
            "line 1 has a { that is never closed: write } where its block ends");
  EXPECT_EQ(refusal("  if (0 < size C[0] = 0;\n}\n", 2, "expected ‘;’ before ‘C’"),
            "line 2 has a ( that is never closed: write )");
  EXPECT_EQ(refusal("}\n}\n", 3, "expected declaration before ‘}’ token"),
            "line 3 has a } too many: leave it out");
  EXPECT_EQ(refusal("  if 0 < size C[0] = 0;\n}\n", 2, "expected ‘(’ before numeric constant"),
            "line 2 has no brackets after if: write if (...)");
}

TEST(RefusalInSource, SaysWhereAFunctionEndsTooEarly) {
  const std::string ends =
      " ends the function, but more of it follows: a } is too many there or before, or a { is missing";
  EXPECT_EQ(
      refusal("  int i = 0;\n  }\n  if (i < size) C[i] = 0;\n}\n", 4, "expected unqualified-id before ‘if’"),
      "line 3" + ends);
  EXPECT_EQ(
      refusal("  int i = 0; }\n  __syncthreads();\n  C[i] = 0;\n}\n", 3, "expected constructor before ‘;’"),
      "line 2" + ends);
  EXPECT_EQ(
      refusal("  int i = 0; }\n  int j = 0;\n  if (i < size) { C[i] = 0; }\n}\n", 3, "j is of the host"),
      "line 2" + ends)
      << "more braces follow";
  EXPECT_EQ(refusal("  int i = j;\n  }\n  C[i] = 0;\n}\n", 2, "‘j’ was not declared in this scope"),
            "line 2 has j, which is not known: look how it is spelt, or declare it above, as in int i = 0;")
      << "the error is above";
  const std::string text =
      "__device__ int one() { return 1; }\n__global__ void f(int* C,\n  int size)\n  C[0] = 0;\n}\n";
  EXPECT_EQ(refusal_in(text, 4, any_words).text, "line 3 has no { after the parameters: write {");
  EXPECT_EQ(refusal_in(text, 4, any_words).pattern, "missing-bracket");
  EXPECT_EQ(refusal_in(text, 1, any_words).text, "") << "the error is above";
}

TEST(RefusalInSource, SaysWhatToWriteForANameThatIsNotKnown) {
  EXPECT_EQ(refusal("  int i = treadIdx.x;\n}\n", 2,
                    "‘treadIdx’ was not declared in this scope; did you mean ‘threadIdx’?"),
            "line 2 has treadIdx, which is not known: write threadIdx");
  EXPECT_EQ(
      refusal("  itn i = threadIdx.x;\n}\n", 2, "‘itn’ was not declared in this scope; did you mean ‘int’?"),
      "line 2 has itn, which is not known: write int");
  EXPECT_EQ(
      refusal("  int item = threadIdx.x;\n  C[Item] = 0;\n}\n", 3, "use of undeclared identifier 'Item'"),
      "line 3 has Item, which is not known: item in line 2 has other capitals");
  EXPECT_TRUE(refusal("  int i = m;\n}\n", 2, "‘m’ was not declared in this scope; did you mean ‘size_t’?")
                  .ends_with("look how it is spelt, or declare it above, as in int i = 0;"));
  EXPECT_EQ(
      refusal("  for (int i = 0; i < 1; ++i) {}\n  C[i] = 0;\n}\n", 3, "use of undeclared identifier 'i'"),
      "line 3 has i, which ends with the loop or the braces of line 2: declare it above them");
  EXPECT_EQ(refusal("  C[0] = one();\n}\n__device__ float one() { return 1; }\n", 2,
                    "identifier \"one\" is undefined"),
            "line 2 has one, which stands below, in line 4: move it up");
  EXPECT_EQ(
      refusal("  C[0] = __shfl_down(A[0], 1);\n}\n", 2, "‘__shfl_down’ was not declared in this scope"),
      "line 2 has __shfl_down, which CUDA has removed: write __shfl_down_sync(mask, ...), whose mask "
      "names the lanes that take part: 0xffffffff or, for warps of any size, ~decltype(__activemask()){0}");
  EXPECT_EQ(
      refusal("  cudaDeviceSynchronize();\n}\n", 2, "‘cudaDeviceSynchronize’ was not declared in this scope"),
      "line 2 calls cudaDeviceSynchronize, which is for the host and not for a kernel: threads of a block "
      "wait with __syncthreads();");
  EXPECT_EQ(refusal("  cudaMemcpy(C, A, size, cudaMemcpyDeviceToDevice);\n}\n", 2,
                    "‘cudaMemcpyDeviceToDevice’ was not declared in this scope"),
            "line 2 calls cudaMemcpy, which is for the host and not for a kernel: leave it out");
  EXPECT_EQ(refusal("  system(\"ls\");\n}\n", 2, "‘system’ was not declared in this scope"),
            "line 2 calls system, which is for the host and not for a kernel: leave it out");
  EXPECT_EQ(
      refusal("  C[0] = time;\n}\n", 2, "‘time’ was not declared in this scope"),
      "line 2 has time, which is not known: look how it is spelt, or declare it above, as in int i = 0;")
      << "no call";
  EXPECT_EQ(refusal("  int i = blockIdx.x() + 1;\n}\n", 2, "expression cannot be used as a function"),
            "line 2 calls blockIdx.x, which is a number and no function: leave out the brackets after it");
  EXPECT_EQ(refusal("  std::cout << size;\n}\n", 2, "‘cout’ is not a member of ‘std’"),
            "line 2 has cout, which device code does not have: printf(\"%d\\n\", x); prints");
  EXPECT_EQ(refusal("  counts[n] = 0;\n}\n", 2, "‘n’ was not declared in this scope"),
            "line 2 has n, which is not known: is the kernel's last parameter meant, size?");
  EXPECT_EQ(refusal("  __shared__ int counts;\n  counts[0] = 0;\n}\n", 3,
                    "invalid types ‘int[int]’ for array subscript"),
            "line 3 takes counts for an array, and line 2 declares a single int: write counts[...] there");
  EXPECT_EQ(refusal("  __shared__ float a[16];\n  a[1][2] = 0;\n}\n", 3,
                    "invalid types ‘float[int]’ for array subscript"),
            "line 3 has two indices for a, which has one dimension: a[row * length + column]");
  EXPECT_EQ(refusal("  if (size > 0) then {}\n}\n", 2, "‘then’ was not declared in this scope"),
            "line 2 has then, which is not known: C++ has no such word, so leave it out");
  EXPECT_EQ(refusal("  int i = get_global_id(0);\n}\n", 2, "‘get_global_id’ was not declared in this scope"),
            "line 2 has get_global_id, which is not known: CUDA has blockIdx.x * blockDim.x + threadIdx.x");
}

TEST(RefusalInSource, TellsAnArrayFromAVariableThatIsConst) {
  EXPECT_EQ(refusal("  A[0] = 1;\n}\n", 2, "assignment of read-only location ‘*(A + 4)’"),
            "line 2 stores in A, which is const, as inputs are: store in the output");
  EXPECT_EQ(
      refusal("  const float sum = 0;\n  sum += A[0];\n}\n", 3, "assignment of read-only variable ‘sum’"),
      "line 3 changes sum, which is const: leave out const in line 2");
  EXPECT_EQ(
      refusal("  const float sum = 0;\n  sum += A[0];\n}\n", 3, "expression must be a modifiable lvalue"),
      "line 3 changes sum, which is const: leave out const in line 2");
  EXPECT_EQ(refusal("  const int i = 0;\n  const bool is_last = i = size;\n}\n", 3,
                    "assignment of read-only variable ‘i’"),
            "line 3 stores size in i with =, and does not compare them");
}

TEST(RefusalInSource, KnowsTheWordsOfEachCompiler) {
  const std::string body = "  int i = 0; int i = 1;\n  return i;\n}\n";
  for (const char* complaint : {"conflicting declaration ‘int i’", "redefinition of 'i'",
                                "\"i\" has already been declared in the current scope"})
    EXPECT_TRUE(contains(refusal(body, 2, complaint), "line 2 declares a name for the second time"))
        << complaint;
  for (const char* complaint : {"return-statement with a value, in function returning ‘void’",
                                "void function 'f' should not return a value"})
    EXPECT_TRUE(contains(refusal(body, 3, complaint), "line 3 returns a value")) << complaint;
  const auto pattern = [](const std::string& complaint) {
    return refusal_in("C = 1;\n", 1, complaint).pattern;
  };
  EXPECT_EQ(pattern("variable length array ‘t’ is used [-Werror=vla]"), "run-time-size");
  EXPECT_EQ(pattern("cannot convert ‘float’ to ‘float*’ in assignment"), "wrong-type");
  EXPECT_EQ(pattern("request for member ‘size’ in ‘C’, which is of non-class type ‘float*’"),
            "wrong-subscript");
}

const device::KernelSource source{"mine.cu", "one\n    two\n\tthree\n\nfive\n"};

CheckResult placed(CheckResult result) {
  find_places(source, result);
  return result;
}

CheckResult refused(int line, const std::string& log) {
  return placed({.verdict = Verdict::does_not_compile,
                 .pattern = "does-not-compile",
                 .line = line,
                 .compiler_log = log});
}

TEST(FindPlaces, PointsToTheFirstNonBlankOfTheLine) {
  EXPECT_EQ(placed({.line = 2}).column, 5);
  EXPECT_EQ(placed({.line = 3}).column, 2);
  EXPECT_EQ(placed({.line = 4}).column, 1) << "an empty line";
  EXPECT_EQ(placed({.line = 0}).column, 1);
  EXPECT_EQ(placed({.line = 99}).column, 1);
  const CheckResult race = placed({.line = 1, .related = {{.line = 2, .text = "the other thread"}}});
  EXPECT_EQ(race.related[0].column, 5);
  EXPECT_EQ(race.related[0].source, "two");
}

TEST(FindPlaces, KeepsTheCompilersColumnsAndItsFurtherErrors) {
  const CheckResult result = refused(
      2, "mine.cu:2:7: error: a\nmine.cu:3:9: note: b\nmine.cu:5:2: error: c\nmine.cu:5:2: warning: d\n");
  EXPECT_EQ(result.column, 7);
  ASSERT_EQ(result.related.size(), 2u);
  EXPECT_EQ(result.related[0].text, "b");
  EXPECT_EQ(result.related[0].pattern, "") << "a note belongs to the error before it";
  EXPECT_EQ(result.related[1].line, 5);
  EXPECT_EQ(result.related[1].column, 2);
  EXPECT_EQ(result.related[1].pattern, "does-not-compile");
}

TEST(FindPlaces, PointsToTheFirstNonBlankWhereNvrtcGivesNoColumn) {
  EXPECT_EQ(refused(2, "mine.cu(2): error: a\n").column, 5);
}

TEST(FindPlaces, KeepsTwentyOfALongListOfErrors) {
  std::string log;
  for (int i = 1; i < 100; ++i)
    log += "mine.cu:1:" + std::to_string(i) + ": error: " + std::to_string(i) + "\n";
  EXPECT_EQ(refused(1, log).related.size(), 20u);
}

}  // namespace
}  // namespace gpulab::check
