#include "run/ranks/ranked_execution.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"

namespace gpulab::run::ranks {
namespace {

// Ends a rank that waited when another one failed. Only the first error is reported.
struct OthersFailed {};

}  // namespace

void RankScheduler::run(int count, const std::function<void(int)>& work) {
  states_.assign(static_cast<std::size_t>(count), {});
  turn_ = 0;
  error_ = nullptr;
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      std::exception_ptr error;
      try {
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return turn_ == k || error_; });
          if (error_) throw OthersFailed();
        }
        work(k);
      } catch (const OthersFailed&) {
      } catch (...) {
        error = std::current_exception();
      }
      end(k, error);
    });
  for (std::thread& thread : threads) thread.join();
  if (error_) std::rethrow_exception(error_);
}

void RankScheduler::wait(int k, const std::string& where, const std::function<bool()>& is_over) {
  std::unique_lock lock(mutex_);
  RankState& state = states_[static_cast<std::size_t>(k)];
  state.where = where;
  state.is_over = is_over;
  if (!state.can_go_on()) {
    yield_turn(k);
    changed_.wait(lock, [&] { return turn_ == k || error_; });
  }
  state.is_over = nullptr;
  if (error_) throw OthersFailed();
}

void RankScheduler::end(int k, const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  states_[static_cast<std::size_t>(k)].has_ended = true;
  if (error && !error_) error_ = error;
  if (!error_) yield_turn(k);
  changed_.notify_all();
}

// Requires the mutex. Passes the turn to the next rank after k that can go on.
void RankScheduler::yield_turn(int k) {
  const int count = static_cast<int>(states_.size());
  for (int step = 1; step <= count; ++step) {
    const int next = (k + step) % count;
    if (!states_[static_cast<std::size_t>(next)].can_go_on()) continue;
    turn_ = next;
    changed_.notify_all();
    return;
  }
  if (std::ranges::all_of(states_, &RankState::has_ended)) return;
  error_ = std::make_exception_ptr(Error(ExitCode::device, who_waits_where()));
  changed_.notify_all();
}

std::string RankScheduler::who_waits_where() const {
  std::string text;
  for (std::size_t k = 0; k < states_.size(); ++k) {
    text += text.empty() ? "" : ", ";
    text += "rank " + std::to_string(first_rank_ + static_cast<int>(k)) +
            (states_[k].has_ended ? " has ended" : " waits in " + states_[k].where);
  }
  return "deadlock: the ranks wait for each other: " + text +
         "; all of them must make the same calls in the same order";
}

class LocalRank : public Rank {
 public:
  LocalRank(RankedExecution& all, int k) : all_(all), k_(k) {}

  int rank() const override { return all_.ranks_.first() + k_; }
  int ranks() const override { return all_.ranks_.count(); }

  void all_reduce(const ArrayHandle& handle, int stream) override {
    const SizedArray& array = arrays().array(handle.name);
    all_.rendezvous_.buffers.push_back(buffer(handle, 0, stream));
    all_.rendezvous(
        k_,
        fmt::format("the all-reduce of {} ({} {})", array.name, grouped(array.length), name_of(array.type)),
        {}, [&all = all_, type = array.type, length = array.length] {
          all.ranks_.communicator().all_reduce(std::exchange(all.rendezvous_.buffers, {}), type, length);
        });
  }

  void exchange(const std::vector<Message>& sent, const std::vector<Message>& received, int stream) override {
    std::string contribution;
    ElementType type = ElementType::float32;
    const auto add = [&](const std::vector<Message>& messages, device::RankMessage::Kind kind) {
      for (const Message& message : messages) {
        type = message.array.type;
        all_.rendezvous_.messages.push_back(
            {kind, buffer(message.array, message.first, stream), message.peer, message.count});
        contribution += fmt::format("{}{} {} {}\n", kind == device::RankMessage::Kind::send ? "s " : "r ",
                                    rank(), message.peer, message.count);
      }
    };
    add(sent, device::RankMessage::Kind::send);
    add(received, device::RankMessage::Kind::receive);
    all_.rendezvous(k_, "an exchange of messages", contribution, [&all = all_, type] {
      all.ranks_.communicator().exchange(std::exchange(all.rendezvous_.messages, {}), type);
    });
  }

  void all_reduce(std::span<int> values) override {
    all_.rendezvous_.values.push_back(values);
    all_.rendezvous(k_, "the all-reduce of " + grouped(values.size()) + " int on the host", {},
                    [&all = all_] {
                      const std::vector<std::span<int>> of_ranks = std::exchange(all.rendezvous_.values, {});
                      std::vector<int> sum(of_ranks.front().begin(), of_ranks.front().end());
                      for (std::size_t k = 1; k < of_ranks.size(); ++k)
                        std::ranges::transform(sum, of_ranks[k], sum.begin(), std::plus<>());
                      if (Processes* const processes = all.ranks_.processes())
                        processes->all_reduce(std::as_writable_bytes(std::span(sum)), ElementType::int32);
                      for (const std::span<int> of_rank : of_ranks) std::ranges::copy(sum, of_rank.begin());
                    });
  }

