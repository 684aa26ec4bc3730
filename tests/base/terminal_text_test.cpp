#include "base/terminal_text.hpp"

#include "test.hpp"

namespace gpulab {
namespace {

std::string shown(const std::string& text) {
  TerminalText terminal;
  const std::string first = terminal.shown(text);
  return first + terminal.rest();
}

TEST(TerminalText, KeepsTextColoursAndTheCursorsMoves) {
  for (const char* text : {"text\n", "\rhalf\tdone\b\a", "\033[1;31mred\033[0m", "\033[2J\033[H",
                           "\033[10;20H\033[K", "größer λ 漢 🙂"})
    EXPECT_EQ(shown(text), text);
}

TEST(TerminalText, EscapesWhatMakesATerminalAnswerOrChange) {
  EXPECT_EQ(shown("\033[c"), "?[c") << "it answers as if somebody typed";
  EXPECT_EQ(shown("\033[6n"), "?[6n");
  EXPECT_EQ(shown("\033]52;c;cm0gLXJmIH4K\007"), "?]52;c;cm0gLXJmIH4K\a") << "the clipboard";
  EXPECT_EQ(shown("\033]0;title\033\\"), "?]0;title?\\");
  EXPECT_EQ(shown("\033P$q\"p\033\\"), "?P$q\"p?\\");
  EXPECT_EQ(shown("\033[?1049h"), "?[?1049h");
  EXPECT_EQ(shown("\033[21t"), "?[21t");
  EXPECT_EQ(shown("\033c"), "?c");
  EXPECT_EQ(shown("\u009b6n"), "?6n") << "ESC [ in one character";
  EXPECT_EQ(shown("\x9b"
                  "6n"),
            "?6n");
  EXPECT_EQ(shown("\x05\x0e\x7f"), "???");
  EXPECT_EQ(shown("\u202ereversed"), "?reversed");
}

TEST(TerminalText, WaitsForTheRestOfASequenceOrACharacter) {
  for (const std::string text :
       {"\033[1;31mred\033[0m\n", "größer 漢🙂\n", "a\033[c\033]0;b\a", "\033[1\033[2m\n"}) {
    TerminalText terminal;
    std::string pieces;
    for (const char letter : text) pieces += terminal.shown({&letter, 1});
    EXPECT_EQ(pieces + terminal.rest(), shown(text)) << text;
  }
}

TEST(TerminalText, EndsWithWhatHasWaited) {
  EXPECT_EQ(shown("text\033["), "text?[");
  EXPECT_EQ(shown("text\xe6\xbc"), "text??");
  EXPECT_EQ(shown("\033[" + std::string(100, '1') + "m"), "?[" + std::string(100, '1') + "m");
}

}  // namespace
}  // namespace gpulab
