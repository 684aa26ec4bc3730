#include "teach/submissions.hpp"

#include <cstdlib>

#include "class_fixture.hpp"
#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

const std::string head =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) ";

// Of kernels in which no thread returns, in the processes that are started from now on.
class KernelTimeLimit {
 public:
  explicit KernelTimeLimit(const char* seconds) { ::setenv("GPULAB_TIME_LIMIT", seconds, 1); }
  ~KernelTimeLimit() { ::unsetenv("GPULAB_TIME_LIMIT"); }
};

Submission submission(const std::string& learner, const std::string& text) {
  return {{.learner = learner,
           .exercise = "first-kernel",
           .file = "first_kernel.cu",
           .handed = Handed::not_checked},
          text};
}

std::vector<Submission> checked(std::vector<Submission> all, const CheckRequest& request,
                                int* calls = nullptr) {
  std::vector<Submission*> pointers;
  for (Submission& one : all) pointers.push_back(&one);
  check_submissions(pointers, request, [&](Submission&, const CheckResult*) {
    if (calls) ++*calls;
  });
  return all;
}

TEST(CheckSubmissions, JudgesHostileFilesBesideARightOne) {
  if (!sandbox::support().is_whole()) GTEST_SKIP() << "this machine cannot confine";
  const KernelTimeLimit limit("1");
  int calls = 0;
  const auto rows =
      checked({submission("endless", head + "{ for (int i = 0; i >= 0; i ^= 1) __threadfence(); }"),
               submission("forks", "extern \"C\" __device__ int fork();\n" + head + "{ for (;;) fork(); }"),
               submission("writes", "extern \"C\" __device__ long write(int, const void*, unsigned long);\n" +
                                        head + "{ for (int i = 3; i < 64; ++i) write(i, \"+passed\", 7); }"),
               submission("jumps", head + "{ ((void (*)())0x10)(); }"),
               submission("prints", head + "{ for (;;) printf(\"\\033[2J passed\\n\"); }"),
               submission("right", right_first_kernel)},
              {.jobs = 3, .time_limit_s = 60}, &calls);
  EXPECT_EQ(calls, 6);
  for (const Submission& one : rows) {
    EXPECT_EQ(one.row.handed, Handed::checked) << one.row.learner << ": " << one.row.summary;
    EXPECT_EQ(one.row.verdict == Verdict::right, one.row.learner == "right") << one.row.learner;
  }
  EXPECT_EQ(rows[0].row.pattern, "time-limit");
  EXPECT_EQ(rows[4].row.pattern, "too-much-output");
}

// As out of memory, or a defect of gpulab, would.
TEST(CheckSubmissions, GoOnAfterAProcessThatDied) {
  const KernelTimeLimit limit("50");
  const auto rows =
      checked({submission("slow", head + "{ for (int i = 0; i >= 0; i ^= 1) __threadfence(); }"),
               submission("right", right_first_kernel)},
              {.jobs = 2, .sandbox = sandbox::Mode::automatic, .time_limit_s = 6});
  EXPECT_EQ(rows[0].row.handed, Handed::not_checked);
  EXPECT_TRUE(contains(rows[0].row.summary, "stopped after 6 s")) << rows[0].row.summary;
  EXPECT_EQ(rows[1].row.handed, Handed::checked) << rows[1].row.summary;
  EXPECT_EQ(rows[1].row.verdict, Verdict::right);
  EXPECT_GT(rows[1].row.seconds, 0);
}

}  // namespace
}  // namespace gpulab::teach
