#include "lesson_fixtures.hpp"
#include "run/documents.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace {

// Reads CSV as RFC 4180 says, without the program's own code; returns records of unquoted fields.
std::vector<std::vector<std::string>> records_of(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    const bool is_escaped = is_quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"';
    if (is_escaped)
      field += text[i++];
    else if (text[i] == '"')
      is_quoted = !is_quoted;
    else if (text[i] == ',' && !is_quoted)
      records.back().emplace_back();
    else if (text[i] == '\n' && !is_quoted)
      records.push_back({""});
    else
      field += text[i];
  }
  EXPECT_EQ(records.back(), std::vector<std::string>{""}) << "the last line is ended";
  records.pop_back();
  return records;
}

using Row = std::map<std::string, std::string>;

// Returns the rows, each as a map from the names of the columns to its fields.
std::vector<Row> rows_of(const std::vector<LessonResult>& results) {
  const auto records = records_of(lesson_csv(results));
  std::vector<Row> rows;
  for (std::size_t i = 1; i < records.size(); ++i) {
    EXPECT_EQ(records[i].size(), records[0].size()) << "line " << i;
    Row& row = rows.emplace_back();
    for (std::size_t column = 0; column < records[0].size(); ++column)
      row[records[0][column]] = records[i].at(column);
  }
  return rows;
}

TEST(LessonCsv, HasALineOfNamesAndOneForEachReferenceAndVariant) {
  const std::string csv = lesson_csv({fixtures::measured_lesson()});
  EXPECT_EQ(
      csv.substr(0, csv.find('\n')),
      "lesson,size,seed,option.distribution,kind,variant,threads,expected,observed,as_expected,ran_at_size,"
      "median_s,low_s,high_s,samples,effective_bytes_per_s,operations_per_s,fraction_of_peak,with_copies_s,"
      "simulation_s,estimated_for,estimated_low_s,estimated_high_s,device_kind,device");
  const auto rows = rows_of({fixtures::measured_lesson()});
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].at("kind"), "reference");
  EXPECT_EQ(rows[5].at("variant"), "private-copies");
}

TEST(LessonCsv, HasTheNumbersInSiUnits) {
  const Row row = rows_of({fixtures::measured_lesson()})[3];
  EXPECT_EQ(row.at("lesson"), "shared-histogram");
  EXPECT_EQ(row.at("size"), "33554432");
  EXPECT_EQ(row.at("seed"), "42");
  EXPECT_EQ(row.at("option.distribution"), "uniform");
  EXPECT_EQ(row.at("device"), "NVIDIA H200");
  EXPECT_EQ(row.at("variant"), "global-atomic");
  EXPECT_EQ(row.at("expected"), "right");
  EXPECT_EQ(row.at("observed"), "right");
  EXPECT_EQ(row.at("median_s"), "0.00866");
  EXPECT_EQ(std::stod(row.at("low_s")), 8.66e-3 - 8.66e-3 * 0.001);
  EXPECT_EQ(std::stod(row.at("high_s")), 8.66e-3 + 8.66e-3 * 0.001);
  EXPECT_EQ(row.at("samples"), "30");
  EXPECT_EQ(std::stod(row.at("effective_bytes_per_s")), (134'217'728.0 + 1024.0) / 8.66e-3);
  EXPECT_EQ(std::stod(row.at("fraction_of_peak")), (134'217'728.0 + 1024.0) / 8.66e-3 / 4.8e12);
  EXPECT_EQ(std::stod(row.at("with_copies_s")), 8.66e-3 + 2.44e-3 + 6e-6);
  EXPECT_EQ(row.at("operations_per_s"), "") << "the problem has none";
  EXPECT_EQ(row.at("simulation_s"), "");
}

TEST(LessonCsv, SaysAsJsonDoesWhichRowsAreAsExpected) {
  LessonResult result = fixtures::failing_lesson();
  result.references[1].observed = Outcome::wrong;
  const auto rows = rows_of({result});
  EXPECT_EQ(rows[0].at("as_expected"), "true");
  EXPECT_EQ(rows[1].at("as_expected"), "false");
  for (std::size_t i = 0; i < result.variants.size(); ++i)
    EXPECT_EQ(rows[i + 2].at("as_expected"), result.variants[i].as_expected() ? "true" : "false");
}

TEST(LessonCsv, QuotesACommaAndAQuote) {
  LessonResult result = fixtures::measured_lesson();
  result.options["input"] = "a \"b\", c\nd.png";
  EXPECT_NE(lesson_csv({result}).find(",\"reference, OpenMP\",16,"), std::string::npos);
  const Row row = rows_of({result})[1];
  EXPECT_EQ(row.at("variant"), "reference, OpenMP");
  EXPECT_EQ(row.at("option.input"), "a \"b\", c\nd.png");
}

TEST(LessonCsv, LeavesOutTheTimesOfWhatIsNotRightAsExpected) {
  LessonResult result = fixtures::failing_lesson();
  ASSERT_TRUE(result.variants[2].kernel_cold.has_value());
  const Row wrong = rows_of({result})[4];
  EXPECT_EQ(wrong.at("observed"), "wrong");
  for (const char* column : {"median_s", "low_s", "high_s", "samples", "effective_bytes_per_s"})
    EXPECT_EQ(wrong.at(column), "") << column;
  result.references[1].observed = Outcome::wrong;
  EXPECT_EQ(rows_of({result})[1].at("median_s"), "");
}

