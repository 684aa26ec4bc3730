#include "run/documents.hpp"

#include <gtest/gtest.h>

namespace gpulab::run {
namespace {

LessonResult with_records(std::size_t count) {
  LessonResult result;
  Records records{.columns = {"label", "flux"}, .units = {"", "Jy/beam"}};
  for (std::size_t i = 0; i < count; ++i) records.rows.push_back({static_cast<double>(i + 1), 0.5});
  result.records = records;
  return result;
}

TEST(RecordsTable, HasUnitsInItsTitles) {
  EXPECT_EQ(records_text(with_records(2), {}),
            "label  flux, Jy/beam\n"
            "    1            0.5\n"
            "    2            0.5\n");
}

TEST(RecordsTable, ShowsTheFirstTenAndSaysHowManyMoreThereAre) {
  EXPECT_EQ(records_text(with_records(10), {}).find("more"), std::string::npos);
  EXPECT_TRUE(records_text(with_records(1012), {}).ends_with("… and 1 002 more\n"));
}

TEST(RecordsTable, IsEmptyWithoutRecords) {
  EXPECT_EQ(records_text({}, {}), "");
}

}  // namespace
}  // namespace gpulab::run
