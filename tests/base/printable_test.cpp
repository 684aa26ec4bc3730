#include "base/text.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

TEST(Printable, KeepsWhatALineOfATerminalCanShow) {
  for (const char* text : {"", "ada.cu", "Jürgen Groß (1)", "日本語", "a·b – c"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, TakesEverythingElseAway) {
  EXPECT_EQ(printable("a\033[2Jb\nc\td\x7f"), "a?[2Jb?c?d?");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb"),
            "a?2Jb")
      << "an escape sequence of one letter";
  EXPECT_EQ(printable("txt.\xe2\x80\xaeuc"), "txt.?uc") << "turns the direction";
  EXPECT_EQ(printable("a\xff\xfe"), "a??");
  EXPECT_EQ(printable("a\xc3"), "a?") << "cut short";
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "?????") << "too long a form, half a pair";
}

TEST(Printable, KeepsTheLinesOfALongerText) {
  EXPECT_EQ(printable_lines("\na\tb\n\033[2J\n"), "\na b\n?[2J\n");
  EXPECT_EQ(printable_lines("a\r\nb"), "a\nb");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Printable, SetsLinesApartThatAServiceWouldObey) {
  EXPECT_EQ(set_apart("PASSED"), "  PASSED");
  EXPECT_EQ(set_apart("  ::error::wrong"), "  |   ::error::wrong");
}

}  // namespace
}  // namespace gpulab
