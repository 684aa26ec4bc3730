#include "device/libraries.hpp"

#include "device/host.hpp"
#include "test.hpp"

namespace gpulab::device {
namespace {

TEST(KernelLibrary, GivesAFileTheNamesThatItUses) {
  const std::string library = library_for("__global__ void k(uint32_t* p) { p[0] = INT_MAX; }");
  EXPECT_TRUE(contains(library, "typedef unsigned int uint32_t;"));
  EXPECT_TRUE(contains(library, "#define INT_MAX 2147483647"));
  EXPECT_FALSE(contains(library, "uint8_t"));
  EXPECT_FALSE(contains(library, "M_PI"));
}

TEST(KernelLibrary, IsEmptyForAFileThatNeedsNone) {
  EXPECT_EQ(library_for("__global__ void k(float* p) { p[threadIdx.x] = 1; }"), "");
}

TEST(KernelLibrary, LeavesAloneWhatAFileDefinesItself) {
  for (const char* text :
       {"typedef unsigned long long uint64_t; uint64_t x;", "using uint64_t = unsigned long; uint64_t x;",
        "#define M_PI 3.14f\nfloat x = M_PI;", "#ifndef M_PI\n#define M_PI 3.0\n#endif\nfloat x = M_PI;",
        "constexpr float M_PI = 3.14f; float x = M_PI;", "const int INT_MAX = 7, y = INT_MAX;",
        "struct uint { int x; }; uint u;"})
    EXPECT_EQ(library_for(text), "") << text;
}

TEST(KernelLibrary, ReadsNeitherCommentsNorLiterals) {
  EXPECT_EQ(library_for("// uint32_t, std::min\nprintf(\"INT_MAX\");"), "");
}

TEST(KernelLibrary, HasTheStandardLibraryOnlyForFilesThatNameIt) {
  EXPECT_TRUE(contains(library_for("int x = std::max(1, 2);"), "namespace std"));
  EXPECT_FALSE(contains(library_for("int x = max(1, 2);"), "namespace std"));
  EXPECT_TRUE(contains(library_for("float x = std::sqrt(y);"), "namespace std { using ::sqrt; }"));
}

TEST(KernelLibrary, IsPutBeforeFilesByTheWordsOfItsParts) {
  EXPECT_TRUE(is_needed_for("// For: sin* cos*\ncode", {"sinf"}));
  EXPECT_TRUE(is_needed_for("// For: sin* cos*\n// For: *min\ncode", {"umin"}));
  EXPECT_TRUE(is_needed_for("// For: __v*2\ncode", {"__vadd2"}));
  EXPECT_FALSE(is_needed_for("// For: __v*2\ncode", {"__vadd4", "v2"}));
  EXPECT_TRUE(is_needed_for("// A part for all.\n// For: nobody reads this\n", {}));
}

TEST(KernelLibrary, FindsTheHeadersOfIncludeDirectivesOnly) {
  EXPECT_EQ(included_headers("#include <cmath>\n  # include \"cuda_fp16.h\" // half\n// #include <no>\n"
                             "const char* s = \"#include <no>\";\n"),
            (std::vector<std::string>{"cmath", "cuda_fp16.h"}));
}

TEST(DynamicLibrary, FindsAFunctionAndItsOwnPath) {
  const DynamicLibrary library({"libm.so.6"});
  double (*square_root)(double) = nullptr;
  library.find(square_root, "sqrt");
  EXPECT_EQ(square_root(9), 3);
  EXPECT_TRUE(library.path().ends_with("libm.so.6")) << library.path();
}

TEST(DynamicLibrary, TakesTheFirstNameThatCanBeOpened) {
  EXPECT_TRUE(DynamicLibrary({"libno_such_thing.so.1", "libm.so.6"}).path().ends_with("libm.so.6"));
}

TEST(DynamicLibrary, SaysWhatTheLoaderSaysOfTheFirstName) {
  const auto error = thrown<std::runtime_error>([&] {
    DynamicLibrary({"libno_such_thing.so.1", "/nowhere/libno_such_thing.so"});
  });
  EXPECT_TRUE(std::string(error.what()).starts_with("libno_such_thing.so.1: ")) << error.what();
}

TEST(DynamicLibrary, NamesTheFunctionThatIsMissing) {
  const DynamicLibrary library({"libm.so.6"});
  void (*function)() = nullptr;
  const auto error = thrown<std::runtime_error>([&] { library.find(function, "no_such_function"); });
  EXPECT_TRUE(contains(error.what(), "no_such_function"));
}

}  // namespace
}  // namespace gpulab::device
