#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lesson/access_counts.hpp"
#include "lesson/finding.hpp"

// Instruments with which a simulated device watches kernels. Hardware has none.

namespace gpulab::device {

// An address in the device's memory. Host code must not dereference it.
using DevicePointer = std::uintptr_t;

class Stream {
 public:
  virtual ~Stream() = default;
};

// Instrumentation that a kernel is compiled with. Everything but none is slow.
enum class Instrumentation {
  none,         // threads run one after another wherever the kernel allows it
  interrupted,  // threads are interrupted inside their memory accesses, so that races show
  counted,      // every memory access in the kernel's text is counted
  checked,      // every memory access is watched, for defects
};

// Order in which the simulator runs the blocks of a launch and the threads of a block. It makes no difference
// to a correct kernel.
struct ThreadOrder {
  enum class Kind { forward, reverse, preempted };
  Kind kind = Kind::forward;
  std::uint32_t seed = 1;  // for preempted: decides where an instrumented kernel's threads are interrupted
};

// Traffic from one device's memory into another's, or straight to its multiprocessors.
struct PeerTraffic {
  int from = 0, to = 0;    // DeviceProperties::index
  std::size_t copied = 0;  // bytes, by copies and collectives
  // Bytes by counted or checked kernels: loaded by a kernel of `to`; stored and updated atomically by a
  // kernel of `from`.
  std::size_t loaded = 0, stored = 0, updated = 0;

  std::size_t bytes() const { return copied + loaded + stored + updated; }
  friend bool operator==(const PeerTraffic&, const PeerTraffic&) = default;
};

// Work of checked launches. A step is an access or a switch between threads, so their number is the same on
// every machine; a loop that accesses no memory takes time, but no steps.
struct LaunchWork {
  std::uint64_t steps = 0;
  double cpu_s = 0;  // of the device's process
};

// Instruments that devices share if they are simulated together. They report on all of these devices.
class Instruments {
 public:
  virtual ~Instruments() = default;

  // Returns the mistakes made since the last call that hardware would not report.
  virtual std::vector<std::string> take_notes() = 0;

  // Returns the defects of the checked launches since the last call, also of those that failed; each kind in
  // each pair of lines once.
  virtual std::vector<Defect> take_defects() = 0;

  // Returns what kernels printed since the last call, block after block, up to 1 MiB for each launch.
  virtual std::string take_output() { return {}; }

  // Returns the memory accesses of the counted launches since the last call.
  virtual AccessCounts take_access_counts() = 0;

  // Returns the traffic between devices since the last call, ordered by index, without empty entries.
  virtual std::vector<PeerTraffic> take_peer_traffic() { return {}; }

  // Returns the number of fiber switches in the launches since the last call that were not checked.
  virtual std::uint64_t take_fiber_switches() { return 0; }

  // Marks memory as uninitialised, that is, poisoned until something is copied there, set or written. A
  // kernel that reads it has a defect.
  virtual void mark_uninitialised(DevicePointer from, std::size_t bytes, Stream& stream) = 0;

  // Marks memory at an end of an allocation as a guard, which kernels must not access.
  virtual void mark_guard(DevicePointer from, std::size_t bytes, Stream& stream) = 0;

  // Begins a run: all launches from now on have this order, and the heap of kernels is empty.
  virtual void begin_run(const ThreadOrder& order) = 0;

  // Runs the blocks of all launches from now on one after another, so that no count depends on the machine.
  // Checked launches do so anyway.
  virtual void set_in_order(bool /*in_order*/) {}

  // Chooses the blocks that counted launches run. 0: all, on all workers. all_accesses: all, in two halves of
  // the grid, each in order on one worker, so that no count depends on how many workers there are. Any other
  // number: a sample, spread over the grid, of about that many accesses.
  static constexpr std::uint64_t all_accesses = ~std::uint64_t{0};
  virtual void set_sampled_accesses(std::uint64_t /*accesses*/) {}

  // Returns the work of the checked launches since the last call.
  virtual LaunchWork take_work() { return {}; }

  // Returns the line that last stored to the element in the last checked launch; 0 if none is known.
  virtual int line_of_store(DevicePointer /*element*/) { return 0; }

  // Limits the memory accesses of a checked launch; 0 means no limit. A launch that does more is stopped,
  // which is a defect of its kernel.
  virtual void set_max_accesses(std::size_t accesses) = 0;
};

}  // namespace gpulab::device
