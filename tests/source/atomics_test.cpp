#include "source/statements.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace atomics_test {

// Returns the atomic for a statement in line 3, where x and f are arrays of ints and floats.
std::string atomic_of(const std::string& statement) {
  return atomic_for(
      "__global__ void k(int* x, float* f, short* h, const int* d, Point* p) {\n  int i = 0, e = 1;\n  " +
          statement + "\n}\n",
      3, 3);
}

TEST(Atomics, DoWhatAnUpdateDoes) {
  EXPECT_EQ(atomic_of("x[d[i]]++;"), "atomicAdd(&x[d[i]], 1)");
  EXPECT_EQ(atomic_of("++x[i];"), "atomicAdd(&x[i], 1)");
  EXPECT_EQ(atomic_of("(*x)--;"), "atomicSub(x, 1)");
  EXPECT_EQ(atomic_of("*f += e * 2;"), "atomicAdd(f, e * 2)");
  EXPECT_EQ(atomic_of("f[0] -= e * 2;"), "atomicAdd(&f[0], -(e * 2))");
  EXPECT_EQ(atomic_of("x[i] = x[i] + d[i];"), "atomicAdd(&x[i], d[i])");
  EXPECT_EQ(atomic_of("x[i] = 3 * e + x[i];"), "atomicAdd(&x[i], 3 * e)");
  EXPECT_EQ(atomic_of("x[i] = max(d[i], x[i]);"), "atomicMax(&x[i], d[i])");
  EXPECT_EQ(atomic_of("x[0] = d[i] < x[0] ? d[i] : x[0];"), "atomicMin(&x[0], d[i])");
  EXPECT_EQ(atomic_of("if (e > *x) *x = e;"), "atomicMax(x, e)");
  EXPECT_EQ(atomic_of("if (*x >= e) { *x = e; }"), "atomicMin(x, e)");
  EXPECT_EQ(atomic_of("x[0] |= 1 << i;"), "atomicOr(&x[0], 1 << i)");
  EXPECT_EQ(atomic_of("p->count += 1;"), "atomicAdd(&p->count, 1)");
  EXPECT_EQ(atomic_of("int old = *x; *x = old + 1;"), "old = atomicAdd(x, 1), in place of both statements");
  EXPECT_EQ(atomic_of("int old = x[1]; *x = old + 1;"), "");
  EXPECT_EQ(atomic_of("for (int j = 0; j < e; j += 2) x[d[j]]++;"), "atomicAdd(&x[d[j]], 1)");
  EXPECT_EQ(atomic_of("__shared__ int sum; sum += e * d[i];"), "atomicAdd(&sum, e * d[i])");
  EXPECT_EQ(atomic_of("if (e > *f) *f = e;"),
            "atomicMax((int*)f, __float_as_int(e)) if no value is negative, or a loop with atomicCAS");
}

TEST(Atomics, AreNotThereForOtherTypesAndStatements) {
  for (const char* statement :
       {"h[0] += 1;", "x[i] = d[i];", "x[i] += x[i + 1];", "x[i] = x[i + 1] + e;", "x[i] *= 2;", "i += e;",
        "*x++ = e;", "x[0] = x[0] - e + i;", "x[0] = x[0] + e & 3;", "int old = *x; old *= 2; *x = old + 1;",
        "int old = *x; ++old; *x = old + 1;", "int old = 0; if (e) old = *x; *x = old + 1;",
        "int old = 0; if (e) { old = *x; } *x = old + 1;", "int old = *x; if (old < e) *x = old + 1;",
        "x[0] = x[0] + e < i ? e : i;", "if (x[i] == e) x[i] = e;"})
    EXPECT_EQ(atomic_of(statement), "") << statement;
}

TEST(Atomics, EndARaceOfTheLinesThatTheyReplace) {
  const char* const text = "__global__ void k(int* x) {\nint old = *x;\n*x = old + 1;\nint y = *x;\n}";
  EXPECT_EQ(atomic_for(text, 3, 2), "old = atomicAdd(x, 1), in place of both statements");
  EXPECT_EQ(atomic_for(text, 3, 4), "");
}

}  // namespace atomics_test
}  // namespace gpulab::source
