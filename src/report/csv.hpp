#pragma once

#include <optional>
#include <string>
#include <vector>

// Tables in CSV, for pandas, R and spreadsheets.

namespace gpulab::report {

// One line, ended. As RFC 4180 has it, a field is quoted if it would be misread otherwise.
std::string csv_line(const std::vector<std::string>& fields);

// The shortest digits that are the same number when they are read; empty for what was not measured or is not
// finite.
std::string csv_number(std::optional<double> value);

}  // namespace gpulab::report