TEST(LessonCsv, LeavesOutTheTimeOfASmallerProblem) {
  LessonResult result = fixtures::measured_lesson();
  result.variants[1].size = 4096;
  const Row row = rows_of({result})[3];
  EXPECT_EQ(row.at("ran_at_size"), "4096");
  EXPECT_EQ(row.at("median_s"), "");
}

TEST(LessonCsv, HasNoIntervalWhereThereAreTooFewSamples) {
  LessonResult result = fixtures::measured_lesson();
  result.variants[1].kernel_cold->confidence_s.reset();
  const Row row = rows_of({result})[3];
  EXPECT_EQ(row.at("median_s"), "0.00866");
  EXPECT_EQ(row.at("low_s"), "");
  EXPECT_EQ(row.at("high_s"), "");
}

TEST(LessonCsv, KeepsTheSimulatorsTimeApart) {
  const Row row = rows_of({fixtures::simulated_lesson()})[3];
  EXPECT_EQ(row.at("device_kind"), "simulator");
  EXPECT_EQ(row.at("simulation_s"), "0.412");
  EXPECT_EQ(row.at("median_s"), "");
}

TEST(LessonCsv, HasAColumnForEachFigureWithItsUnit) {
  LessonResult result = fixtures::simulated_lesson();
  result.variants[1].findings.figures = {
      {"sectors per load", 4.5}, {"copied up", 12.5, "GB/s"}, {"of the link", 80, "%"}};
  const auto rows = rows_of({result});
  EXPECT_EQ(rows[3].at("figure.sectors_per_load"), "4.5");
  EXPECT_EQ(rows[3].at("figure.copied_up_GB_per_s"), "12.5");
  EXPECT_EQ(rows[3].at("figure.of_the_link_percent"), "80");
  EXPECT_EQ(rows[2].at("figure.sectors_per_load"), "") << "not every variant has it";
}

TEST(LessonCsv, LeavesOutFiguresThatAreNotFinite) {
  LessonResult result = fixtures::simulated_lesson();
  result.variants[1].findings.figures = {{"error", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(rows_of({result})[3].at("figure.error"), "");
}

TEST(LessonCsv, PutsSeveralSizesIntoOneTable) {
  LessonResult small = fixtures::simulated_lesson(), large = fixtures::simulated_lesson();
  small.size = 1000;
  large.variants[1].findings.figures = {{"registers", 12}};
  const auto rows = rows_of({small, large});
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0].at("size"), "1000");
  EXPECT_EQ(rows[4].at("size"), "33554432");
  EXPECT_EQ(rows[3].at("figure.registers"), "");
  EXPECT_EQ(rows[7].at("figure.registers"), "12");
}

LessonResult with_figures() {
  LessonResult result;
  result.size = 100;
  result.variants = {
      {.name = "plain", .size = 100}, {.name = "array", .size = 100}, {.name = "silent", .size = 100}};
  result.variants[0].findings.figures = {{"registers", 12}, {"local", 0, "bytes"}};
  result.variants[1].findings.figures = {{"registers", 14}, {"local", 32768, "bytes"}, {"error", 5.96e-8}};
  return result;
}

TEST(FiguresTable, HasARowForEachVariantWithFiguresAndAColumnForEachFigure) {
  EXPECT_EQ(figures_table(with_figures(), {.width = 100}),
            "variant  registers  local, bytes     error\n"
            "plain           12             0       n/a\n"
            "array           14        32 768  5.96e-08\n");
}

TEST(FiguresTable, LeavesOutVariantsOfAnotherSize) {
  LessonResult result = with_figures();
  result.variants[1].size = 10;
  EXPECT_EQ(figures_table(result, {.width = 100}),
            "variant  registers  local, bytes\n"
            "plain           12             0\n");
}

TEST(FiguresTable, GoesOnBelowWhereItIsTooWide) {
  EXPECT_EQ(figures_table(with_figures(), {.width = 40}),
            "variant  registers  local, bytes\n"
            "plain           12             0\n"
            "array           14        32 768\n"
            "\n"
            "variant     error\n"
            "plain         n/a\n"
            "array    5.96e-08\n");
}

TEST(FiguresTable, SaysWhatActiveLanesAre) {
  LessonResult result = with_figures();
  for (VariantResult& variant : result.variants) variant.findings.figures = {{"active lanes", 16}};
  EXPECT_EQ(figures_table(result, {.width = 100}),
            "variant  active lanes\n"
            "plain              16\n"
            "array              16\n"
            "silent             16\n"
            "active lanes: lanes of a warp in an access to memory, on average; arithmetic is not counted\n");
}

TEST(FiguresTable, IsEmptyWithoutFigures) {
  LessonResult result = with_figures();
  for (VariantResult& variant : result.variants) variant.findings.figures.clear();
  EXPECT_EQ(figures_table(result, {}), "");
}

TEST(FiguresTable, WritesWhatIsNoNumberAsNotAvailable) {
  LessonResult result = with_figures();
  result.variants.resize(1);
  result.variants[0].findings.figures = {{"error", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(figures_table(result, {}), "variant  error\nplain      n/a\n");
}

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
