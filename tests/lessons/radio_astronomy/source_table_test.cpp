#include "radio_astronomy/source_table.hpp"

#include <gtest/gtest.h>

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_source_table_test {

const std::vector<Source> two{{.x = 1.5, .y = 0.1, .flux = 1e-20, .peak = 0.25f, .pixels = 3},
                              {.x = 2, .y = 1.0 / 3, .flux = 4, .peak = 0.1f, .pixels = 70000}};

TEST(SourceTable, HasARowForEverySourceWithItsLabel) {
  const Records records = source_records(two, "Jy/beam");
  EXPECT_EQ(records.columns, (std::vector<std::string>{"label", "x", "y", "flux", "peak", "pixels"}));
  EXPECT_EQ(records.units, (std::vector<std::string>{"", "pixel", "pixel", "Jy/beam", "Jy/beam", ""}));
  ASSERT_EQ(records.rows.size(), 2u);
  EXPECT_EQ(records.rows[0], (std::vector<double>{1, 1.5, 0.1, 1e-20, 0.25, 3}));
  EXPECT_EQ(records.rows[1][0], 2);
}

TEST(SourceTable, IsWrittenAsCsvWithEveryDigit) {
  EXPECT_EQ(source_csv(two),
            "label,x,y,flux,peak,pixels\n"
            "1,1.5,0.1,1e-20,0.25,3\n"
            "2,2,0.3333333333333333,4,0.1,70000\n");
  EXPECT_EQ(source_csv({}), "label,x,y,flux,peak,pixels\n");
}

}  // namespace radio_astronomy_source_table_test
}  // namespace gpulab::lessons::radio_astronomy
