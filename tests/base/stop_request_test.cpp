#include "base/waiting.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <csignal>

namespace gpulab {
namespace {

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
