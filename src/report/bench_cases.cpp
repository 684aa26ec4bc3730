#include "report/bench_cases.hpp"

#include <algorithm>
#include <set>

namespace gpulab::report {
namespace {

double middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// One process knows how its samples spread. How much further processes differ, only several show.
Measured over_processes(const std::vector<const Timing*>& timings) {
  std::vector<double> medians;
  for (const Timing* timing : timings) medians.push_back(timing->median_s);
  Measured measured{.median = middle_of(medians), .processes = medians.size()};
  if (medians.size() == 1)
    measured.range = timings.front()->confidence_s;
  else
    measured.range = Interval{std::ranges::min(medians), std::ranges::max(medians)};
  return measured;
}

std::map<BenchTime, Measured> times_of(const std::vector<const BenchRow*>& rows) {
  std::map<BenchTime, Measured> times;
  for (const BenchTime time : all_bench_times) {
    std::vector<const Timing*> taken;
    for (const BenchRow* row : rows)
      if (const auto found = row->times.find(time); found != row->times.end() && found->second.median_s > 0)
        taken.push_back(&found->second);
    if (!taken.empty()) times[time] = over_processes(taken);
  }
  return times;
}

std::optional<Measured> energy_of(const std::vector<const BenchRow*>& rows) {
  std::vector<double> joules;
  for (const BenchRow* row : rows)
    if (row->energy) joules.push_back(row->energy->joules_per_run);
  if (joules.empty()) return std::nullopt;
  Measured measured{.median = middle_of(joules), .processes = joules.size()};
  if (joules.size() > 1) measured.range = Interval{std::ranges::min(joules), std::ranges::max(joules)};
  return measured;
}

MeasuredCase case_of_rows(const std::vector<const BenchRow*>& rows) {
  const BenchRow& first = *rows.front();
  MeasuredCase one{.what = first.what,
                   .kind = first.kind,
                   .expected = first.expected,
                   .observed = first.observed,
                   .explanation = first.explanation,
                   .traffic = first.traffic,
                   .times_s = times_of(rows),
                   .joules = energy_of(rows)};
  for (const BenchRow* row : rows) {
    if (!row->valid && one.valid) {
      one.valid = false;
      one.observed = row->observed;
      one.explanation = row->explanation;
    }
    if (one.counts.empty()) one.counts = row->counts;
    for (const std::string& warning : row->warnings)
      if (std::ranges::find(one.warnings, warning) == one.warnings.end()) one.warnings.push_back(warning);
  }
  return one;
}

}  // namespace

std::optional<Measured> MeasuredCase::time_s(BenchTime time) const {
  const auto found = times_s.find(time);
  if (!has_figures() || found == times_s.end()) return std::nullopt;
  return found->second;
}

std::optional<Measured> MeasuredCase::kernel_s() const {
  if (kind == BenchKind::cpu) return time_s(BenchTime::cpu);
  const auto cold = time_s(BenchTime::cold);
  return cold ? cold : time_s(BenchTime::steady);
}

std::vector<MeasuredCase> measured_cases(const std::vector<BenchRow>& rows) {
  std::map<std::string, std::vector<const BenchRow*>> rows_of;
  std::vector<std::string> ids;
  for (const BenchRow& row : rows) {
    std::vector<const BenchRow*>& of_case = rows_of[id_of(row.what)];
    if (of_case.empty()) ids.push_back(id_of(row.what));
    of_case.push_back(&row);
  }
  std::vector<MeasuredCase> cases;
  for (const std::string& id : ids) cases.push_back(case_of_rows(rows_of[id]));
  return cases;
}

std::optional<double> bench_rate(const Traffic& traffic, std::optional<double> seconds) {
  const double work =
      traffic.limited_by_operations ? traffic.operations : traffic.bytes_read + traffic.bytes_written;
  if (!seconds || *seconds <= 0 || work <= 0) return std::nullopt;
  return work / *seconds;
}

std::optional<double> sum_of_counts(const MeasuredCase& one, std::string_view ending) {
  std::optional<double> sum;
  for (const auto& [name, count] : one.counts)
    if (name == ending || name.ends_with("." + std::string(ending)))
      sum = sum.value_or(0) + static_cast<double>(count);
  return sum;
}

std::vector<CountFigure> count_figures(const MeasuredCase& one) {
  std::vector<CountFigure> figures;
  const auto add = [&](const char* ending, const char* name, const char* explanation) {
    if (const auto sum = sum_of_counts(one, ending)) figures.push_back({name, explanation, *sum});
  };
  add("sectors", "sectors", "32-byte pieces of global memory that were touched, added over the requests of warps");
  add("bank_wavefronts", "wavefronts", "times that the busiest bank of shared memory had to answer");
  add("max_same_address", "same address", "lanes of atomics that met at one address, added over requests");
  const auto requests = sum_of_counts(one, "requests"), lanes = sum_of_counts(one, "active_lanes");
  if (requests && lanes && *requests > 0)
    figures.push_back({"active lanes", "lanes that took part in a request, on average; 32 is all of a warp",
                       *lanes / *requests});
  add("fiber_switches", "switches", "times that the simulator went from one thread to another");
  return figures;
}

}  // namespace gpulab::report
