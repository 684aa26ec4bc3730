#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "simulator/compile/module.hpp"
#include "simulator/schedule/launch.hpp"

namespace gpulab::simulator {

class SimulatedStream;

// A vector clock over streams: for each stream, the number of its operations that happen before.
class StreamClock {
 public:
  std::uint32_t of(std::size_t stream) const { return stream < operations_.size() ? operations_[stream] : 0; }
  void advance(std::size_t stream, std::uint32_t operations);
  void join(const StreamClock& other);

 private:
  std::vector<std::uint32_t> operations_;
};

// A stream operation: a copy, a launch, an event and so on. Its vector clock has the operation itself
// and all that happen before it: by the order of its stream, by events, and because the host has waited.
struct StreamOp {
  std::size_t stream = 0;         // index in the StreamOrder
  std::uint32_t number = 0;       // in its stream, from 1
  std::uint64_t call_number = 0;  // position in the order of the host's calls, over all streams
  StreamClock clock;
  std::uintptr_t issued_at = 0;    // return address of the call that issued it; 0 if unknown
  std::uintptr_t captured_at = 0;  // of the call that captured it into a graph; 0 for none

  bool happens_after(const StreamOp& other) const { return clock.of(other.stream) >= other.number; }
};

// Happens-before between the operations of all streams of this process. It does not depend on when the
// simulator runs them.
class StreamOrder {
 public:
  // Adds a stream; returns its number, which is valid until remove().
  std::size_t add(const SimulatedStream& stream);
  void remove(std::size_t stream);

  // Returns the stream's next operation. It happens after the operations in the clock, and after all that the
  // host has waited for.
  StreamOp next(std::size_t stream, StreamClock& clock);
  void host_waits_for(const StreamClock& clock);
  // Orders the host's next steps after work whose flag the host has read.
  void host_sees(const StreamClock& clock);
  void host_waits_for_all();
  // Sets the return address of the host's call that issues the next operations.
  void set_issued_at(std::uintptr_t pc) { issued_at_ = pc; }
  // Sets the return address of the call that captured the next operations into a graph; 0 for none.
  void set_captured_at(std::uintptr_t pc) { captured_at_ = pc; }

  // Returns an operation for the host's own code from now until its next call: it happens after all that the
  // host has waited for, and before all that the host issues later.
  StreamOp next_host_op();
  // The number of such host operations that have ended.
  std::uint64_t host_steps() const { return host_steps_; }
  // The number of the host's waits for work.
  std::uint64_t host_waits() const { return host_waits_; }
  // Returns whether the host has waited for all operations that it has issued.
  bool has_host_waited() const;

  // Returns whether the operation happens before all later ones, both in queues and not yet issued by the
  // host.
  bool happens_before_all_later(const StreamOp& op) const;
  // Returns whether there is one stream, whose operations are all in order.
  bool has_one_stream() const;

 private:
  static constexpr std::size_t host = 0;  // the host's code counts as a stream of this number

  std::vector<const SimulatedStream*> streams_{nullptr};  // null for removed streams and the host
  std::vector<std::uint32_t> operations_{0};              // by stream, operations issued
  std::uint64_t calls_ = 0, host_steps_ = 0, host_waits_ = 0;
  std::uintptr_t issued_at_ = 0, captured_at_ = 0;
  StreamClock host_;
};

// Storage for the copy of an argument, aligned for any type. A larger argument takes several in a row.
struct alignas(64) ArgumentStorage {
  std::array<std::byte, 64> bytes;
};

// All that a launch needs after its call has returned, with its own copy of the arguments.
struct QueuedLaunch {
  std::string name;  // the kernel's name
  std::shared_ptr<const int>
      watch_token;  // held while a checked launch waits: other operations are recorded then
  schedule::SimulatedLaunch launch;
  std::vector<schedule::ModuleVariable> variables;  // the module's
  std::vector<ArgumentStorage> values;
  std::vector<std::size_t> sizes;                 // of the arguments, in bytes
  std::vector<void*> arguments;                   // pointers into `values`
  std::shared_ptr<compile::BoundFunction> bound;  // as in SimulatedKernel
};

std::shared_ptr<QueuedLaunch> queued_launch(const compile::SimulatedKernel& kernel,
                                            const LaunchConfig& config, void* const* arguments);

// One recording of an event: a position in a stream's queue.
struct Occurrence {
  std::weak_ptr<SimulatedStream> stream;
  StreamClock clock;
  bool has_happened = false;
  std::chrono::steady_clock::time_point happened_at{};
};

class SimulatedEvent : public device::Event {
 public:
  std::shared_ptr<Occurrence> latest;  // none until it is recorded
};

// A queue of operations that run, in order, when the host synchronises. So the host sees stale data if it
// forgets to synchronise, as it would with a GPU.
class SimulatedStream : public device::Stream {
 public:
  using Work = std::function<void(const StreamOp& op)>;

  explicit SimulatedStream(std::shared_ptr<StreamOrder> order);
  ~SimulatedStream() override;

  void put(Work work);
  // Passes all work from now on to the function instead of the queue; null ends that.
  void capture_into(std::function<void(Work)> capture) { capture_ = std::move(capture); }
  void record(SimulatedEvent& event);
  // Lets later operations of this stream wait for the event's latest recording, if there is one.
  void wait(const SimulatedEvent& event);

  // A stream that takes part in a collective, such as a reduction over all ranks. The collective runs once,
  // when all its streams have reached it. In each participant's vector clock it happens after the earlier
  // operations of the participants that this one follows.
  struct Participant {
    SimulatedStream* stream = nullptr;
    std::string name = {};
    std::vector<std::size_t> follows = {};  // indices in the list of participants
  };
  using CommonWork =
      std::function<void(std::span<const StreamOp> ops)>;  // one operation for each participant
  static void enqueue_collective(std::span<const Participant> participants, std::string collective,
                                 CommonWork work);

  // Runs all operations, because the host waits for them. An exception passes through, and the rest of the
  // queue is dropped.
  void drain();

  // Runs all operations, although the host does not wait for them.
  void run();
  // Runs the next operation; false when there is none.
  bool run_one();
  // Runs the operations up to the event's latest recording in its stream, because the host waits for it.
  static void drain_until(const SimulatedEvent& event);
  std::size_t size() const { return queue_.size(); }
  // Returns whether there is more to run than recordings of events and waits for them.
  bool has_work() const;

  // Returns the first operation that has not finished; null if there is none.
  const StreamOp* first() const { return queue_.empty() ? nullptr : &queue_.front().op; }

 private:
  struct Rendezvous;
  struct Queued {
    Work work;
    StreamOp op;
    const Rendezvous* rendezvous = nullptr;
    bool is_of_event = false;  // a recording or a wait
  };

  void enqueue(Work work, const Rendezvous* rendezvous, bool is_of_event = false);
  void run_until(const Occurrence& occurrence);
  bool run_until(const Rendezvous& rendezvous);
  void run_next();

  std::shared_ptr<StreamOrder> order_;
  std::size_t number_;
  StreamClock clock_;  // of the last operation
  std::deque<Queued> queue_;
  std::function<void(Work)> capture_;
  // Does not own the stream. The events' weak pointers to it expire with the stream.
  std::shared_ptr<SimulatedStream> self_{this, [](SimulatedStream*) {}};
};

}  // namespace gpulab::simulator