  std::vector<float> exchange(int peer, std::span<const float> sent) override {
    if (Processes* const processes = all_.ranks_.processes()) {
      std::vector<float> outgoing(sent.begin(), sent.end()), incoming(sent.size());
      const Processes::Message out{peer, std::as_writable_bytes(std::span(outgoing))},
          in{peer, std::as_writable_bytes(std::span(incoming))};
      processes->exchange({&out, 1}, {&in, 1});
      return incoming;
    }
    all_.pending_messages_[{rank(), peer}].emplace_back(sent.begin(), sent.end());
    auto& mail = all_.pending_messages_[{peer, rank()}];
    all_.scheduler_.wait(k_, "an exchange with rank " + std::to_string(peer) + " on the host",
                         [&mail] { return !mail.empty(); });
    std::vector<float> values = std::move(mail.front());
    mail.erase(mail.begin());
    return values;
  }

  void barrier() override {
    all_.rendezvous(k_, "a barrier", {}, [&all = all_] {
      if (all.ranks_.processes() && !all.checks_messages_) all.ranks_.processes()->barrier();
    });
  }

  void copy_to_rank(const Message& what, std::size_t first_there, int stream) override {
    const int peer = what.peer - all_.ranks_.first();
    const std::size_t element = size_of(what.array.type);
    all_.ranks_.device(k_).copy_to_peer(all_.ranks_.device(peer),
                                        address(peer, what.array.name) + first_there * element,
                                        arrays().address_of(what.array.name) + what.first * element,
                                        what.count * element, execution().stream(stream));
  }

  void wait_for_rank(int stream, int peer, int event) override {
    all_.ranks_.device(k_).wait(execution().stream(stream), all_.of(peer - all_.ranks_.first()).event(event));
  }

 private:
  VariantExecution& execution() { return all_.of(k_); }
  DeviceArrays& arrays() { return all_.problem_.part(k_).arrays; }
  device::DevicePointer address(int k, const std::string& array) {
    return all_.problem_.part(k).arrays.address_of(array);
  }
  device::RankBuffer buffer(const ArrayHandle& array, std::size_t first, int stream) {
    return {rank(), address(k_, array.name) + first * size_of(array.type), &execution().stream(stream)};
  }

  RankedExecution& all_;
  int k_;
};

RankedExecution::RankedExecution(Ranks& ranks, DividedProblem& problem, const Variant& variant,
                                 unsigned block_size, device::Instrumentation instrumentation)
    : ranks_(ranks),
      problem_(problem),
      scheduler_(ranks.first()),
      variants_(static_cast<std::size_t>(ranks.count_here()), variant) {
  for (int k = 0; k < ranks.count_here(); ++k) {
    LocalRank& local = *locals_.emplace_back(std::make_unique<LocalRank>(*this, k));
    Variant& own = variants_[static_cast<std::size_t>(k)];
    own.steps = [&local, steps = variant.on_each_rank](Execution& run) { steps(run, local); };
    executions_.push_back(
        std::make_unique<VariantExecution>(problem.part(k), own, block_size, instrumentation));
    of(k).set_address_on_rank([this](int rank, const std::string& array) {
      return problem_.part(rank - ranks_.first()).arrays.address_of(array);
    });
    barrier_events_.push_back(ranks.device(k).create_event());
  }
}

RankedExecution::~RankedExecution() = default;

VariantExecution& RankedExecution::of(int k) {
  return *executions_[static_cast<std::size_t>(k)];
}

void RankedExecution::run(const RankFunction& before, const RankFunction& after) {
  const std::uint64_t number = rendezvous_.number;
  rendezvous_ = {};
  rendezvous_.number = number;
  rendezvous_.where.resize(executions_.size());
  rendezvous_.contributions.resize(executions_.size());
  pending_messages_.clear();
  scheduler_.run(ranks_.count_here(), [&](int k) {
    if (before) before(k);
    if (graphs_.empty())
      of(k).run();
    else
      ranks_.device(k).launch(*graphs_[static_cast<std::size_t>(k)], ranks_.stream(k));
    if (after) after(k);
  });
}

// Runs the steps once before the capture: first-time work, such as loading a kernel, cannot be captured.
void RankedExecution::capture() {
  if (!variants_.front().in_graph || !ranks_.communicator().can_be_captured()) return;
  run();
  synchronize();
  std::vector<std::unique_ptr<device::Graph>> graphs(executions_.size());
  run(
      [&](int k) {
        of(k).reset();
        ranks_.device(k).begin_capture(ranks_.stream(k));
      },
      [&](int k) { graphs[static_cast<std::size_t>(k)] = ranks_.device(k).end_capture(ranks_.stream(k)); });
  graphs_ = std::move(graphs);
}

void RankedExecution::synchronize_streams(int k) {
  ranks_.device(k).record(*barrier_events_[static_cast<std::size_t>(k)], ranks_.stream(k));
  rendezvous(k, "the beginning of a run", {}, [this] {
    if (ranks_.processes()) synchronize_processes();
  });
  for (int other = 0; other < ranks_.count_here(); ++other)
    if (other != k)
      ranks_.device(k).wait(ranks_.stream(k), *barrier_events_[static_cast<std::size_t>(other)]);
}

