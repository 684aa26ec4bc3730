#include "base/process.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/error.hpp"

namespace gpulab {
namespace {

ChildEnd ended(const std::function<std::string()>& work, double time_limit_s) {
  return ChildWork(work).wait(time_limit_s);
}

TEST(ChildWork, ReturnsWhatTheWorkReturnsHoweverLong) {
  const ChildEnd end = ended([] { return std::string(1'000'000, 'x'); }, 20);
  EXPECT_EQ(end.kind, ChildEnd::Kind::finished);
  EXPECT_EQ(end.output.size(), 1'000'000u);
}

TEST(ChildWork, KeepsWhatIsPrintedOutOfTheAnswer) {
  const ChildEnd end = ended(
      [] {
        for (int i = 0; i < 100'000; ++i) std::puts("a kernel that prints");
        return std::string("answer");
      },
      20);
  EXPECT_EQ(end.output, "answer");
}

TEST(ChildWork, ThrowsWhatTheWorkThrows) {
  try {
    run_in_child([]() -> std::string { throw Error(ExitCode::device, "no compiler"); }, 20);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::device);
    EXPECT_STREQ(error.what(), "no compiler");
  }
}

TEST(ChildWork, IsKilledAtTheEndOfItsTime) {
  const ChildEnd end = ended(
      []() -> std::string {
        for (volatile bool going = true; going;) {
        }
        return "";
      },
      0.1);
  EXPECT_EQ(end.kind, ChildEnd::Kind::time_limit);
}

TEST(ChildWork, IsReportedWhenASignalEndsIt) {
  const ChildEnd end = ended(
      []() -> std::string {
        ::raise(SIGKILL);
        return "";
      },
      20);
  EXPECT_EQ(end.kind, ChildEnd::Kind::killed);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST(ChildWork, IsStoppedOnRequestWithWhateverItHasStarted) {
  int sign[2], life[2];  // life ends with the last process that has its other end
  ASSERT_EQ(::pipe(sign), 0);
  ASSERT_EQ(::pipe(life), 0);
  {
    ChildWork child([&]() -> std::string {
      ::fork();
      for (;;) ::pause();
    });
    ::close(life[1]);
    ASSERT_EQ(::write(sign[1], "nq", 2), 2);
    int asked = 0;
    const StopRequest stop{.descriptor = sign[0], .is_made = [&] {
                             char key = 0;
                             ++asked;
                             return ::read(sign[0], &key, 1) == 1 && key == 'q';
                           }};
    EXPECT_THROW(child.wait(20, stop), WorkStopped);
    EXPECT_EQ(asked, 2);
  }
  char none = 0;
  EXPECT_EQ(::read(life[0], &none, 1), 0) << "nobody has the other end";
  for (const int end : {sign[0], sign[1], life[0]}) ::close(end);
}

TEST(ChildWork, WorksBesideAnother) {
  ChildWork one([] { return std::string(1'000'000, '1'); });
  ChildWork two([] { return std::string("2"); });
  EXPECT_EQ(two.wait(20).output, "2");
  EXPECT_EQ(one.wait(20).output.size(), 1'000'000u);
}

}  // namespace
}  // namespace gpulab
