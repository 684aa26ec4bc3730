#include <sstream>

#include "base/table.hpp"
#include "terminal_fixture.hpp"

namespace gpulab::cli {
namespace {

class Width : public ProgramTest {
 protected:
  std::size_t longest_line(const std::string& columns) const {
    std::istringstream lines(run({"list"}, {{"COLUMNS", columns}}).out);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, display_width(line));
    return longest;
  }
};

TEST_F(Width, IsWhatColumnsSaysWhereThereIsNoTerminal) {
  EXPECT_LE(longest_line("60"), 60u);
  EXPECT_GT(longest_line("100"), 60u);
  const std::size_t usual = longest_line("");
  for (const char* nonsense : {"-5", "many", "0", "99999999999"})
    EXPECT_EQ(longest_line(nonsense), usual) << nonsense;
}

class Terminal : public TerminalTest {
 protected:
  // Everything that a person sees.
  std::string seen(const std::vector<std::string>& words, const Environment& environment) {
    open(words, environment);
    return until_the_end();
  }
};

const std::string colour_begins = "\033[3";

TEST_F(Terminal, GetsColourAndProgress) {
  const std::string text = seen(simulated({"first-kernel"}), {{"TERM", "xterm"}, {"NO_COLOR", ""}});
  EXPECT_TRUE(simulator::contains(text, colour_begins));
  EXPECT_TRUE(simulator::contains(text, "first-kernel: global-index ..."));
  EXPECT_TRUE(simulator::contains(text, "\r\033[K")) << "progress is wiped";
}

TEST_F(Terminal, GetsNoColourWhereItIsNotWanted) {
  for (const auto& environment :
       {Environment{{"TERM", "xterm"}, {"NO_COLOR", "1"}}, Environment{{"TERM", "dumb"}},
        Environment{{"TERM", "xterm"}, {"NO_COLOR", ""}, {"OMPI_COMM_WORLD_RANK", "0"}}})
    for (const auto& words :
         {simulated({"first-kernel"}), {"show", "histogram"}, {"list"}, {"devices"}, {"doctor"}})
      EXPECT_FALSE(simulator::contains(seen(words, environment), colour_begins)) << words[0];
}

TEST_F(Terminal, GetsNoProgressWhenItIsToBeQuiet) {
  const std::string text = seen(simulated({"first-kernel", "--quiet"}), {{"TERM", "xterm"}});
  EXPECT_FALSE(simulator::contains(text, "..."));
}

}  // namespace
}  // namespace gpulab::cli
