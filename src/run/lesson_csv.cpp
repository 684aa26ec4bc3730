#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "lesson/result.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"

namespace gpulab::run {
namespace {

using CsvField = std::pair<std::string, std::string>;  // column and value

std::string option_text(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return csv_number(*number);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  return std::get<std::string>(value);
}

// Maps "sectors per load" to figure.sectors_per_load; figures in GB/s end with _GB_per_s.
std::string column_of(const Figure& figure) {
  std::string column = "figure." + figure.name + (figure.unit.empty() ? "" : "_" + figure.unit);
  std::replace(column.begin(), column.end(), ' ', '_');
  for (const auto& [sign, word] : {CsvField{"/", "_per_"}, CsvField{"%", "percent"}})
    if (const std::size_t at = column.find(sign); at != std::string::npos) column.replace(at, 1, word);
  return column;
}

std::vector<CsvField> problem_fields(const LessonResult& result) {
  std::vector<CsvField> fields = {{"lesson", result.lesson},
                                  {"size", std::to_string(result.size)},
                                  {"seed", std::to_string(result.seed)}};
  for (const auto& [name, value] : result.options) fields.emplace_back("option." + name, option_text(value));
  fields.emplace_back("device_kind", result.device.kind);
  fields.emplace_back("device", result.device.name);
  return fields;
}

// Returns the fields of a timing; empty ones for null.
std::vector<CsvField> time_fields(const Timing* timing) {
  const Timing shown = timing ? *timing : Timing{};
  const bool was_measured = !shown.samples_s.empty();
  const auto bound = [&](double Interval::*which) {
    return shown.confidence_s ? csv_number((*shown.confidence_s).*which) : std::string();
  };
  return {{"median_s", was_measured ? csv_number(shown.median_s) : ""},
          {"low_s", bound(&Interval::low)},
          {"high_s", bound(&Interval::high)},
          {"samples", was_measured ? std::to_string(shown.samples_s.size()) : ""}};
}

std::vector<CsvField> rate_fields(const LessonResult& result, std::optional<double> seconds) {
  return {{"effective_bytes_per_s", csv_number(effective_bytes_per_s(result.traffic, seconds))},
          {"operations_per_s", csv_number(operations_per_s(result.traffic, seconds))}};
}

void append(std::vector<CsvField>& fields, std::vector<CsvField> more) {
  std::move(more.begin(), more.end(), std::back_inserter(fields));
}

std::vector<CsvField> reference_fields(const LessonResult& result, const ReferenceResult& reference) {
  std::vector<CsvField> fields = problem_fields(result);
  append(fields, {{"kind", "reference"},
                  {"variant", reference.name},
                  {"threads", std::to_string(reference.threads)},
                  {"observed", identifier(reference.observed)}});
  const bool is_right = reference.observed == Outcome::right;
  append(fields, time_fields(is_right ? &reference.timing : nullptr));
  append(fields, rate_fields(result, is_right ? reference_median_s(reference) : std::nullopt));
  return fields;
}

std::vector<CsvField> variant_fields(const LessonResult& result, const VariantResult& variant) {
  std::vector<CsvField> fields = problem_fields(result);
  append(fields, {{"kind", "variant"},
                  {"variant", variant.name},
                  {"threads", ""},
                  {"expected", identifier(variant.expected)},
                  {"observed", identifier(variant.observed)},
                  {"ran_at_size", std::to_string(variant.size)}});
  append(fields, time_fields(kernel_median_s(result, variant) ? &*variant.kernel_cold : nullptr));
  const std::optional<double> seconds = problem_median_s(result, variant);
  append(fields, rate_fields(result, seconds));
  append(fields, {{"fraction_of_peak", csv_number(fraction_of_peak(result, variant, seconds))},
                  {"with_copies_s", csv_number(with_copies_s(result, seconds))},
                  {"simulation_s", csv_number(variant.simulation_s)}});
  const Estimate* const estimate = estimate_of(result, variant);
  const auto predicted_s = [&](double Estimate::*which) {
    return estimate ? csv_number(estimate->*which) : "";
  };
  append(fields, {{"estimated_for", estimate ? estimate->gpu : ""},
                  {"estimated_low_s", predicted_s(&Estimate::low_s)},
                  {"estimated_high_s", predicted_s(&Estimate::high_s)}});
  for (const Figure& figure : variant.findings.figures)
    fields.emplace_back(column_of(figure), csv_number(figure.value));
  return fields;
}

// Columns of every table, in this order: the lesson's options follow the first group, figures the second, and
// columns with the same value in every row come last.
constexpr const char* first_columns[] = {"lesson", "size", "seed"};
constexpr const char* second_columns[] = {
    // The row and its outcome.
    "kind", "variant", "threads", "expected", "observed", "ran_at_size",
    // The measurements.
    "median_s", "low_s", "high_s", "samples", "effective_bytes_per_s", "operations_per_s", "fraction_of_peak",
    "with_copies_s", "simulation_s", "estimated_for", "estimated_low_s", "estimated_high_s"};
constexpr const char* last_columns[] = {"device_kind", "device"};

std::vector<std::string> columns_of(const std::vector<std::vector<CsvField>>& rows) {
  std::vector<std::string> columns;
  const auto add = [&](const auto& names) {
    columns.insert(columns.end(), std::begin(names), std::end(names));
  };
  const auto add_columns_of_rows = [&](const std::string& prefix) {
    std::set<std::string> known;
    for (const std::vector<CsvField>& row : rows)
      for (const auto& [column, text] : row)
        if (column.starts_with(prefix) && known.insert(column).second) columns.push_back(column);
  };
  add(first_columns);
  add_columns_of_rows("option.");
  add(second_columns);
  add_columns_of_rows("figure.");
  add(last_columns);
  return columns;
}

}  // namespace

std::string lesson_csv(const std::vector<LessonResult>& results) {
  std::vector<std::vector<CsvField>> rows;
  for (const LessonResult& result : results) {
    for (const ReferenceResult& reference : result.references)
      rows.push_back(reference_fields(result, reference));
    for (const VariantResult& variant : result.variants) rows.push_back(variant_fields(result, variant));
  }
  const std::vector<std::string> columns = columns_of(rows);
  std::string text = csv_line(columns);
  for (const std::vector<CsvField>& row : rows) {
    std::vector<std::string> line;
    for (const std::string& column : columns) {
      const auto field = std::ranges::find(row, column, &CsvField::first);
      line.push_back(field == row.end() ? "" : field->second);
    }
    text += csv_line(line);
  }
  return text;
}

}  // namespace gpulab::run
