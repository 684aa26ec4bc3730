#include "base/table.hpp"

#include "test.hpp"

namespace gpulab {
namespace {

Table planets() {
  Table table(
      {{"name"}, {"moons", Align::right, 1, "moons: named ones"}, {"day", Align::right, 2, "day: sidereal"}});
  table.add({{"Mars"}, {"2"}, {"24.6 h"}});
  table.add({{"Jupiter"}, {"95"}, {"± 9.9 h"}});
  return table;
}

TEST(Table, AlignsColumnsByDisplayWidth) {
  EXPECT_EQ(planets().text({.width = 40}),
            "name     moons      day\n"
            "Mars         2   24.6 h\n"
            "Jupiter     95  ± 9.9 h\n");
}

TEST(Table, LeavesOutTheHighestPriorityFirst) {
  EXPECT_EQ(planets().text({.width = 20}),
            "name     moons\n"
            "Mars         2\n"
            "Jupiter     95\n");
}

TEST(Table, LeavesOutWhatIsTheSameInAllRowsFirst) {
  Table table({{"lesson", Align::left, 1}, {"figure", Align::left, 3}, {"ratio", Align::right, 2}});
  table.add({{"shared-histogram"}, {"sectors"}, {"31.5"}});
  table.add({{"shared-histogram"}, {"wavefronts"}, {"2.5"}});
  table.add({{"shared-histogram"}, {"lanes"}, {"2.5"}});
  EXPECT_EQ(table.text({.width = 20}),
            "figure      ratio\n"
            "sectors      31.5\n"
            "wavefronts    2.5\n"
            "lanes         2.5\n");
  EXPECT_EQ(table.text({.width = 12}),
            "figure\n"
            "sectors\n"
            "wavefronts\n"
            "lanes\n")
      << "what tells rows apart stays";
}

TEST(Table, CutsTheColumnWithCutToAndFillsTheWidthWithIt) {
  Table table({{"line", Align::right}, {"count", Align::right, 1}, {.title = "source", .cut_to = 8}});
  table.add({{"7"}, {"32"}, {"output[i] = input[i];"}});
  EXPECT_EQ(table.text({.width = 100}),
            "line  count  source\n"
            "   7     32  output[i] = input[i];\n");
  EXPECT_EQ(table.text({.width = 25}),
            "line  count  source\n"
            "   7     32  output[i] =…\n");
  EXPECT_EQ(table.text({.width = 18}),
            "line  source\n"
            "   7  output[i] =…\n");
}

TEST(Table, WrapsCodeAndDoesNotCutIt) {
  Table table(
      {{"line", Align::right}, {"count", Align::right}, {.title = "source", .cut_to = 8, .wraps = true}});
  table.add({{"7"}, {"32"}, {"  for (int i = 0; i < size; ++i) output[i] = input[i];"}});
  table.add({{"8"}, {"32"}, {"}"}});
  EXPECT_EQ(table.text({.width = 50}),
            "line  count  source\n"
            "   7     32    for (int i = 0; i < size; ++i)\n"
            "                   output[i] = input[i];\n"
            "   8     32  }\n");
  EXPECT_EQ(table.text({.width = 40}),
            "line  count  source\n"
            "   7     32\n"
            "      for (int i = 0; i < size; ++i)\n"
            "          output[i] = input[i];\n"
            "   8     32  }\n");
}

TEST(Table, CutsNamesWhereNothingElseCanGo) {
  EXPECT_EQ(planets().text({.width = 5}), "name\nMars\nJupi…\n");
}

TEST(Table, ExplainsOnlyTheColumnsItShows) {
  EXPECT_EQ(planets().legend({.width = 40}), "moons: named ones · day: sidereal");
  EXPECT_EQ(planets().legend({.width = 20}), "moons: named ones");
}

TEST(Table, WrapsProseUnderItsBeginning) {
  Table table = planets();
  table.add({{"Pluto"}}, "is a dwarf planet since the year 2006 and has 5 moons");
  EXPECT_EQ(table.text({.width = 40}),
            "name     moons      day\n"
            "Mars         2   24.6 h\n"
            "Jupiter     95  ± 9.9 h\n"
            "Pluto    is a dwarf planet since the\n"
            "         year 2006 and has 5 moons\n");
}

TEST(Table, PutsProseBelowWhereTheRowLeavesNoRoom) {
  Table table = planets();
  table.add({{"Saturn"}, {"146"}, {"10.6 h"}}, "has rings");
  const std::string text = table.text({.width = 40});
  EXPECT_TRUE(text.ends_with("Saturn     146   10.6 h\n    has rings\n")) << text;
}

using Lines = std::vector<std::string>;

TEST(DisplayWidth, CountsTheColumnsOfATerminal) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("8.66 ms ± 0.1 %"), 15);
  EXPECT_EQ(display_width("a · b"), 5);
  EXPECT_EQ(display_width("王小明"), 6) << "wide letters take two columns";
  EXPECT_EQ(display_width("Zoe\u0308 🙂"), 6) << "a combining accent takes none, an emoji two";
  EXPECT_EQ(display_width("a\xff\xe7\x8e"), 4) << "bytes that are not UTF-8 take one each";
}