// Lines up the processes by an all-reduce, which returns when all have come.
void RankedExecution::synchronize_processes() {
  if (!barrier_sum_.address()) barrier_sum_ = device::DeviceMemory(ranks_.device(0), sizeof(int));
  ranks_.device(0).set(barrier_sum_.address(), 0, sizeof(int), ranks_.stream(0));
  const device::RankBuffer buffer{ranks_.first(), barrier_sum_.address(), &ranks_.stream(0)};
  ranks_.communicator().all_reduce({&buffer, 1}, ElementType::int32, 1);
}

void RankedExecution::synchronize() {
  ranks_.synchronize();
}

void RankedExecution::rendezvous(int k, const std::string& where, const std::string& contribution,
                                 const std::function<void()>& complete) {
  rendezvous_.where[static_cast<std::size_t>(k)] = where;
  rendezvous_.contributions[static_cast<std::size_t>(k)] = contribution;
  if (++rendezvous_.arrived < ranks_.count_here()) {
    scheduler_.wait(k, where, [this, mine = rendezvous_.number] { return rendezvous_.number != mine; });
    return;
  }
  // Compares the ranks of this process. gather() compares the processes.
  if (const std::string sentence = ranks::who_waits_where(rendezvous_.where, 0); !sentence.empty())
    throw Error(ExitCode::device, sentence);
  std::string all;
  for (const std::string& text : rendezvous_.contributions) all += text;
  if (checks_messages_) compare_messages(ranks_.gather(all, where));
  rendezvous_.arrived = 0;
  ++rendezvous_.number;
  complete();
}

// Compares the lines "s FROM TO COUNT" with the lines "r TO FROM COUNT". Throws Error if one has no match.
void RankedExecution::compare_messages(const std::vector<std::string>& contributions) const {
  std::multiset<std::string> sent, received;
  for (const std::string& of_process : contributions)
    for (const std::string& line : lines_of(of_process)) {
      std::istringstream words(line);
      std::string kind, rank, peer, count;
      words >> kind >> rank >> peer >> count;
      const bool is_sent = kind == "s";
      auto& messages = is_sent ? sent : received;
      messages.insert(fmt::format("from rank {} to rank {}: {} elements", is_sent ? rank : peer,
                                  is_sent ? peer : rank, count));
    }
  const auto complain = [](const std::string& what, const std::string& message) {
    throw Error(ExitCode::device,
                fmt::format("{} {}; every send needs its receive, of as many elements", what, message));
  };
  const auto is_matched = [&](const std::string& m) { return sent.count(m) == received.count(m); };
  for (const std::string& message : sent)
    if (!is_matched(message)) complain("nobody receives what is sent", message);
  for (const std::string& message : received)
    if (!is_matched(message)) complain("nobody sends what is to be received", message);
}

RanksStopwatch::RanksStopwatch(const Ranks& ranks, RankedExecution& execution)
    : ranks_(ranks), execution_(execution) {
  for (int k = 0; k < ranks.count_here(); ++k) {
    starts_.push_back(ranks.device(k).create_event());
    stops_.push_back(ranks.device(k).create_event());
  }
  samples_of_ranks_.resize(starts_.size());
}

void RanksStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  std::vector<double> taken;
  for (std::size_t i = 0; i < count; ++i) taken.push_back(take_sample());
  std::ranges::copy(slowest_of_processes(taken), std::back_inserter(samples_s));
}

double RanksStopwatch::now_s() {
  const std::string now = std::to_string(steady_now_s());
  return std::stod(ranks_.gather(now, "taking the time").front());
}

double RanksStopwatch::median_of(int k) const {
  return median(samples_of_ranks_[static_cast<std::size_t>(k)]);
}

double RanksStopwatch::take_sample() {
  constexpr int evictions = 4;
  execution_.run(
      [&](int k) {
        execution_.of(k).prepare_run();
        for (int i = 0; i < evictions; ++i) ranks_.device(k).evict_caches(ranks_.stream(k));
        execution_.synchronize_streams(k);
        ranks_.device(k).record(*starts_[static_cast<std::size_t>(k)], ranks_.stream(k));
      },
      [&](int k) { ranks_.device(k).record(*stops_[static_cast<std::size_t>(k)], ranks_.stream(k)); });
  execution_.synchronize();
  double slowest = 0;
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    const double seconds = ranks_.device(static_cast<int>(k)).elapsed(*starts_[k], *stops_[k]);
    samples_of_ranks_[k].push_back(seconds);
    slowest = std::max(slowest, seconds);
  }
  return slowest;
}

std::vector<double> RanksStopwatch::slowest_of_processes(std::vector<double> samples) const {
  std::ostringstream mine;
  mine.precision(17);
  for (const double sample : samples) mine << sample << ' ';
  for (const std::string& of_process : ranks_.gather(mine.str(), "taking the time")) {
    std::istringstream words(of_process);
    for (double& sample : samples) {
      double other = 0;
      words >> other;
      sample = std::max(sample, other);
    }
  }
  return samples;
}

}  // namespace gpulab::run::ranks
