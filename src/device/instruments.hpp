#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lesson/access_counts.hpp"
#include "lesson/finding.hpp"

// What a simulated device does besides running kernels: it watches them. Hardware has none of it.

namespace gpulab::device {

// An address in the device's memory. Host code must not follow it.
using DevicePointer = std::uintptr_t;

class Stream {
 public:
  virtual ~Stream() = default;
};

// What a kernel is compiled with. Everything but none is slow.
enum class Instrumentation {
  none,         // threads run one after another wherever the kernel allows it
  interrupted,  // threads are interrupted inside their memory accesses, so that races show
  counted,      // every memory access is counted, as the kernel's text has it
  checked,      // every memory access is watched, for defects
};

// In which order the simulator runs the blocks of a launch and the threads of a block. A right kernel cannot
// tell.
struct ThreadOrder {
  enum class Kind { forward, reverse, preempted };
  Kind kind = Kind::forward;
  std::uint32_t seed = 1;  // of preempted: where the threads of a hooked kernel are interrupted
};

// What went from one device's memory into another's, or straight to its multiprocessors.
struct PeerTraffic {
  int from = 0, to = 0;    // DeviceProperties::index
  std::size_t copied = 0;  // bytes, by copies and by what ranks do together
  // Bytes by kernels, where they are counted or checked: loaded by a kernel of `to`; stored and updated
  // atomically by one of `from`.
  std::size_t loaded = 0, stored = 0, updated = 0;

  std::size_t bytes() const { return copied + loaded + stored + updated; }
  friend bool operator==(const PeerTraffic&, const PeerTraffic&) = default;
};

// Devices that are simulated together share their instruments: each tells of all of them.
class Instruments {
 public:
  virtual ~Instruments() = default;

  // What the device noticed since the last call: mistakes that hardware does not report.
  virtual std::vector<std::string> take_notes() = 0;

  // What was wrong with the checked launches since the last call, also with those that failed; each kind in
  // each pair of lines once.
  virtual std::vector<Defect> take_defects() = 0;

  // What the kernels of checked launches printed since the last call, block after block, up to 1 MiB for each
  // launch.
  virtual std::string take_output() { return {}; }

  // The memory accesses of the counted launches since the last call.
  virtual AccessCounts take_access_counts() = 0;

  // Between the devices, since the last call, in the order of their indices. What moved nothing is left out.
  virtual std::vector<PeerTraffic> take_peer_traffic() { return {}; }

  // How often one thread of a block gave way to another, in the launches since the last call that were not
  // checked.
  virtual std::uint64_t take_fiber_switches() { return 0; }

  // Memory that holds a poison instead of data; what is copied there, set or written is data again. A kernel
  // that reads it has a defect.
  virtual void mark_uninitialised(DevicePointer from, std::size_t bytes, Stream& stream) = 0;

  // Memory at one of the two ends of an allocation, which kernels must leave alone.
  virtual void mark_guard(DevicePointer from, std::size_t bytes, Stream& stream) = 0;

  // Of all launches from now on.
  virtual void set_order(const ThreadOrder& order) = 0;

  // Of all launches from now on: one block after another, so that nothing that is counted depends on the
  // machine. Checked launches do so anyway.
  virtual void set_in_order(bool /*in_order*/) {}

  // How many accesses to memory a checked launch may do; 0 for any number. A launch that does more is
  // stopped, which is a defect of its kernel.
  virtual void set_max_accesses(std::size_t accesses) = 0;
};

}  // namespace gpulab::device
