#pragma once

#include <string>

// Numbers with their units, as people read them. A quantity that is not finite is "n/a".

namespace gpulab::report {

// What stands where there is no figure.
constexpr const char* not_available = "n/a";

// Three significant digits, and every digit before the point: "0.561", "70.9", "3 495".
std::string three_digits(double value);

// "38.4 us", "8.66 ms", "1.27 s"
std::string duration_text(double seconds);

// In powers of 1000, as rates are: "134 MB"
std::string bytes_text(double bytes);

// In powers of 1024, as memories are built: "48.0 KiB", "140 GiB"
std::string capacity_text(double bytes);

// "0.3 %", "73 %"
std::string percent_text(double fraction);

// How many times as fast: "622x", "6.8x", "0.23x"
std::string factor_text(double factor);

// A figure that a lesson shows: counts in full, "33 554 432", other numbers in three digits
std::string figure_text(double value);

// A value that a kernel computed, in nine digits: "2.5", "-1.41421356", "NaN" whatever its sign, "inf",
// "-inf"
std::string element_text(double value);

}  // namespace gpulab::report
