#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/instruments.hpp"
#include "simulator/memory.hpp"
#include "simulator/schedule/worker_pool.hpp"
#include "simulator/stream.hpp"
#include "simulator/watch/checked_launches.hpp"

namespace gpulab::simulator {

// The state that the simulated devices of one process share: the workers that run kernels, the recorders and
// checkers, and memory, so that an address is valid for all devices.
class Machine {
 public:
  Machine() : checked_(order_) {}

  // Adds a device without peer access, even if an earlier device with its index had some.
  void add_device(int index);
  int devices() const { return devices_; }
  unsigned workers() const { return workers_.workers(); }

  static constexpr int every_device = watch::OwnedMemory::every_device;
  device::DevicePointer allocate(std::size_t bytes, int device);
  void free(device::DevicePointer pointer) noexcept;
  // Returns the device that owns the memory; none if no device has allocated it.
  std::optional<int> owner_of(device::DevicePointer address) const { return memory_.owner_of(address); }
  // Lets `device` access the memory of `peer`.
  void enable_peer_access(int device, int peer) { peer_access_.insert({device, peer}); }
  void disable_peer_access(int device, int peer) { peer_access_.erase({device, peer}); }
  bool can_access(int device, int peer) const {
    return device == peer || peer == every_device || peer_access_.contains({device, peer});
  }

  // The following functions run stream operations.
  void run(QueuedLaunch& queued, const StreamOp& op);
  // Announces an operation before it runs: its name, and the memory that it will read and write.
  void begin_work(const StreamOp& op, const std::string& name, std::vector<watch::MemoryUse> uses);
  // Returns "GPU 1's copy to the host", or "the copy to the host" if there is one device.
  std::string name_of_work(int device, const std::string& what) const;
  void copy(device::DevicePointer to, const void* from, std::size_t bytes);
  void set(device::DevicePointer to, unsigned char value, std::size_t bytes);
  void add_traffic(const device::PeerTraffic& traffic) { watch::add_traffic(traffic_, traffic); }

  const std::shared_ptr<StreamOrder>& order() const { return order_; }
  watch::CheckedLaunches& checked() { return checked_; }

  // Settings for all launches from now on.
  device::ThreadOrder thread_order;
  bool in_order = false;
  std::uint64_t sampled_accesses = 0;                               // see Instruments::set_sampled_accesses
  std::size_t max_shared_bytes = schedule::simulated_shared_bytes;  // of a block
  bool records_footprints = false;                                  // of counted launches
  // The other blocks still run if a block has a failure that a GPU survives. `block_failure` keeps the
  // failure.
  bool continues_after_block_failure = false;
  std::optional<schedule::KernelFailure> block_failure;
  // Findings since the instruments were last read.
  std::set<std::string> notes;
  std::string output;
  AccessCounts access_counts;
  std::vector<schedule::ChildLaunch> children;  // of the last launch, by block
  std::uint64_t fiber_switches = 0;
  std::uint64_t steps = 0;  // work of checked launches
  std::vector<device::PeerTraffic> take_peer_traffic();
  const DeviceHeap& heap() const { return heap_; }
  void set_host(schedule::WorkerPool::Host host) { workers_.set_host(std::move(host)); }

  void clear_heap() { heap_.clear(); }

 private:
  void run_unchecked(QueuedLaunch& queued);
  void keep_or_throw(const schedule::KernelFailure& failure, const std::string& explanation);
  void take_children(schedule::WorkerPool::Outcome& outcome);
  void take_output(schedule::WorkerPool::Outcome& outcome);
  void run_checked(QueuedLaunch& queued, const StreamOp& op);
  schedule::WorkerPool::Outcome run_in_order_if_needed(QueuedLaunch& queued, const StreamOp& op);

  std::shared_ptr<StreamOrder> order_ = std::make_shared<StreamOrder>();
  schedule::WorkerPool workers_;
  SimulatedMemory memory_;
  DeviceHeap heap_;
  watch::CheckedLaunches checked_;
  int devices_ = 0;
  std::set<std::pair<int, int>> peer_access_;  // device, peer whose memory it may access
  std::vector<device::PeerTraffic> traffic_;
};

// Returns the machine of a simulated device.
std::shared_ptr<Machine> machine_of(const device::Device& device);

}  // namespace gpulab::simulator
