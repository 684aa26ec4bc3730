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

// By stream, how many of its pieces of work happen before something: a vector clock.
class WorkClock {
 public:
  std::uint32_t of(std::size_t stream) const { return stream < pieces_.size() ? pieces_[stream] : 0; }
  void advance(std::size_t stream, std::uint32_t pieces);
  void join(const WorkClock& other);

 private:
  std::vector<std::uint32_t> pieces_;
};

// What was put into a stream with one call, and what happens before it: by the order of its stream, by
// events, and because the host has waited.
struct Piece {
  std::size_t stream = 0;    // its number in the WorkOrder
  std::uint32_t number = 0;  // in its stream, from 1 on
  std::uint64_t asked_as =
      0;             // among the pieces of all streams, in the order in which the host asked for them
  WorkClock before;  // itself included
  std::uintptr_t asked_at =
      0;  // where the program goes on after the call that asked for it; 0 where nobody said

  bool is_after(const Piece& other) const { return before.of(other.stream) >= other.number; }
};

// What happens before what, for the streams of all devices of this process. It says nothing of when the
// simulator runs a piece of work.
class WorkOrder {
 public:
  // The stream's number, which it has until it goes.
  std::size_t add(const SimulatedStream& stream);
  void remove(std::size_t stream);

  // The stream's next piece, which comes after what its clock has and what the host has waited for.
  Piece next(std::size_t stream, WorkClock& clock);
  void host_waits_for(const WorkClock& clock);
  void host_waits_for_all();
  // Where the program asks for the pieces that come next.
  void set_asked_at(std::uintptr_t code) { asked_at_ = code; }

  // What the host itself does from now on, until it asks for work or waits: it comes after all that the host
  // has waited for, and before what it will ask for.
  Piece next_of_host();
  // How often that has ended.
  std::uint64_t host_steps() const { return host_steps_; }
  // Whether the host has waited for all that it has asked for.
  bool has_host_waited() const;

  // Whether all work that has not been done yet comes after that piece: what waits in queues, and what the
  // host has not asked for yet.
  bool is_before_all_to_come(const Piece& piece) const;

 private:
  static constexpr std::size_t host = 0;

  std::vector<const SimulatedStream*> streams_{nullptr};  // null where one has gone, and for the host
  std::vector<std::uint32_t> pieces_{0};                  // by stream, so far
  std::uint64_t asked_ = 0, host_steps_ = 0;
  std::uintptr_t asked_at_ = 0;
  WorkClock host_;
};

// A piece of the copy of an argument: each argument starts one, so that it is aligned as any type may need
// it.
struct alignas(64) ArgumentWords {
  std::array<std::byte, 64> bytes;
};

// What a launch needs after the call that asked for it has returned: its own copy of the arguments.
struct QueuedLaunch {
  std::string name;                         // of the kernel
  std::shared_ptr<const int> announcement;  // held while it waits, if it is checked
  schedule::SimulatedLaunch launch;
  std::vector<schedule::ModuleVariable> variables;  // of its module
  std::vector<ArgumentWords> values;
  std::vector<std::size_t> sizes;
  std::vector<void*> arguments;
};

std::shared_ptr<QueuedLaunch> queued_launch(const compile::SimulatedKernel& kernel,
                                            const LaunchConfig& config, void* const* arguments);

class SimulatedStream;

// One recording of an event: a place in a stream's queue that has been passed or not.
struct Occurrence {
  std::weak_ptr<SimulatedStream> stream;
  WorkClock before;
  bool has_happened = false;
  std::chrono::steady_clock::time_point at{};
};

class SimulatedEvent : public device::Event {
 public:
  std::shared_ptr<Occurrence> latest;  // none until it is recorded
};

// A queue of work that runs when somebody synchronises, in the order it was put in. So the host sees stale
// data where it forgot to synchronise, as it would with a GPU.
class SimulatedStream : public device::Stream {
 public:
  using Work = std::function<void(const Piece& piece)>;

  explicit SimulatedStream(std::shared_ptr<WorkOrder> order);
  ~SimulatedStream() override;

  void put(Work work);
  void record(SimulatedEvent& event);
  // Work that is put in after this waits for the event's latest recording, if there is one.
  void wait(const SimulatedEvent& event);

  // What several streams come to together, such as a reduction over all ranks: it happens once, when each of
  // them has come to it. One that hears another comes after what that one had to do before.
  struct Party {
    SimulatedStream* stream = nullptr;
    std::string name = {};
    std::vector<std::size_t> hears = {};  // places in the list of parties
  };
  using CommonWork = std::function<void(std::span<const Piece> pieces)>;  // one for each party
  static void put_together(std::span<const Party> parties, std::string what, CommonWork work);

  // Runs all work. What a piece of work throws passes through; the rest of the queue is dropped.
  void drain();

  // Runs it without the host's having waited for it.
  void run();
  // Runs the next piece; false where there is none.
  bool run_one();
  // Runs what is before the event's latest recording in this stream, and the host has waited for that.
  static void drain_until(const SimulatedEvent& event);
  std::size_t size() const { return queue_.size(); }

  // That has not been done yet, or is being done; null if there is none.
  const Piece* first() const { return queue_.empty() ? nullptr : &queue_.front().piece; }

 private:
  struct Meeting;
  struct Queued {
    Work work;
    Piece piece;
    const Meeting* meeting = nullptr;
  };

  void put(Work work, const Meeting* meeting);
  void run_until(const Occurrence& occurrence);
  bool run_until(const Meeting& meeting);
  void run_next();

  std::shared_ptr<WorkOrder> order_;
  std::size_t number_;
  WorkClock clock_;  // of what was put in last
  std::deque<Queued> queue_;
  // Owns nothing: events of this stream learn from it when the stream, and its work, are gone.
  std::shared_ptr<SimulatedStream> self_{this, [](SimulatedStream*) {}};
};

}  // namespace gpulab::simulator
