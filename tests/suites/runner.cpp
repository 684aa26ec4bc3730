#include "suites/runner.hpp"

#include <sys/mman.h>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "suites/trial.hpp"

namespace gpulab::suites {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Observation without_verdict(std::string why, std::string detail) {
  Observation seen;
  seen.not_run = std::move(why);
  seen.detail = std::move(detail);
  return seen;
}

Observation observe(const Case& test_case, const device::ThreadOrder& order) {
  try {
    const ChildEnd end =
        ChildWork([&] { return json_of(try_once(test_case, order)); }).wait(test_case.time_limit_s);
    switch (end.kind) {
      case ChildEnd::Kind::finished:
        return observation_of(end.output);
      case ChildEnd::Kind::time_limit:
        return without_verdict(
            "time limit", "nothing after " + std::to_string(static_cast<int>(test_case.time_limit_s)) + " s");
      default:
        return without_verdict("crash", "signal " + std::to_string(end.signal));
    }
  } catch (const std::exception& error) {
    return without_verdict("error", error.what());
  }
}

// Runs the case in each order, until one shows that it cannot be run; returns the observations as JSON.
std::string observations_of(const Case& test_case) {
  nlohmann::json all = nlohmann::json::array();
  for (const device::ThreadOrder& order : test_case.orders) {
    const Clock::time_point start = Clock::now();
    Observation seen = observe(test_case, order);
    seen.order = name_of(order.kind);
    seen.seconds = seconds_since(start);
    all.push_back(json_of(seen));
    if (!seen.not_run.empty()) break;
  }
  return all.dump();
}

// Index of the next case, in memory that the worker processes share.
class NextCase {
 public:
  NextCase()
      : next_(new (::mmap(nullptr, sizeof(std::atomic<std::size_t>), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<std::size_t>(0)) {}
  ~NextCase() { ::munmap(next_, sizeof *next_); }
  NextCase(const NextCase&) = delete;
  NextCase& operator=(const NextCase&) = delete;
  std::size_t take() { return next_->fetch_add(1); }

 private:
  std::atomic<std::size_t>* next_;
};

// Each worker is a process that takes one case after another; a thread must not fork.
std::string work(const Manifest& manifest, NextCase& next) {
  nlohmann::json done = nlohmann::json::array();
  for (std::size_t i; (i = next.take()) < manifest.cases.size();)
    done.push_back({i, observations_of(manifest.cases[i])});
  return done.dump();
}

std::vector<Observation> read_observations(const std::string& text) {
  std::vector<Observation> observations;
  for (const nlohmann::json& each : nlohmann::json::parse(text)) observations.push_back(observation_of(each));
  return observations;
}

}  // namespace

std::vector<Judged> run_cases(const Manifest& manifest, unsigned jobs) {
  NextCase next;
  std::vector<std::unique_ptr<ChildWork>> workers;
  for (unsigned i = 0; i < jobs; ++i)
    workers.push_back(std::make_unique<ChildWork>([&] { return work(manifest, next); }));
  std::vector<Judged> judged(manifest.cases.size());
  constexpr double a_day_s = 86400;
  for (const auto& worker : workers)
    for (const nlohmann::json& each : nlohmann::json::parse(worker->wait(a_day_s).output)) {
      const auto i = each.at(0).get<std::size_t>();
      judged.at(i) = judge(manifest, manifest.cases[i], read_observations(each.at(1)));
    }
  return judged;
}

}  // namespace gpulab::suites
