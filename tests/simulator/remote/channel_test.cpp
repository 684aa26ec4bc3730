#include "simulator/remote/channel.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdint>
#include <functional>

#include "simulator/remote/channel.hpp"

// What a stranger at the other end can do to whoever waits for a message.

namespace gpulab::simulator::remote {
namespace {

class StrangersChannel : public testing::Test {
 protected:
  void TearDown() override {
    ::kill(stranger_, SIGKILL);
    ::waitpid(stranger_, nullptr, 0);
  }

  // In a process of its own, which then sleeps.
  void let_the_stranger(const std::function<void(int socket)>& act) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    stranger_ = ::fork();
    if (stranger_ == 0) {
      act(ends[1]);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    channel_ = Channel(Descriptor(ends[0]));
  }

  std::optional<std::string> received(double seconds = 0.3, const StopRequest& stop = {}) {
    TimeLimit limit(seconds);
    return channel_.receive(1000, {limit, stop});
  }

  static void write_length(int socket, std::uint64_t length) {
    (void)!::write(socket, &length, sizeof length);
  }

  pid_t stranger_ = -1;
  Channel channel_;
};

TEST_F(StrangersChannel, TakesAWholeMessage) {
  let_the_stranger([](int socket) { Channel(Descriptor(socket)).send("hello"); });
  EXPECT_EQ(received(10), "hello");
}

TEST_F(StrangersChannel, DoesNotWaitForTheRestOfALength) {
  let_the_stranger([](int socket) { (void)!::write(socket, "x", 1); });
  EXPECT_THROW(received(), OutOfTime);
}

TEST_F(StrangersChannel, DoesNotWaitForTheRestOfAMessage) {
  let_the_stranger([](int socket) {
    write_length(socket, 100);
    (void)!::write(socket, "x", 1);
  });
  EXPECT_THROW(received(), OutOfTime);
}

TEST_F(StrangersChannel, DoesNotOutlastItsTimeForBytesThatTrickle) {
  let_the_stranger([](int socket) {
    write_length(socket, 1000);
    for (;; ::usleep(10'000)) (void)!::write(socket, "x", 1);
  });
  EXPECT_THROW(received(), OutOfTime);
}

TEST_F(StrangersChannel, RefusesAMessageThatIsTooLong) {
  let_the_stranger([](int socket) { write_length(socket, std::uint64_t{1} << 36); });
  EXPECT_THROW(received(10), BadMessage);
}

TEST_F(StrangersChannel, RefusesAFile) {
  let_the_stranger([](int socket) { Channel(Descriptor(socket)).send("take this", STDIN_FILENO); });
  EXPECT_THROW(received(10), BadMessage);
}

TEST_F(StrangersChannel, SeesThatTheOtherEndIsGone) {
  let_the_stranger([](int socket) {
    write_length(socket, 100);
    ::_exit(0);
  });
  EXPECT_EQ(received(10), std::nullopt);
}

TEST_F(StrangersChannel, DoesNotWaitForSomebodyWhoDoesNotRead) {
  let_the_stranger([](int) {});
  TimeLimit limit(0.3);
  EXPECT_THROW(channel_.send(std::string(std::size_t{1} << 24, 'x'), -1, {limit, {}}), OutOfTime);
}

TEST_F(StrangersChannel, StopsOnRequestInTheMiddleOfAMessage) {
  let_the_stranger([](int socket) { (void)!::write(socket, "x", 1); });
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "q", 1), 1);
  EXPECT_THROW(received(60, {ends[0], [] { return true; }}), WorkStopped);
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace gpulab::simulator::remote
