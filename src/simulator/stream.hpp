#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "simulator/compile/module.hpp"
#include "simulator/schedule/launch.hpp"

namespace gpulab::simulator {

// A piece of the copy of an argument: each argument starts one, so that it is aligned as any type may need
// it.
struct alignas(64) ArgumentWords {
  std::array<std::byte, 64> bytes;
};

// What a launch needs after the call that asked for it has returned: its own copy of the arguments.
struct QueuedLaunch {
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
  void put(std::function<void()> work) { queue_.push_back(std::move(work)); }
  void record(SimulatedEvent& event);
  // Work that is put in after this waits for the event's latest recording, if there is one.
  void wait(const SimulatedEvent& event);

  // Runs all work. What a piece of work throws passes through; the rest of the queue is dropped.
  void drain();

 private:
  void run_until(const Occurrence& occurrence);
  void run_next();

  std::deque<std::function<void()>> queue_;
  // Owns nothing: events of this stream learn from it when the stream, and its work, are gone.
  std::shared_ptr<SimulatedStream> self_{this, [](SimulatedStream*) {}};
};

}  // namespace gpulab::simulator
