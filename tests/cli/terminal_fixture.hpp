#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <termios.h>
#include <map>
#include <string>

#include "program_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {

inline const std::map<std::string, std::string> no_colour{{"TERM", "xterm"}, {"NO_COLOR", "1"}};

// Tests of the program on a terminal of its own.
class TerminalTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const int screen = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (screen < 0) GTEST_SKIP() << "this machine has no pseudo-terminals";
    ::close(screen);
  }
  ~TerminalTest() override { close(); }

  void open(const std::vector<std::string>& words, const Environment& environment,
            unsigned short columns = 120) {
    close();
    winsize size{.ws_row = 50, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = ::forkpty(&screen_, nullptr, nullptr, &size);
    if (child_ == 0) execute(words, environment);
    // The test keeps the program's end open, to read its mode after the program has ended.
    program_end_ = ::open(::ptsname(screen_), O_RDWR | O_NOCTTY);
  }

  // Waits for the part. Returns what stdout and stderr have shown since the last call.
  std::string until(const std::string& part) {
    std::string text;
    pollfd source{.fd = screen_, .events = POLLIN, .revents = 0};
    char letters[4096];
    constexpr int time_limit_ms = 120'000;
    while (!contains(text, part) && ::poll(&source, 1, time_limit_ms) == 1) {
      const ssize_t got = ::read(screen_, letters, sizeof letters);
      if (got <= 0) break;
      text.append(letters, static_cast<std::size_t>(got));
    }
    EXPECT_TRUE(contains(text, part));
    return text;
  }

  // Returns everything that the program prints until it ends.
  std::string until_the_end() {
    ::close(program_end_);
    program_end_ = -1;
    std::string text;
    char letters[4096];
    for (ssize_t got; (got = ::read(screen_, letters, sizeof letters)) > 0;)
      text.append(letters, static_cast<std::size_t>(got));
    wait_for_exit();
    return text;
  }

  void press(const std::string& keys) const {
    ASSERT_EQ(::write(screen_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void signal(int number) const { ::kill(child_, number); }

  // Returns the exit code or, as a negative number, the signal that ended the program.
  int wait_for_exit() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  bool is_in_canonical_mode() const {
    termios mode{};
    ::tcgetattr(program_end_, &mode);
    return (mode.c_lflag & ICANON) && (mode.c_lflag & ECHO);
  }

 private:
  void close() {
    if (child_ > 0) signal(SIGKILL), wait_for_exit();
    for (int* end : {&screen_, &program_end_}) {
      if (*end >= 0) ::close(*end);
      *end = -1;
    }
  }

  pid_t child_ = -1;
  int screen_ = -1, program_end_ = -1;
};

}  // namespace gpulab::cli
