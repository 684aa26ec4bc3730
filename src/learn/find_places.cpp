#include <algorithm>

#include "learn/checks.hpp"
#include "learn/explain_defect.hpp"

namespace gpulab::learn {
namespace {

// A bracket that is missing makes hundreds.
constexpr std::size_t most_errors = 20;

bool is_told(const device::Diagnostic& error, const CheckResult& result) {
  return std::ranges::any_of(result.related, [&](const CheckPlace& place) {
    return place.line == error.line && place.text == error.words;
  });
}

// The first error is what the result is about, so only its column is new. What a note belongs to stands
// before it.
void add_errors(const device::KernelSource& source, CheckResult& result) {
  bool is_first = true;
  for (const device::Diagnostic& each : device::diagnostics(source.name, result.compiler_log)) {
    const bool is_error = each.kind == "error";
    if (is_error && is_first) {
      is_first = false;
      if (each.line == result.line) {
        result.column = each.column;
        continue;
      }
    }
    if (!is_error && (each.kind != "note" || is_first)) continue;
    if (is_told(each, result) || result.related.size() >= most_errors) continue;
    result.related.push_back({.line = each.line,
                              .column = each.column,
                              .pattern = is_error ? result.pattern : "",
                              .text = each.words});
  }
}

}  // namespace

void find_places(const device::KernelSource& source, CheckResult& result) {
  result.column = 0;
  if (!result.compiler_log.empty()) add_errors(source, result);
  if (result.column == 0) result.column = column_of(source.text, result.line);
  for (CheckPlace& place : result.related) {
    place.source = line_of(source.text, place.line);
    if (place.column == 0) place.column = column_of(source.text, place.line);
  }
}

}  // namespace gpulab::learn
