#include "grade/submissions.hpp"

#include <poll.h>
#include <string.h>
#include <algorithm>
#include <memory>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "learn/check_exercise.hpp"
#include "learn/files.hpp"
#include "learn/hints.hpp"

namespace gpulab::grade {
namespace {

struct Running {
  Submission* submission;
  sandbox::TimeLimit limit;
  std::unique_ptr<learn::ChildProcess> process;
};

std::string check_packed(const Submission& submission, const CheckRequest& request) {
  const Exercise exercise = learn::find_exercise(submission.row.exercise).exercise;
  CheckResult result =
      learn::check_exercise(exercise, device::KernelSource{submission.row.file, submission.text},
                            {.with_gpu = false, .sandbox = request.sandbox, .trial = {.seed = request.seed}});
  if (result.hint.empty()) result.hint = learn::pattern_hint(result.pattern);
  return learn::packed(result);
}

void fill_in(const CheckResult& result, GradeRow& row) {
  row.verdict = result.verdict;
  row.pattern = result.pattern;
  row.line = result.line;
  row.seconds = result.seconds;
  row.summary = printable(result.summary);
}

std::string how_it_ended(const learn::ChildEnd& end, double time_limit_s) {
  if (end.kind == learn::ChildEnd::Kind::time_limit)
    return "the check was stopped after " + with_decimals(time_limit_s, 0) + " s";
  return "the process that checked it ended by itself" +
         (end.signal ? std::string(": ") + ::strsignal(end.signal) : std::string());
}

class Pool {
 public:
  Pool(const CheckRequest& request, const std::function<void(Submission&, const CheckResult*)>& done)
      : request_(request), done_(done) {}

  bool is_full() const { return running_.size() >= std::max(request_.jobs, 1U); }
  bool is_empty() const { return running_.empty(); }

  void start(Submission& submission) {
    running_.push_back({&submission, sandbox::TimeLimit(request_.time_limit_s),
                        std::make_unique<learn::ChildProcess>(
                            [this, &submission] { return check_packed(submission, request_); })});
  }

  // Until at least one has ended, or a second is over.
  void wait() {
    std::vector<pollfd> sources;
    for (const Running& one : running_)
      sources.push_back({.fd = one.process->descriptor(), .events = POLLIN, .revents = 0});
    ::poll(sources.data(), sources.size(), 1000);
    for (std::size_t i = sources.size(); i-- > 0;)
      if (sources[i].revents != 0 || running_[i].limit.next_slice_ms() == 0) end(i, sources[i].revents != 0);
  }

 private:
  // What has begun to answer has no more to do than that.
  void end(std::size_t place, bool answers) {
    constexpr double to_answer_s = 20;
    const Running one = std::move(running_[place]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
    GradeRow& row = one.submission->row;
    std::optional<CheckResult> result;
    try {
      const learn::ChildEnd end = one.process->wait(answers ? to_answer_s : 0);
      const bool has_answered = end.kind == learn::ChildEnd::Kind::finished && !end.output.empty();
      if (has_answered)
        result = learn::unpacked(end.output);
      else
        row.summary = how_it_ended(end, request_.time_limit_s);
    } catch (const std::runtime_error& error) {
      row.summary = printable(error.what());
    }
    row.handed = result ? Handed::checked : Handed::not_checked;
    if (result) fill_in(*result, row);
    done_(*one.submission, result ? &*result : nullptr);
  }

  const CheckRequest& request_;
  const std::function<void(Submission&, const CheckResult*)>& done_;
  std::vector<Running> running_;
};

}  // namespace

void check_submissions(const std::vector<Submission*>& submissions, const CheckRequest& request,
                       const std::function<void(Submission&, const CheckResult*)>& done) {
  sandbox::check_support(request.sandbox);
  Pool pool(request, done);
  for (auto next = submissions.begin(); next != submissions.end() || !pool.is_empty();) {
    while (next != submissions.end() && !pool.is_full()) pool.start(**next++);
    pool.wait();
  }
}

}  // namespace gpulab::grade
