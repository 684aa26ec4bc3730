#include "base/terminal.hpp"

#include "test.hpp"

namespace gpulab {
namespace {

using Rows = std::vector<std::string>;

TEST(ScreenRows, GoOnBelowWhereALineIsTooWide) {
  EXPECT_EQ(screen_rows("abc\n\nabcdefg\n", 3), (Rows{"abc", "", "abc", "def", "g"}));
  EXPECT_EQ(screen_rows("äöüß\n", 3), (Rows{"äöü", "ß"}));
  EXPECT_EQ(screen_rows("王小明\n", 5), (Rows{"王小", "明"}));
  EXPECT_EQ(screen_rows("abe\u0301d\n", 3), (Rows{"abe\u0301", "d"}));
}

TEST(ScreenRows, KeepColoursAndNothingElseThatMovesTheCursor) {
  EXPECT_EQ(screen_rows("\033[31mabcd\033[0m\n", 3), (Rows{"\033[31mabc\033[0m", "\033[31md\033[0m"}));
  EXPECT_EQ(screen_rows("a\tb\r\a\n", 9), (Rows{"a b"}));
}

TEST(Page, ShowsTheRowsFromItsTopOn) {
  const Rows rows{"1", "2", "3", "4", "5"};
  Page page;
  EXPECT_EQ(page.shown(rows, 3), (Rows{"1", "2", "3"}));
  EXPECT_TRUE(page.has_more());
  page.page_down();
  EXPECT_EQ(page.shown(rows, 3), (Rows{"3", "4", "5"}));
  EXPECT_FALSE(page.has_more());
  page.page_down();
  EXPECT_EQ(page.shown(rows, 3), (Rows{"3", "4", "5"})) << "the last page stays full";
  page.page_up();
  page.page_up();
  EXPECT_EQ(page.top(), 0u);
  EXPECT_EQ(page.shown({"1"}, 3), (Rows{"1", "", ""}));
}

TEST(IsQuit, IsForQAndTheEndOfTheInput) {
  EXPECT_TRUE(is_quit("mq"));
  EXPECT_TRUE(is_quit("\x04"));
  EXPECT_FALSE(is_quit("mb"));
}

}  // namespace
}  // namespace gpulab
