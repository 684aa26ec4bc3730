#include "base/process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "test.hpp"

namespace gpulab {
namespace {

ChildEnd end_of(const std::function<std::string()>& work, double time_limit_s) {
  return ChildWork(work).wait(time_limit_s);
}

TEST(ChildWork, ReturnsWhatTheWorkReturnsHoweverLong) {
  const ChildEnd end = end_of([] { return std::string(1'000'000, 'x'); }, 20);
  EXPECT_EQ(end.kind, ChildEnd::Kind::finished);
  EXPECT_EQ(end.output.size(), 1'000'000u);
}

TEST(ChildWork, ReturnsNothingOfWhatTheWorkPrints) {
  const ChildEnd end = end_of(
      [] {
        for (int i = 0; i < 100'000; ++i) std::puts("a kernel that prints");
        return std::string("answer");
      },
      20);
  EXPECT_EQ(end.output, "answer");
}

TEST(ChildWork, ThrowsWhatTheWorkThrows) {
  const auto error = thrown<Error>(
      [&] { ChildWork([]() -> std::string { throw Error(ExitCode::device, "no compiler"); }).wait(20); });
  EXPECT_EQ(error.code(), ExitCode::device);
  EXPECT_STREQ(error.what(), "no compiler");
}

TEST(ChildWork, IsKilledAtTheEndOfItsTime) {
  const ChildEnd end = end_of(
      []() -> std::string {
        for (volatile bool going = true; going;) {
        }
        return "";
      },
      0.1);
  EXPECT_EQ(end.kind, ChildEnd::Kind::time_limit);
}

TEST(ChildWork, IsReportedWhenASignalEndsIt) {
  const ChildEnd end = end_of(
      []() -> std::string {
        ::raise(SIGKILL);
        return "";
      },
      20);
  EXPECT_EQ(end.kind, ChildEnd::Kind::killed);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST(ChildWork, IsStoppedOnRequestWithWhateverItHasStarted) {
  int keyboard[2], life[2];  // life is closed when no process has its writing end
  ASSERT_EQ(::pipe(keyboard), 0);
  ASSERT_EQ(::pipe(life), 0);
  {
    ChildWork child([&]() -> std::string {
      ::fork();
      for (;;) ::pause();
    });
    ::close(life[1]);
    ASSERT_EQ(::write(keyboard[1], "nq", 2), 2);
    int asked = 0;
    const StopToken stop{.descriptor = keyboard[0], .requested = [&] {
                           char key = 0;
                           ++asked;
                           return ::read(keyboard[0], &key, 1) == 1 && key == 'q';
                         }};
    EXPECT_THROW(child.wait(20, stop), WorkStopped);
    EXPECT_EQ(asked, 2);
  }
  char none = 0;
  EXPECT_EQ(::read(life[0], &none, 1), 0) << "no process has the writing end";
  for (const int end : {keyboard[0], keyboard[1], life[0]}) ::close(end);
}

TEST(ChildWork, WorksBesideAnother) {
  ChildWork first([] { return std::string(1'000'000, '1'); });
  ChildWork second([] { return std::string("2"); });
  EXPECT_EQ(second.wait(20).output, "2");
  EXPECT_EQ(first.wait(20).output.size(), 1'000'000u);
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class WaitToRead : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(ends_.data()), 0); }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }

  std::array<int, 2> ends_{-1, -1};
};

TEST_F(WaitToRead, EndsWithTheTime) {
  TimeLimit limit(0.2);
  const auto begin = Clock::now();
  EXPECT_FALSE(wait_to_read(ends_[0], limit, {}));
  EXPECT_GE(seconds_since(begin), 0.2);
  EXPECT_FALSE(limit.was_idle());
}

TEST_F(WaitToRead, EndsWhenTheWorkerIsIdle) {
  const pid_t worker = ::fork();
  if (worker == 0)
    for (;;) ::pause();
  TimeLimit limit(600, worker);
  const auto begin = Clock::now();
  EXPECT_FALSE(wait_to_read(ends_[0], limit, {}));
  EXPECT_TRUE(limit.was_idle());
  EXPECT_LT(seconds_since(begin), 4 * TimeLimit::longest_idle_s);
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
}

TEST_F(WaitToRead, DoesNotCountTimeInWhichThisProcessWasStopped) {
  const pid_t waiting = ::fork();
  if (waiting == 0) {
    TimeLimit limit(3);
    ::_exit(wait_to_read(ends_[0], limit, {}) ? 0 : 1);
  }
  ::usleep(100'000);
  ::kill(waiting, SIGSTOP);
  ::sleep(4);
  ::kill(waiting, SIGCONT);
  ::usleep(100'000);
  ASSERT_EQ(::write(ends_[1], "x", 1), 1);
  int status = 0;
  ::waitpid(waiting, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the time was over";
}

TEST_F(WaitToRead, StopsOnRequest) {
  ASSERT_EQ(::write(ends_[1], "q", 1), 1);
  std::array<int, 2> silent{};
  ASSERT_EQ(::pipe(silent.data()), 0);
  TimeLimit limit(60);
  EXPECT_THROW(wait_to_read(silent[0], limit, {ends_[0], [] { return true; }}), WorkStopped);
  for (const int end : silent) ::close(end);
}

}  // namespace
}  // namespace gpulab
