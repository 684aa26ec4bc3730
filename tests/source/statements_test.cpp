#include "source/statements.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace statements_test {

const std::string kernel = R"(__global__ void k(int* a) {
  for (int i = 0; i < 4; ++i) {  // }
    if (i == 2)
      a[i] = 1;
    else
      a[i] = 2;
    while (a[i] > 0)
      a[i] -= 1;
    a[i] = 3;
  }
  do {
    a[0] += 1;
  } while (a[0] < 9);
  a[1] = 4;
  for (int i = 0; i < 4; ++i)
    if (i > 1) a[i] = 5;
    else a[i] = 6;
}
)";

void expect_loop(const std::vector<int>& lines, int first, int last) {
  const std::vector<Loop> loops = loops_around(kernel, lines);
  ASSERT_FALSE(loops.empty()) << lines.front();
  EXPECT_EQ(loops.back().lines.first, first);
  EXPECT_EQ(loops.back().lines.last, last);
}

TEST(Loops, EndWithTheInnermostThatHasAllLines) {
  expect_loop({4}, 2, 10);
  expect_loop({8}, 7, 8);
  expect_loop({8, 4}, 2, 10);
  expect_loop({12}, 11, 13);
  expect_loop({16, 17}, 15, 17);
}

TEST(Loops, AreNoneWhereALineIsOutside) {
  EXPECT_TRUE(loops_around(kernel, {14}).empty());
  EXPECT_TRUE(loops_around(kernel, {4, 12}).empty());
  EXPECT_TRUE(loops_around("for (", {2}).empty());
  EXPECT_TRUE(loops_around("", {1}).empty());
}

std::string condition_of(const std::string& text) {
  const Code code(text);
  const std::vector<Loop> loops = loops_around(code, {1});
  std::string condition;
  for (std::size_t at = loops.back().condition; at < loops.back().condition_end; ++at)
    condition += code.text(at);
  return condition;
}

TEST(Loops, HaveACondition) {
  EXPECT_EQ(condition_of("for (int i = 0; i < n; ++i) x[i] = 0;"), "i<n");
  EXPECT_EQ(condition_of("for (;;) { }"), "");
  EXPECT_EQ(condition_of("while (f(i) > 0) ++i;"), "f(i)>0");
  EXPECT_EQ(condition_of("do { ++i; } while (i < 3);"), "i<3");
}

std::string variables_of(const std::string& text) {
  std::string names;
  for (const LocalVariable& variable : local_variables(text))
    names += std::string(variable.type) + (variable.is_pointer ? "* " : " ") + std::string(variable.name) +
             (variable.is_array ? "[]" : "") + (variable.has_initializer ? "=" : "") +
             (variable.is_shared ? " shared" : "") + "; ";
  return names;
}

TEST(LocalVariables, AreThoseOfFunctions) {
  EXPECT_EQ(
      variables_of("int outside; __global__ void k(int a, float* b) { float sum; const int i = a * 2, j; }"),
      "float sum; int i=; int j; ");
  EXPECT_EQ(variables_of("void k() { __shared__ float t[4][4], u[2]; int v[] = {1, 2}; unsigned int n(3); }"),
            "float t[] shared; float u[] shared; int v[]=; unsigned n=; ");
  EXPECT_EQ(variables_of("void k() { for (int i = 0; i < 2; ++i) { bool is_in; } float *p = q, r; }"),
            "int i=; bool is_in; float* p=; float r; ");
  EXPECT_EQ(variables_of("struct S { float a; int f() { int b; return b; } int c; }; void k() { int d; }"),
            "int b; int d; ");
  EXPECT_EQ(variables_of("void k() { x = (int) y; f(int(2)); return float(z); "), "");
}

TEST(LocalVariables, EndWithTheirBlockOrTheirLoop) {
  const Code code("void k() { { int a; } for (int b = 0;;) { } int c; }");
  const std::vector<LocalVariable> all = local_variables(code);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(code.text(all[0].scope_end), "}");
  EXPECT_EQ(code.text(all[1].scope_end), "int");
  EXPECT_EQ(all[2].scope_end, code.size() - 1);
}

