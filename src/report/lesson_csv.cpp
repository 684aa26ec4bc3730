#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/documents.hpp"
#include "report/figures.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

using Field = std::pair<std::string, std::string>;  // the column and what stands in it

// As RFC 4180 has it: only what would be misread is quoted.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return result + '"';
}

// The shortest digits that are the same number when they are read.
std::string number_text(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string option_text(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  return std::get<std::string>(value);
}

// "sectors per load" is figure.sectors_per_load, and a figure in GB/s ends with _GB_per_s.
std::string column_of(const Figure& figure) {
  std::string column = "figure." + figure.name + (figure.unit.empty() ? "" : "_" + figure.unit);
  std::replace(column.begin(), column.end(), ' ', '_');
  for (const auto& [sign, word] : {Field{"/", "_per_"}, Field{"%", "percent"}})
    if (const std::size_t at = column.find(sign); at != std::string::npos) column.replace(at, 1, word);
  return column;
}

std::vector<Field> problem_fields(const LessonResult& result) {
  std::vector<Field> fields = {{"lesson", result.lesson},
                               {"size", std::to_string(result.size)},
                               {"seed", std::to_string(result.seed)}};
  for (const auto& [name, value] : result.options) fields.emplace_back("option." + name, option_text(value));
  fields.emplace_back("device_kind", result.device.kind);
  fields.emplace_back("device", result.device.name);
  return fields;
}

// Of a timing that is to be shown; nothing otherwise.
std::vector<Field> time_fields(const Timing* timing) {
  const Timing shown = timing ? *timing : Timing{};
  const bool was_measured = !shown.samples_s.empty();
  const auto end = [&](double Interval::*which) {
    return shown.confidence_s ? number_text((*shown.confidence_s).*which) : std::string();
  };
  return {{"median_s", was_measured ? number_text(shown.median_s) : ""},
          {"low_s", end(&Interval::low)},
          {"high_s", end(&Interval::high)},
          {"samples", was_measured ? std::to_string(shown.samples_s.size()) : ""}};
}

std::vector<Field> rate_fields(const LessonResult& result, std::optional<double> seconds) {
  return {{"effective_bytes_per_s", number_text(effective_bytes_per_s(result.traffic, seconds))},
          {"operations_per_s", number_text(operations_per_s(result.traffic, seconds))}};
}

void append(std::vector<Field>& fields, std::vector<Field> more) {
  std::move(more.begin(), more.end(), std::back_inserter(fields));
}

std::vector<Field> reference_fields(const LessonResult& result, const ReferenceResult& reference) {
  std::vector<Field> fields = problem_fields(result);
  append(fields, {{"kind", "reference"},
                  {"variant", reference.name},
                  {"threads", std::to_string(reference.threads)},
                  {"observed", identifier(reference.observed)}});
  const bool is_right = reference.observed == Outcome::right;
  append(fields, time_fields(is_right ? &reference.timing : nullptr));
  append(fields, rate_fields(result, is_right ? reference_median_s(reference) : std::nullopt));
  return fields;
}

std::vector<Field> variant_fields(const LessonResult& result, const VariantResult& variant) {
  std::vector<Field> fields = problem_fields(result);
  append(fields, {{"kind", "variant"},
                  {"variant", variant.name},
                  {"threads", ""},
                  {"expected", identifier(variant.expected)},
                  {"observed", identifier(variant.observed)},
                  {"ran_at_size", std::to_string(variant.size)}});
  append(fields, time_fields(kernel_median_s(result, variant) ? &*variant.kernel_cold : nullptr));
  const std::optional<double> seconds = problem_median_s(result, variant);
  append(fields, rate_fields(result, seconds));
  append(fields, {{"fraction_of_peak", number_text(fraction_of_peak(result, seconds))},
                  {"with_copies_s", number_text(with_copies_s(result, seconds))},
                  {"simulation_s", number_text(variant.simulation_s)}});
  for (const Figure& figure : variant.findings.figures)
    fields.emplace_back(column_of(figure), number_text(figure.value));
  return fields;
}

// What every table has, in this order; options come before these, figures after.
constexpr const char* columns_of_all[] = {"device_kind",
                                          "device",
                                          "kind",
                                          "variant",
                                          "threads",
                                          "expected",
                                          "observed",
                                          "ran_at_size",
                                          "median_s",
                                          "low_s",
                                          "high_s",
                                          "samples",
                                          "effective_bytes_per_s",
                                          "operations_per_s",
                                          "fraction_of_peak",
                                          "with_copies_s",
                                          "simulation_s"};

std::vector<std::string> columns_of(const std::vector<std::vector<Field>>& rows) {
  std::vector<std::string> columns = {"lesson", "size", "seed"};
  std::set<std::string> known(columns.begin(), columns.end());
  known.insert(std::begin(columns_of_all), std::end(columns_of_all));
  const auto add_further = [&](const std::string& prefix) {
    for (const std::vector<Field>& row : rows)
      for (const auto& [column, text] : row)
        if (column.starts_with(prefix) && known.insert(column).second) columns.push_back(column);
  };
  add_further("option.");
  columns.insert(columns.end(), std::begin(columns_of_all), std::end(columns_of_all));
  add_further("figure.");
  return columns;
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (&field == &fields.front() ? "" : ",") + quoted(field);
  return line + "\n";
}

}  // namespace

std::string lesson_csv(const std::vector<LessonResult>& results) {
  std::vector<std::vector<Field>> rows;
  for (const LessonResult& result : results) {
    for (const ReferenceResult& reference : result.references)
      rows.push_back(reference_fields(result, reference));
    for (const VariantResult& variant : result.variants) rows.push_back(variant_fields(result, variant));
  }
  const std::vector<std::string> columns = columns_of(rows);
  std::string text = line_of(columns);
  for (const std::vector<Field>& row : rows) {
    std::vector<std::string> line;
    for (const std::string& column : columns) {
      const auto field = std::ranges::find(row, column, &Field::first);
      line.push_back(field == row.end() ? "" : field->second);
    }
    text += line_of(line);
  }
  return text;
}

}  // namespace gpulab::report