TEST(Bar, IsAsLongAsItsPartOfTheColumnsAndNeverEmpty) {
  EXPECT_EQ(bar_text(1, 4), "████");
  EXPECT_EQ(bar_text(0.5, 4), "██");
  EXPECT_EQ(bar_text(0.25, 1), "▎");
  EXPECT_EQ(bar_text(0.78125, 4), "███▏");
  EXPECT_EQ(bar_text(7, 4), "████");
  for (const double tiny : {0.0, 1e-9, -1.0}) EXPECT_EQ(bar_text(tiny, 4), "▏") << tiny;
}

TEST(Csv, QuotesOnlyWhatWouldBeMisread) {
  EXPECT_EQ(csv_line({"a", "", "b c", "1.5"}), "a,,b c,1.5\n");
  EXPECT_EQ(csv_line({"=1+1", "@x", "-y", "+z"}), "'=1+1,'@x,'-y,'+z\n") << "no formulas";
  EXPECT_EQ(csv_line({"-", "-1.5", "+2e3"}), "-,-1.5,+2e3\n");
  EXPECT_EQ(csv_line({"a,b", "say \"no\"", "two\nlines"}), "\"a,b\",\"say \"\"no\"\"\",\"two\nlines\"\n");
}

TEST(Csv, WritesNumbersThatAreTheSameWhenTheyAreRead) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  const double third = 1.0 / 3;
  EXPECT_EQ(std::stod(csv_number(third)), third);
}

TEST(Csv, LeavesOutWhatIsNoNumber) {
  EXPECT_EQ(csv_number(std::nullopt), "");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(csv_number(-std::numeric_limits<double>::infinity()), "");
}

TEST(Cut, KeepsWideLettersAndAccentsWhole) {
  EXPECT_EQ(cut("±±±±", 4), "±±±±");
  EXPECT_EQ(cut("±±±±", 3), "±±…");
  EXPECT_EQ(cut("王小明", 6), "王小明");
  EXPECT_EQ(cut("王小明", 5), "王小…");
  EXPECT_EQ(cut("王小明", 4), "王…") << "half a letter is none";
  EXPECT_EQ(cut("e\u0301e\u0301e\u0301", 2), "e\u0301…");
}

TEST(Wrapped, BreaksAtSpacesButNotInNumbersAndKeepsLineBreaks) {
  EXPECT_EQ(wrapped("one two three four", 9, 2), (Lines{"one two", "  three", "  four"}));
  EXPECT_EQ(wrapped("one two", 7), (Lines{"one two"}));
  EXPECT_EQ(wrapped("of 33 554 432 items", 13), (Lines{"of 33 554 432", "items"}));
  EXPECT_EQ(wrapped("of 33 554 432 items", 12), (Lines{"of", "33 554 432", "items"}));
  EXPECT_EQ(wrapped("a\n\n  ^ here", 20), (Lines{"a", "", "  ^ here"}));
}

TEST(Wrapped, BreaksAWordThatIsLongerThanALine) {
  EXPECT_EQ(wrapped("histogram_shared", 10, 1), (Lines{"histogram_", " shared"}));
  EXPECT_EQ(wrapped("f(first);g(second,third);", 14, 1), (Lines{"f(first);", " g(second,", " third);"}));
  EXPECT_EQ(wrapped("ab", 1, 3), (Lines{"a", "   b"}));
  EXPECT_EQ(wrapped("", 10), Lines{});
  EXPECT_EQ(wrapped("王小明", 3), (Lines{"王", "小", "明"}));
  EXPECT_EQ(wrapped("王", 1), (Lines{"王"})) << "there is no smaller piece";
}

TEST(Table, KeepsItsColumnsBesideWideLettersInAnyLocale) {
  Table table({{"learner"}, {"passed", Align::right}});
  table.add({{"王小明"}, {"1/2"}});
  table.add({{"Zoe\u0308"}, {"2/2"}});
  EXPECT_EQ(table.text({}), "learner  passed\n王小明      1/2\nZoe\u0308         2/2\n");
}

TEST(Wrapped, KeepsAPercentageInOneLine) {
  EXPECT_EQ(wrapped("mean of all 23 % so", 15), (std::vector<std::string>{"mean of all", "23 % so"}));
}

}  // namespace
}  // namespace gpulab
