#include "bench/process.hpp"

#include <algorithm>
#include <iterator>

#include "bench/measure_plan.hpp"
#include "bench/program.hpp"

namespace gpulab::bench {
namespace {

// What is known of one process, without samples, which it need not read.
BenchResult done_in(int process, const BenchResult& result) {
  BenchResult done = result;
  done.rows.clear();
  for (const BenchRow& row : result.rows) {
    if (row.process != process) continue;
    done.rows.push_back(row);
    done.rows.back().times.clear();
  }
  return done;
}

void merge_claims(const std::vector<BenchClaim>& claims, std::vector<BenchClaim>& all) {
  for (const BenchClaim& claim : claims) {
    const auto same = std::ranges::find_if(all, [&](const BenchClaim& known) {
      return known.lesson == claim.lesson && known.size == claim.size &&
             known.result.claim.better == claim.result.claim.better &&
             known.result.claim.worse == claim.result.claim.worse;
    });
    if (same == all.end())
      all.push_back(claim);
    else if (same->result.verdict != claim.result.verdict)
      same->result.verdict = ClaimVerdict::inconclusive;  // processes do not agree
  }
}

void add_end(const BenchResult& ended, BenchResult& result) {
  merge_claims(ended.claims, result.claims);
  if (result.ceilings.empty()) result.ceilings = ended.ceilings;
  for (const std::string& remark : ended.remarks)
    if (std::ranges::find(result.remarks, remark) == result.remarks.end()) result.remarks.push_back(remark);
  result.stopped_by = ended.stopped_by;
}

}  // namespace

int measure_in_process(const std::vector<std::string>& words, int process, const Format& format,
                       const sandbox::StopRequest& stop, const std::function<void()>& on_row,
                       BenchResult& result) {
  for (;;) {
    Program program(words, result.rows.empty() ? "" : format.document(done_in(process, result)));
    BenchResult own;
    bool has_ended = false;
    const std::size_t had = result.rows.size();
    while (const std::optional<std::string> line = program.next_line(stop)) {
      has_ended = format.read_line(*line, own) || has_ended;
      if (result.device.name.empty()) result.device = own.device;
      result.facts.fallback = own.facts.fallback;
      if (result.device.name != own.device.name)
        throw UsageError("what was measured before was measured on " + result.device.name +
                         ", and this is " + own.device.name + ": begin anew, without --resume");
      result.plan.order = own.plan.order;
      std::ranges::move(own.rows, std::back_inserter(result.rows));
      if (!own.rows.empty()) on_row();
      own.rows.clear();
    }
    const int status = program.exit_status();
    if (!has_ended) return status == 0 ? static_cast<int>(ExitCode::device) : status;
    add_end(own, result);
    const bool goes_on = own.stopped_by == device_was_lost && result.rows.size() > had;
    if (!goes_on) return 0;
    result.stopped_by.clear();
  }
}

}  // namespace gpulab::bench
