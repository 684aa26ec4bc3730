#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <thread>

#include "test.hpp"

namespace gpulab::sandbox {
namespace {

class OnlySender : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_filter_system_calls()) GTEST_SKIP() << "this machine cannot filter system calls";
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
  }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }

  // Returns the wait status of a process that does the work, where only send_message() may send.
  int status_of(const std::function<void(int socket)>& work) const {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!restrict_sending_to_send_message(ends_[1])) ::_exit(3);
      work(ends_[1]);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  bool is_killed(const std::function<void(int socket)>& work) const {
    const int status = status_of(work);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
  }

  std::array<int, 2> ends_{-1, -1};
};

void send_x(int socket) {
  char letter = 'x';
  iovec piece{&letter, 1};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (send_message(socket, message, 0) != 1) ::_exit(4);
}

TEST_F(OnlySender, Sends) {
  EXPECT_EQ(status_of(send_x), 0);
  char letter = 0;
  EXPECT_EQ(::read(ends_[0], &letter, 1), 1);
  EXPECT_EQ(letter, 'x');
}

TEST_F(OnlySender, EndsTheProcessWhereAnythingElseWrites) {
  msghdr message{};
  EXPECT_TRUE(is_killed([](int socket) { (void)!::write(socket, "x", 1); }));
  EXPECT_TRUE(is_killed([](int socket) { ::send(socket, "x", 1, 0); }));
  EXPECT_TRUE(is_killed([&](int socket) { ::sendmsg(socket, &message, 0); }));
  EXPECT_TRUE(is_killed([](int socket) { ::syscall(SYS_write, socket, "x", 1); }));
  EXPECT_TRUE(is_killed([](int socket) { ::dprintf(socket, "x"); }));
  EXPECT_TRUE(is_killed([](int socket) { std::thread([=] { (void)!::write(socket, "x", 1); }).join(); }));
}

TEST_F(OnlySender, EndsTheProcessWhereAnotherDescriptorIsMade) {
  EXPECT_TRUE(is_killed([](int socket) { ::dup(socket); }));
  EXPECT_TRUE(is_killed([](int socket) { ::dup2(socket, 77); }));
  EXPECT_TRUE(is_killed([](int socket) { ::dup3(socket, 77, 0); }));
  EXPECT_TRUE(is_killed([](int socket) { ::fcntl(socket, F_DUPFD, 77); }));
}

TEST_F(OnlySender, LeavesOtherDescriptorsAlone) {
  EXPECT_EQ(status_of([this](int) {
              send_x(ends_[0]);
              if (::write(ends_[0], "x", 1) != 1 || ::dup(ends_[0]) < 0) ::_exit(5);
            }),
            0);
}

}  // namespace
}  // namespace gpulab::sandbox
