#include "bench/plan.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <iterator>

#include "base/process.hpp"
#include "bench/bench_formats.hpp"
#include "lesson/words.hpp"

namespace gpulab::bench {
namespace {

// Returns the rows that one process has finished, without the samples. The process started now skips these.
BenchResult done_in(int process, const BenchResult& result) {
  BenchResult done{.facts = result.facts, .device = result.device, .plan = result.plan};
  for (const BenchRow& row : result.rows) {
    if (row.process != process) continue;
    done.rows.push_back({.what = row.what,
                         .kind = row.kind,
                         .process = row.process,
                         .expected = row.expected,
                         .observed = row.observed,
                         .valid = row.valid});
  }
  return done;
}

// Returns "the folder mine" or "the program itself".
std::string folder_text(const RunPlan& plan) {
  return plan.kernels.empty() ? "the program itself" : "the folder " + plan.kernels;
}

void merge_claims(const std::vector<BenchClaim>& claims, std::vector<BenchClaim>& all) {
  for (const BenchClaim& claim : claims) {
    const auto same = std::ranges::find_if(all, [&](const BenchClaim& known) {
      return known.lesson == claim.lesson && known.size == claim.size &&
             claim_text(known.result.claim) == claim_text(claim.result.claim);
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
  for (const std::string& remark : ended.remarks) add_once(result.remarks, remark);
  result.lesson_remarks.insert(ended.lesson_remarks.begin(), ended.lesson_remarks.end());
  result.stopped_by = ended.stopped_by;
}

// Throws UsageError if a kernel file differs from the one whose measurements the result already has.
void refuse_other_kernels(const RunPlan& printed, const RunPlan& known, bool resumes) {
  for (const auto& [lesson, hash] : printed.kernel_hashes)
    if (const auto before = known.kernel_hashes.find(lesson);
        before != known.kernel_hashes.end() && before->second != hash) {
      if (!resumes)
        throw UsageError(fmt::format("the kernels of {}{} changed while bench was running: measure again",
                                     lesson, printed.kernels.empty() ? "" : " in " + printed.kernels));
      throw UsageError(fmt::format(
          "the kernels of {}{} are not those that were measured before{}: measure again, without --resume",
          lesson, printed.kernels.empty() ? "" : " in " + printed.kernels,
          printed.kernels == known.kernels ? "" : ", of " + folder_text(known)));
    }
}

// Copies the facts that a process prints first into the result. Throws UsageError if they do not fit it.
void take_facts(const BenchResult& printed, int process, const ProcessLimits& limits, BenchResult& result) {
  if (result.device.name.empty()) result.device = printed.device;
  require_same_measurement(printed, process, limits.resumes, result);
  result.plan.kernel_hashes.insert(printed.plan.kernel_hashes.begin(), printed.plan.kernel_hashes.end());
  result.plan.kernels = printed.plan.kernels;
  result.plan.unknown_kernels = printed.plan.unknown_kernels;
  result.plan.absent_lessons = printed.plan.absent_lessons;
  result.plan.unmeasured_edits = printed.plan.unmeasured_edits;
  result.facts.build = printed.facts.build;
  result.facts.fallback = printed.facts.fallback;
  result.plan.order = printed.plan.order;
  result.plan.rough_s = printed.plan.rough_s;
  result.plan.ruled_out = printed.plan.ruled_out;
  result.plan.rows = printed.plan.order.size() * static_cast<std::size_t>(result.plan.processes);
}

// Returns the id of the first case that the process has not finished, for a message.
std::string next_case(int process, const BenchResult& result) {
  for (const std::string& id : result.plan.order) {
    const auto is_case = [&](const BenchRow& row) { return row.process == process && id_of(row.what) == id; };
    if (std::ranges::none_of(result.rows, is_case)) return id;
  }
  return "a measuring process";
}

constexpr int last_row_s = 20;  // for the row that a process measures when the budget ends

TimeLimit time_limit_of(const ProcessLimits& limits) {
  constexpr double unlimited_s = 1e8;
  return TimeLimit(limits.time_budget_s ? *limits.time_budget_s + last_row_s : unlimited_s);
}

// Process that measures, and prints each row as a line on its stdout. It shares this process's stderr.
class MeasuringProcess {
 public:
  // Starts the process, with `input` on its stdin. The first word is a program's file or its name in PATH.
  MeasuringProcess(const std::vector<std::string>& words, const std::string& input)
      : purpose_("cannot run " + words.front()),
        output_(make_pipe_for(purpose_)),
        child_(start(words, anonymous_file("input", input))) {
    output_.writer.close();
  }

  enum class NextLine { read, none_left, time_limit };

  // Waits for the next line and puts it into `line`. Discards an unfinished last line. Throws WorkStopped.
  NextLine next_line(std::string& line, TimeLimit& limit, const ProcessLimits& limits) {
    for (;;) {
      if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
        line = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        return NextLine::read;
      }
      if (TimeLimit second(1); !wait_to_read(output_.reader.number(), second, limits.stop)) {
        limits.on_wait();
        if (limit.next_slice_ms() == 0) return NextLine::time_limit;
        continue;
      }
      if (read_more(output_.reader.number(), unread_) <= 0) return NextLine::none_left;
    }
  }

  ExitStatus wait() { return child_.wait(); }

 private:
  // Starts the child in its own group: Ctrl-C reaches this process alone, which keeps what was measured and
  // then stops the child. The input is a file, not a pipe, so that the processes never wait for each other.
  Child start(const std::vector<std::string>& words, const Descriptor& input) const {
    if (!input.is_open()) throw_cannot_start(purpose_, "making its input");
    return Child({.error_prefix = purpose_,
                  .program = words,
                  .files = {input.number(), output_.writer.number(), STDERR_FILENO},
                  .has_all_files = true});
  }

  std::string purpose_;
  Pipe output_;
  Child child_;
  std::string unread_;
};

}  // namespace

void require_same_measurement(const BenchResult& planned, int process, bool resumes,
                              const BenchResult& known) {
  if (known.device.name != planned.device.name)
    throw UsageError(fmt::format(
        "what was measured before was measured on {}, and this is {}: measure again, without --resume",
        known.device.name, planned.device.name));
  if (const std::string& compiler = known.device.compiler_version;
      !compiler.empty() && compiler != planned.device.compiler_version)
    throw UsageError(fmt::format(
        "what was measured before was compiled by {}, and this would be by {}: measure again, without --resume",
        compiler, planned.device.compiler_version));
  for (const BenchRow& row : known.rows)
    if (row.process == process && !contains(planned.plan.order, id_of(row.what)))
      throw UsageError("what was measured before has " + id_of(row.what) +
                       ", which is not asked for now: repeat its command line, with --resume");
  refuse_other_kernels(planned.plan, known.plan, resumes);
}

int measure_in_process(const std::vector<std::string>& words, int process, const ProcessLimits& limits,
                       const std::function<void()>& on_row, BenchResult& result) {
  TimeLimit limit = time_limit_of(limits);
  for (;;) {
    MeasuringProcess measuring(words, result.rows.empty() ? "" : bench_json(done_in(process, result)));
    BenchResult printed;
    bool has_ended = false;
    const std::size_t rows_before = result.rows.size();
    std::string line;
    MeasuringProcess::NextLine next;
    while ((next = measuring.next_line(line, limit, limits)) == MeasuringProcess::NextLine::read) {
      has_ended = read_bench_line(line, "what a measuring process printed", printed) || has_ended;
      if (printed.rows.empty() && !has_ended) take_facts(printed, process, limits, result);
      std::ranges::move(printed.rows, std::back_inserter(result.rows));
      if (!printed.rows.empty()) on_row();
      printed.rows.clear();
    }
    if (next == MeasuringProcess::NextLine::time_limit) {
      result.stopped_by = fmt::format("{} still ran {} s after the time budget: does its kernel end?",
                                      next_case(process, result), last_row_s);
      return 0;
    }
    const int status = measuring.wait().code();
    if (!has_ended && status == 0)
      throw UsageError(words.front() + " has ended without a result; it is not a gpulab that can measure");
    if (!has_ended) return status;
    add_end(printed, result);
    const bool must_continue = printed.stopped_by == device_was_lost && result.rows.size() > rows_before;
    if (!must_continue) return 0;
    result.stopped_by.clear();
  }
}

}  // namespace gpulab::bench
