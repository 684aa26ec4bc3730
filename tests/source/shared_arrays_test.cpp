#include "source/shared_arrays.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace shared_arrays_test {

using Dimensions = std::vector<std::size_t>;

Dimensions dimensions_of(const std::string& text) {
  const std::vector<SharedArray> arrays = shared_arrays(text);
  return arrays.empty() ? Dimensions() : arrays.front().dimensions;
}

TEST(SharedArrays, HaveTheDimensionsOfTheirDeclaration) {
  EXPECT_EQ(dimensions_of("__shared__ float tile[32][33];"), (Dimensions{32, 33}));
  EXPECT_EQ(dimensions_of("__shared__ unsigned int counts[256u];"), Dimensions{256});
  EXPECT_EQ(dimensions_of("__shared__ alignas(16) float a[0x20 + 2 * (3 - 1)];"), Dimensions{36});
  EXPECT_EQ(shared_arrays("__shared__ int a[3], b[4];").size(), 2u);
}

TEST(SharedArrays, TakeConstantsOfTheText) {
  EXPECT_EQ(dimensions_of("constexpr int side = 16, pad = 1; __shared__ float t[side][side + pad];"),
            (Dimensions{16, 17}));
  EXPECT_EQ(dimensions_of("#define HALF 8\n#define SIDE (2 * HALF)\n__shared__ float t[SIDE];"),
            Dimensions{16});
  EXPECT_EQ(dimensions_of("constexpr int n = 2; void f() {} constexpr int n = 5; __shared__ float t[n];"),
            Dimensions{5})
      << "the last definition";
  EXPECT_EQ(dimensions_of("const unsigned n = 1 << 4; __shared__ float t[n];"), Dimensions())
      << "not computed";
}

TEST(SharedArrays, HaveNoDimensionsIfThoseAreUnknown) {
  for (const char* text :
       {"template <int n> __global__ void k() { __shared__ float t[n]; }", "extern __shared__ float t[];",
        "__shared__ float t[sizeof(int)];", "#define N N\n__shared__ float t[N];", "__shared__ float t[0];",
        "__shared__ float t[n]; constexpr int n = 4;", "__shared__ float t[99999999999999999999];",
        "__shared__ float t[", "__shared__"})
    EXPECT_EQ(dimensions_of(text), Dimensions()) << text;
}

TEST(SharedArrays, GiveADefectTheirDimensions) {
  Defect defect;
  defect.memory = {.variable = "t", .begin = 1000, .bytes = 64};
  std::vector<Defect> defects{defect};
  add_names_and_dimensions(defects, "__shared__ float t[16]; __shared__ float u[8];");
  EXPECT_EQ(defects.front().memory.dimensions, Dimensions{16});
  defects = {defect};
  add_names_and_dimensions(defects,
                           "void a() { __shared__ float t[16]; } void b() { __shared__ float t[4][4]; }");
  EXPECT_EQ(defects.front().memory.dimensions, Dimensions()) << "both have these bytes";
  add_names_and_dimensions(defects,
                           "void a() { __shared__ float t[16]; } void b() { __shared__ float t[100]; }");
  EXPECT_EQ(defects.front().memory.dimensions, Dimensions{16}) << "only one has these bytes";
}

// Returns the line that is reported first in a race of a read with an earlier store.
int first_reported_line(const std::string& text, int read_line, int store_line, int barrier_line = 0) {
  std::vector<Defect> defects{{.kind = DefectKind::shared_race,
                               .party = {.line = read_line},
                               .other = Defect::Party{.line = store_line, .access = DefectAccess::store},
                               .memory = {.variable = "t", .begin = 1000, .bytes = 64},
                               .barrier_line = barrier_line}};
  add_names_and_dimensions(defects, text);
  return defects.front().party.line;
}

TEST(SharedArrays, AreOverwrittenTooEarlyWhereTheReadComesFirstInTheText) {
  EXPECT_EQ(first_reported_line("x = t[1];\nt[0] = y;", 1, 2), 2);
  EXPECT_EQ(first_reported_line("t[0] = y;\nx = t[1];", 2, 1), 2) << "no iteration in between";
  const char* const loop = "for (;;) {\nx = t[1];\nt[0] = y;\n}";
  EXPECT_EQ(first_reported_line(loop, 2, 3), 2) << "any iteration may be meant";
  EXPECT_EQ(first_reported_line("for (;;) {\nx = t[1];\nt[0] = y;\n__syncthreads();\n}", 2, 3), 3);
  const char* const tiles = "for (;;) {\nt[0] = y;\n__syncthreads();\nx = t[1];\n}";
  EXPECT_EQ(first_reported_line(tiles, 4, 2, 3), 2) << "of the next iteration";
  EXPECT_EQ(first_reported_line(tiles, 2, 4, 3), 2);
  EXPECT_EQ(first_reported_line("t[0] = y;\n__syncthreads();\nx = t[1];", 3, 1, 2), 3)
      << "there is no next one";
}

TEST(SharedArrays, HaveTheNameOfDynamicMemoryIfThereIsOnlyOne) {
  const auto named = [](const std::string& text) {
    const Defect defect{.memory = {SharedWriters::dynamic_memory, 64, 80}};
    const Defect::Memory memory = with_dynamic_name(defect, text).memory;
    return memory.variable + (memory.dimensions.empty() ? "" : std::to_string(memory.dimensions.front()));
  };
  EXPECT_EQ(named("extern \"C\" int n; extern __shared__ float sums[];"), "sums20");
  EXPECT_EQ(named("extern __shared__ float s[]; void k() { extern __shared__ float s[]; }"), "s20");
  EXPECT_EQ(named("extern __shared__ double s[];"), "s");
  for (const char* text : {"extern __shared__ int a[]; extern __shared__ int b[];",
                           "extern __shared__ int a[]; extern __shared__ float a[];", "extern int n;"})
    EXPECT_EQ(named(text), SharedWriters::dynamic_memory) << text;
}

}  // namespace shared_arrays_test
}  // namespace gpulab::source
