#include "base/table.hpp"

#include <gtest/gtest.h>

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

TEST(Table, CutsTheColumnThatIsToBeCutAndFillsTheWidthWithIt) {
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

}  // namespace
}  // namespace gpulab
