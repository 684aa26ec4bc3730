#include <fmt/format.h>

#include "report/bench_formats.hpp"
#include "report/quantity_text.hpp"
#include "report/words.hpp"
#include "report/xml_text.hpp"

namespace gpulab::report {
namespace {

bool was_skipped(const BenchRow& row) {
  return !row.valid && row.observed == Outcome::not_run;
}

bool has_failed(const BenchRow& row) {
  return !row.valid && !was_skipped(row);
}

// Seconds of the work that it is about: of the kernel or, where that was not timed, of the reference.
double time_of_row_s(const BenchRow& row) {
  for (const BenchTime time : {BenchTime::cold, BenchTime::steady, BenchTime::cpu})
    if (const auto found = row.times.find(time); found != row.times.end()) return found->second.median_s;
  return 0;
}

std::string row_figures_text(const BenchRow& row) {
  std::string text;
  for (const auto& [time, timing] : row.times)
    text += fmt::format("{} {}\n", name_of(time), duration_text(timing.median_s));
  if (row.energy) text += fmt::format("energy {:.3g} J\n", row.energy->joules_per_run);
  for (const auto& [name, count] : row.counts) text += fmt::format("{} {}\n", name, count);
  for (const std::string& warning : row.warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string test_case(const BenchRow& row, bool tell_processes) {
  const std::string id = id_of(row.what).substr(row.what.lesson.size() + 1);
  const std::string process = tell_processes ? fmt::format(" process={}", row.process) : "";
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\">\n",
                  xml_text("gpulab." + row.what.lesson), xml_text(id + process), time_of_row_s(row));
  const std::string why = xml_text(row.explanation.empty() ? "the result is wrong" : row.explanation);
  if (has_failed(row))
    text += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", identifier(row.observed),
                        why, why);
  if (was_skipped(row)) text += fmt::format("      <skipped message=\"{}\"/>\n", why);
  if (const std::string figures = row_figures_text(row); !figures.empty())
    text += fmt::format("      <system-out>{}</system-out>\n", xml_text(figures));
  return text + "    </testcase>\n";
}

std::string suite(const BenchResult& result) {
  std::size_t failed = 0, skipped = 0;
  std::string cases;
  for (const BenchRow& row : result.rows) {
    failed += has_failed(row);
    skipped += was_skipped(row);
    cases += test_case(row, result.plan.processes > 1);
  }
  return fmt::format(
      "  <testsuite name=\"gpulab bench, {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
      "timestamp=\"{}\" hostname=\"{}\">\n{}  </testsuite>\n",
      xml_text(result.device.name), result.rows.size(), failed, skipped, xml_text(result.facts.started_utc),
      xml_text(result.facts.hostname), cases);
}

}  // namespace

std::string bench_junit(const std::vector<BenchResult>& results) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpulab bench\">\n";
  for (const BenchResult& result : results) text += suite(result);
  return text + "</testsuites>\n";
}

}  // namespace gpulab::report