TEST(VariableUse, TellsWhatALineDoesWithAVariable) {
  const std::pair<const char*, VariableUse> uses[] = {
      {"; s = 1;", VariableUse::set},        {"; s[i] = 1;", VariableUse::set},
      {"; s += 1;", VariableUse::changed},   {"; s[i][j] <<= 1;", VariableUse::changed},
      {"; ++s;", VariableUse::changed},      {"; s--;", VariableUse::changed},
      {"; x = s;", VariableUse::read},       {"; if (s == 1)", VariableUse::read},
      {"; if (s <= 1)", VariableUse::read},  {"; while (s)", VariableUse::read},
      {"; x = a & s;", VariableUse::read},   {"; f(&s);", VariableUse::unknown},
      {"; f(a, s);", VariableUse::unknown},  {"; f(s);", VariableUse::unknown},
      {"; x = f(2 * s);", VariableUse::read}};
  for (const auto& [line, use] : uses) {
    const Code code(line);
    const std::vector<std::size_t> found = uses_between(code, "s", 0, code.size());
    ASSERT_EQ(found.size(), 1u) << line;
    EXPECT_EQ(use_at(code, found.front()), use) << line;
  }
}

TEST(VariableUse, NeedsAValueThatNothingHasGiven) {
  const auto first_use = [](const std::string& text) {
    const Code code("void k() { " + text + " }");
    const std::size_t use = uninitialized_use(code, local_variables(code).front());
    return use < code.size() ? std::string(code.text(use)) + std::string(code.text(use + 1)) : "";
  };
  EXPECT_EQ(first_use("float s; for (;;) s += x; y = s;"), "s+");
  EXPECT_EQ(first_use("int s; if (s < n) y = 1;"), "s<");
  EXPECT_EQ(first_use("int s; s = s + 1;"), "s=");
  for (const char* text : {"float s; if (x) s = 1; y = s;", "float s = 0; s += x;", "float s; f(s); y = s;",
                           "float s[4]; s[i] += x;", "__shared__ float s; s += x;", "float* s; y = s;"})
    EXPECT_EQ(first_use(text), "") << text;
}

TEST(VariableUse, IsThatOfAMacroWhichDeclaresTheSameName) {
  const auto macro_of = [](const std::string& text) {
    const Code code("#define CHECK(call) do { \\\n  int r = (call); if (r) f(); } while (0)\n" + text);
    return macro_that_hides(code, uses_between(code, "r", 1, code.size()).back());
  };
  EXPECT_EQ(macro_of("CHECK(copy(&r, o));"), "CHECK");
  for (const char* text : {"CHECK(copy(o)); f(r);", "TRY(copy(&r));", "r = 1;"})
    EXPECT_EQ(macro_of(text), "") << text;
}

TEST(Statements, TellsComparisonsFromShiftsArrowsAndTemplates) {
  const auto comparisons = [](const Code& code) {
    std::size_t found = 0;
    for (std::size_t at = 0; at < code.size(); ++at) found += compares(code, at);
    return found;
  };
  EXPECT_EQ(comparisons("for (int s = n >> 1; s > 0; s >>= 1)"), 1);
  EXPECT_EQ(comparisons("if (0 <= i < n << 1) x = p->y;"), 2);
  EXPECT_EQ(comparisons("if (f < n >> 1)"), 1);
  EXPECT_EQ(comparisons("if (i < n && k < n >> 1)"), 2);
  EXPECT_EQ(comparisons("if (static_cast<int>(i) < size)"), 1);
  EXPECT_EQ(comparisons("if (i < n && k > 0)"), 2);
  EXPECT_EQ(comparisons("std::pair<int, std::pair<int, int>> pair;"), 0);
}

}  // namespace statements_test
}  // namespace gpulab::source
