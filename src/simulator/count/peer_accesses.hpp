#pragma once

#include <cstddef>
#include <vector>

#include "device/instruments.hpp"
#include "simulator/count/access_recorder.hpp"

namespace gpulab::simulator::count {

// Memory of one of the devices that are simulated together.
struct OwnedMemory {
  AddressRange range;
  int device = 0;
  bool is_reachable = true;  // for the device in question: its own, or by peer access
};

// Adds to what has gone between these two devices before, or begins with it.
void add_traffic(std::vector<device::PeerTraffic>& all, const device::PeerTraffic& traffic);

// What the threads of one worker ask of the memory of other devices. Allocates nothing while a kernel runs.
class PeerAccesses {
 public:
  // All memory, of all devices, outlives the launch. It is empty where there is one device.
  void start_launch(const std::vector<OwnedMemory>& memory, int device);

  bool has_peers() const { return has_peers_; }
  void add(const MemoryAccess& access);
  // Of the launch.
  std::vector<device::PeerTraffic> take();

 private:
  const std::vector<OwnedMemory>* memory_ = nullptr;
  bool has_peers_ = false;
  int device_ = 0;
  std::size_t last_ = 0;  // that an access was to
  struct Bytes {
    std::size_t loaded = 0, stored = 0, updated = 0;
  };
  std::vector<Bytes> bytes_;  // by device
};

}  // namespace gpulab::simulator::count
