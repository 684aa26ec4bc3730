#include "simulator/stream.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

namespace gpulab::simulator {

void StreamClock::advance(std::size_t stream, std::uint32_t operations) {
  if (stream >= operations_.size()) operations_.resize(stream + 1);
  operations_[stream] = std::max(operations_[stream], operations);
}

void StreamClock::join(const StreamClock& other) {
  if (other.operations_.size() > operations_.size()) operations_.resize(other.operations_.size());
  for (std::size_t i = 0; i < other.operations_.size(); ++i)
    operations_[i] = std::max(operations_[i], other.operations_[i]);
}

// Reuses the number of a removed stream once the host has waited for all its operations. The new stream
// continues the numbering of operations.
std::size_t StreamOrder::add(const SimulatedStream& stream) {
  for (std::size_t number = host + 1; number < streams_.size(); ++number)
    if (!streams_[number] && host_.of(number) >= operations_[number]) {
      streams_[number] = &stream;
      return number;
    }
  streams_.push_back(&stream);
  operations_.push_back(0);
  return streams_.size() - 1;
}

void StreamOrder::remove(std::size_t stream) {
  streams_[stream] = nullptr;
}

StreamOp StreamOrder::next(std::size_t stream, StreamClock& clock) {
  clock.join(host_);
  clock.advance(stream, ++operations_[stream]);
  ++host_steps_;
  return {stream, operations_[stream], ++calls_, clock, issued_at_, captured_at_};
}

void StreamOrder::host_waits_for(const StreamClock& clock) {
  host_sees(clock);
  ++host_waits_;
}

void StreamOrder::host_sees(const StreamClock& clock) {
  host_.join(clock);
  ++host_steps_;
}

void StreamOrder::host_waits_for_all() {
  for (std::size_t stream = host + 1; stream < operations_.size(); ++stream)
    host_.advance(stream, operations_[stream]);
  ++host_steps_;
  ++host_waits_;
}

StreamOp StreamOrder::next_host_op() {
  host_.advance(host, ++operations_[host]);
  return {host, operations_[host], ++calls_, host_};
}

bool StreamOrder::has_host_waited() const {
  for (std::size_t stream = host + 1; stream < operations_.size(); ++stream)
    if (host_.of(stream) < operations_[stream]) return false;
  return true;
}

bool StreamOrder::happens_before_all_later(const StreamOp& op) const {
  return host_.of(op.stream) >= op.number &&
         std::ranges::all_of(streams_, [&](const SimulatedStream* stream) {
           return !stream || !stream->first() || stream->first()->happens_after(op);
         });
}

bool StreamOrder::has_one_stream() const {
  return std::ranges::count_if(streams_, [](const SimulatedStream* stream) { return stream != nullptr; }) ==
         1;
}

std::shared_ptr<QueuedLaunch> queued_launch(const compile::SimulatedKernel& kernel,
                                            const LaunchConfig& config, void* const* arguments) {
  auto queued = std::make_shared<QueuedLaunch>();
  const std::size_t count = kernel.argument_sizes.size();
  const auto units_for = [](std::size_t bytes) {
    return (bytes + sizeof(ArgumentStorage) - 1) / sizeof(ArgumentStorage);
  };
  std::size_t units = 0;
  for (const std::size_t bytes : kernel.argument_sizes) units += units_for(bytes);
  queued->values.resize(units);
  ArgumentStorage* next = queued->values.data();
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(next, arguments[i], kernel.argument_sizes[i]);
    queued->arguments.push_back(next);
    next += units_for(kernel.argument_sizes[i]);
  }
  queued->name = kernel.name;
  queued->sizes = kernel.argument_sizes;
  queued->variables = kernel.variables;
  queued->launch = {kernel.call,      kernel.function, queued->arguments.data(), &queued->sizes, config,
                    kernel.warp_size, kernel.shared,   kernel.instrumentation};
  queued->launch.loop = kernel.loop;
  queued->bound = kernel.bound;
  queued->launch.bound = kernel.bound.get();
  queued->launch.compares_and_swaps = kernel.compares_and_swaps;
  queued->launch.shared.dynamic_bytes = config.dynamic_shared_bytes;
  return queued;
}

SimulatedStream::SimulatedStream(std::shared_ptr<StreamOrder> order)
    : order_(std::move(order)), number_(order_->add(*this)) {}

