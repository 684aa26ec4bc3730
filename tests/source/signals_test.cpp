#include "source/signals.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace {

TEST(Signals, AreNamedByTheirAtomics) {
  EXPECT_EQ(atomic_in("int a;\nlast = atomicAdd(&done, 1) == n;", 2), "atomicAdd");
  EXPECT_EQ(atomic_in("queue->head.store(1);", 1), "store");
  EXPECT_EQ(atomic_in("seen.fetch_max(1);", 1), "fetch_max");
  EXPECT_EQ(atomic_in("cuda::atomic_thread_fence(o); cuda::atomic_ref(x).store(1);", 1), "store");
  EXPECT_EQ(atomic_in("*flag = load(1);", 1), "");
}

TEST(Signals, DecideWhetherAThreadComesToALine) {
  EXPECT_TRUE(decides_on("while (atomicAdd(&flag, 0) == 0) {}\nx = data[0];", 1, 2));
  EXPECT_TRUE(decides_on("while (*flag == 0) {}\nx = data[0];", 1, 2));
  EXPECT_TRUE(decides_on("if (t == 0) last = atomicAdd(&n, 1) == 7;\nif (last) x = data[0];", 1, 2));
  EXPECT_TRUE(
      decides_on("int mine = atomicAdd(&n, 1);\nbool last = mine == 7;\nif (!last) return;\nx = 1;", 1, 4));
  EXPECT_TRUE(decides_on("return atomicAdd(&n, 1);\n}\nvoid f() {\nif (ticket()) x = 1;", 1, 4));
  EXPECT_TRUE(
      decides_on("last = atomicAdd(&n, 1) == 7;\nreturn last;\n}\nvoid f() {\nif (is_last()) x = 1;", 1, 5));
  EXPECT_FALSE(decides_on("atomicAdd(&n, 1);\nif (i > 0) x = data[i - 1];", 1, 2));
  EXPECT_FALSE(decides_on("int at = atomicAdd(&n, 1);\norder[at] = i;\nif (i > 0) x = data[i - 1];", 1, 3));
}

TEST(Signals, LeadToWhatDependsOnTheirValues) {
  const char* const queue =
      "do {\nif (t == 0) item = take();\n__syncthreads();\nmine = item;\nif (mine < n) x[0] = 1;\n"
      "} while (mine < n);\nx[1] = 0;";
  EXPECT_TRUE(depends_on(queue, 3, "item", 4));
  EXPECT_FALSE(depends_on(queue, 3, "x", 4));
  EXPECT_TRUE(depends_on("i = item;\nk = i + 1;\nx[k] = 1;", 3, "item", 1));
  EXPECT_FALSE(depends_on("x[item] = 1;\ny = item;", 1, "item", 2));
}

TEST(Signals, AreGivenAnOrder) {
  EXPECT_EQ(with_memory_order("if (t == 0) q->head.store(1, cuda::memory_order_relaxed);", 1, "release"),
            "q->head.store(1, cuda::memory_order_release)");
  EXPECT_EQ(with_memory_order("while (ready.load(memory_order_relaxed) == 0) {}", 1, "acquire"),
            "ready.load(memory_order_acquire)");
  EXPECT_EQ(with_memory_order("ready.store(1, cuda::std::memory_order::relaxed);", 1, "release"),
            "ready.store(1, cuda::std::memory_order::release)");
  EXPECT_EQ(with_memory_order("ready.store(1);", 1, "release"), "");
}

}  // namespace
}  // namespace gpulab::source
