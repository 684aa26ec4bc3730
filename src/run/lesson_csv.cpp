#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/lists.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
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
  std::string column =
      replaced("figure." + figure.name + (figure.unit.empty() ? "" : "_" + figure.unit), ' ', '_');
  for (const auto& [sign, word] : {CsvField{"/", "_per_"}, CsvField{"%", "percent"}})
    if (const std::size_t position = column.find(sign); position != std::string::npos)
      column.replace(position, 1, word);
  return column;
}

// Returns the fields that all rows of a result begin with.
std::vector<CsvField> problem_fields(const LessonResult& result) {
  std::vector<CsvField> fields = {{"lesson", result.lesson},
                                  {"size", std::to_string(result.size)},
                                  {"seed", std::to_string(result.seed)}};
  for (const auto& [name, value] : result.options) fields.emplace_back("option." + name, option_text(value));
  fields.emplace_back("device_kind", result.device.kind);
  fields.emplace_back("device", result.device.name);
  return fields;
}

// Appends the time of a right result: empty columns without `timing`, and rates only with `seconds`, the time
// for the whole problem.
void append_time(std::vector<CsvField>& fields, const LessonResult& result, const Timing* timing,
                 std::optional<double> seconds) {
  const Timing shown = timing ? *timing : Timing{};
  const bool was_measured = !shown.samples_s.empty();
  const auto bound = [&](double Interval::*which) {
    return shown.confidence_s ? csv_number((*shown.confidence_s).*which) : std::string();
  };
  append(fields, {{"median_s", was_measured ? csv_number(shown.median_s) : ""},
                  {"low_s", bound(&Interval::low)},
                  {"high_s", bound(&Interval::high)},
                  {"samples", was_measured ? std::to_string(shown.samples_s.size()) : ""},
                  {"effective_bytes_per_s", csv_number(effective_bytes_per_s(result.traffic, seconds))},
                  {"operations_per_s", csv_number(operations_per_s(result.traffic, seconds))}});
}

std::string text_of(bool value) {
  return value ? "true" : "false";
}

std::vector<CsvField> reference_fields(const LessonResult& result, const ReferenceResult& reference) {
  const bool is_right = reference.observed == Outcome::right;
  std::vector<CsvField> fields = problem_fields(result);
  append(fields, {{"kind", "reference"},
                  {"variant", reference.name},
                  {"threads", std::to_string(reference.threads)},
                  {"expected", identifier(Outcome::right)},
                  {"observed", identifier(reference.observed)},
                  {"as_expected", text_of(is_right)},
                  {"ran_at_size", std::to_string(result.size)}});
  append_time(fields, result, is_right ? &reference.timing : nullptr,
              is_right ? reference_median_s(reference) : std::nullopt);
  return fields;
}

std::vector<CsvField> variant_fields(const LessonResult& result, const VariantResult& variant) {
  const std::optional<double> seconds = problem_median_s(result, variant);
  const Estimate estimate = estimate_of(result, variant) ? *estimate_of(result, variant) : Estimate{};
  const auto predicted = [&](double value_s) { return estimate.gpu.empty() ? "" : csv_number(value_s); };
  std::vector<CsvField> fields = problem_fields(result);
  append(fields, {{"kind", "variant"},
                  {"variant", variant.name},
                  {"threads", ""},
                  {"expected", identifier(variant.expected)},
                  {"observed", identifier(variant.observed)},
                  {"as_expected", text_of(variant.as_expected())},
                  {"ran_at_size", std::to_string(variant.size)}});
  append_time(fields, result, kernel_median_s(result, variant) ? &*variant.kernel_cold : nullptr, seconds);
  append(fields, {{"fraction_of_peak", csv_number(fraction_of_peak(result, variant, seconds))},
                  {"with_copies_s", csv_number(with_copies_s(result, seconds))},
                  {"simulation_s", csv_number(variant.simulation_s)},
                  {"estimated_for", estimate.gpu},
                  {"estimated_low_s", predicted(estimate.low_s)},
                  {"estimated_high_s", predicted(estimate.high_s)}});
  for (const Figure& figure : variant.findings.figures)
    fields.emplace_back(column_of(figure), csv_number(figure.value));
  return fields;
}

}  // namespace

std::string lesson_csv(const std::vector<LessonResult>& results) {
  std::vector<std::vector<CsvField>> rows;
  for (const LessonResult& result : results) {
    for (const ReferenceResult& reference : result.references)
      rows.push_back(reference_fields(result, reference));
    for (const VariantResult& variant : result.variants) rows.push_back(variant_fields(result, variant));
  }
  std::vector<std::string> columns;  // in the order of first appearance
  for (const std::vector<CsvField>& row : rows)
    for (const auto& [column, value] : row) add_once(columns, column);
  std::ranges::stable_partition(columns, [](const std::string& column) {
    return column != "device_kind" && column != "device";  // last: the same in every row
  });
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