SimulatedStream::~SimulatedStream() {
  order_->remove(number_);
}

void SimulatedStream::put(Work work) {
  if (capture_) return capture_(std::move(work));
  enqueue(std::move(work), nullptr);
}

void SimulatedStream::enqueue(Work work, const Rendezvous* rendezvous, bool is_of_event) {
  StreamOp op = order_->next(number_, clock_);
  queue_.push_back({std::move(work), std::move(op), rendezvous, is_of_event});
}

bool SimulatedStream::has_work() const {
  return !std::ranges::all_of(queue_, &Queued::is_of_event);
}

void SimulatedStream::record(SimulatedEvent& event) {
  event.latest = std::make_shared<Occurrence>(Occurrence{.stream = self_});
  const auto happen = [occurrence = event.latest](const StreamOp&) {
    occurrence->has_happened = true;
    occurrence->happened_at = std::chrono::steady_clock::now();
  };
  enqueue(happen, nullptr, /*is_of_event=*/true);
  event.latest->clock = clock_;
}

void SimulatedStream::wait(const SimulatedEvent& event) {
  if (!event.latest) return;
  clock_.join(event.latest->clock);
  const auto run_up_to_event = [occurrence = event.latest](const StreamOp&) {
    if (const auto stream = occurrence->stream.lock()) stream->run_until(*occurrence);
  };
  enqueue(run_up_to_event, nullptr, /*is_of_event=*/true);
}

struct SimulatedStream::Rendezvous {
  std::vector<std::weak_ptr<SimulatedStream>> streams;
  std::vector<std::string> names;
  std::vector<StreamOp> ops;
  std::string collective;  // "the all-reduce"
  CommonWork work;
  bool is_over = false;

  // The first participant to arrive runs the other streams up to here.
  void happen() {
    if (is_over) return;
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (const auto stream = streams[i].lock(); !stream || !stream->run_until(*this))
        throw device::DeviceError(
            "cuStreamSynchronize", "CUDA_ERROR_LAUNCH_FAILED",
            fmt::format("{} never reaches {}, because earlier work in its stream has failed", names[i],
                        collective));
    is_over = true;
    work(ops);
  }
};

void SimulatedStream::enqueue_collective(std::span<const Participant> participants, std::string collective,
                                         CommonWork work) {
  const auto rendezvous = std::make_shared<Rendezvous>();
  rendezvous->collective = std::move(collective);
  rendezvous->work = std::move(work);
  std::vector<StreamClock> clocks;
  for (const Participant& participant : participants) clocks.push_back(participant.stream->clock_);
  for (const Participant& participant : participants) {
    for (const std::size_t other : participant.follows) participant.stream->clock_.join(clocks[other]);
    participant.stream->enqueue([rendezvous](const StreamOp&) { rendezvous->happen(); }, rendezvous.get());
    rendezvous->streams.push_back(participant.stream->self_);
    rendezvous->names.push_back(participant.name);
    rendezvous->ops.push_back(participant.stream->queue_.back().op);
  }
}

void SimulatedStream::drain() {
  order_->host_waits_for(clock_);
  while (!queue_.empty()) run_next();
}

void SimulatedStream::run() {
  while (!queue_.empty()) run_next();
}

bool SimulatedStream::run_one() {
  if (queue_.empty()) return false;
  run_next();
  return true;
}

void SimulatedStream::drain_until(const SimulatedEvent& event) {
  if (!event.latest) return;
  const auto stream = event.latest->stream.lock();
  if (!stream) return;
  stream->order_->host_waits_for(event.latest->clock);
  stream->run_until(*event.latest);
}

void SimulatedStream::run_until(const Occurrence& occurrence) {
  while (!occurrence.has_happened && !queue_.empty()) run_next();
}

// Returns false when the rendezvous is no longer in the queue.
bool SimulatedStream::run_until(const Rendezvous& rendezvous) {
  while (!queue_.empty() && queue_.front().rendezvous != &rendezvous) run_next();
  return !queue_.empty();
}

// Runs the first operation, which stays in the queue meanwhile, so that first() returns it.
void SimulatedStream::run_next() {
  Queued& next = queue_.front();
  const Work work = std::move(next.work);
  try {
    work(next.op);
  } catch (...) {
    queue_.clear();
    throw;
  }
  queue_.pop_front();
}

}  // namespace gpulab::simulator
