#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpulab {

// What there is to know about one device. 0 and an empty string mean that the device does not tell.
struct DeviceProperties {
  std::string kind;  // "cuda" or "simulator"
  int index = 0;
  std::string name;
  int compute_capability_major = 0, compute_capability_minor = 0;  // none for the simulator
  int multiprocessors = 0;
  unsigned max_threads_per_block = 0;
  unsigned max_threads_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;        // without asking, and of static shared memory
  std::size_t shared_bytes_per_block_optin = 0;  // static and dynamic together, for a kernel that asks
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t memory_bytes = 0;
  std::size_t free_memory_bytes = 0;
  std::size_t l2_bytes = 0;
  double clock_hz = 0;
  double memory_clock_hz = 0;
  int memory_bus_bits = 0;
  double peak_bytes_per_s = 0;       // theoretical: 2 * memory clock * bus width / 8
  double peak_operations_per_s = 0;  // theoretical, float32: 2 * clock * multiprocessors * lanes of each
  std::string driver_version, runtime_version, compiler_version;

  bool simulated() const { return kind == "simulator"; }
  std::string compute_capability() const;  // "9.0"
  std::string architecture() const;        // "sm_90"
};

// How one GPU of a machine reaches the memory of another one.
struct DeviceLink {
  int from = 0, to = 0;  // their indices
  bool reaches = false;  // peer access; without it copies go through the host's memory
  int nvlinks = 0;       // between the two, or from each to the switch between them; 0 for PCIe
  // Measured where that was asked for: large copies one way, and both ways at once (the sum), and a copy of
  // 1 KiB that waits for the one before it.
  std::optional<double> one_way_bytes_per_s, both_ways_bytes_per_s, latency_s;
};

// How long it takes all GPUs of a machine to add up 1 KiB, and more.
struct AllReduceTimes {
  std::string library;               // "NCCL 2.28.9"; without times, why there are none
  std::optional<double> called_s;    // from the host's call until all are done
  std::optional<double> in_graph_s;  // one behind another in a graph
  int devices = 0;
  struct Sized {
    double bytes = 0;  // of the buffer of each
    double called_s = 0;
  };
  std::vector<Sized> sizes = {};  // larger buffers
};

}  // namespace gpulab
