#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>

#include "program_fixture.hpp"

namespace gpulab {
namespace {

class Terminal : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const int screen = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (screen < 0) GTEST_SKIP() << "this machine has no pseudo-terminals";
    ::close(screen);
  }
  // What a person sees on a terminal of that many columns: stdout and stderr together.
  std::string seen(const std::vector<std::string>& words, const Environment& environment,
                   unsigned short columns = 120) {
    int screen = -1;
    winsize size{.ws_row = 50, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    const pid_t child = ::forkpty(&screen, nullptr, nullptr, &size);
    if (child == 0) execute(words, environment);
    std::string text;
    char part[4096];
    for (ssize_t got; (got = ::read(screen, part, sizeof part)) > 0;)
      text.append(part, static_cast<std::size_t>(got));
    ::close(screen);
    ::waitpid(child, nullptr, 0);
    return text;
  }
};

const std::string colour_begins = "\033[3";

TEST_F(Terminal, GetsColourAndProgress) {
  const std::string text = seen(simulated({"first-kernel"}), {{"TERM", "xterm"}, {"NO_COLOR", ""}});
  EXPECT_TRUE(contains(text, colour_begins));
  EXPECT_TRUE(contains(text, "first-kernel: global-index ..."));
  EXPECT_TRUE(contains(text, "\r\033[K")) << "progress is wiped";
}

TEST_F(Terminal, GetsNoColourWhereItIsNotWanted) {
  for (const auto& environment :
       {Environment{{"TERM", "xterm"}, {"NO_COLOR", "1"}}, Environment{{"TERM", "dumb"}}})
    for (const auto& words :
         {simulated({"first-kernel"}), {"show", "histogram"}, {"list"}, {"devices"}, {"doctor"}})
      EXPECT_FALSE(contains(seen(words, environment), colour_begins)) << words[0];
}

TEST_F(Terminal, GetsNoProgressWhenItIsToBeQuiet) {
  const std::string text = seen(simulated({"first-kernel", "--quiet"}), {{"TERM", "xterm"}});
  EXPECT_FALSE(contains(text, "..."));
}

}  // namespace
}  // namespace gpulab
