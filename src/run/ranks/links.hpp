#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "device/device.hpp"
#include "lesson/launch.hpp"
#include "lesson/result.hpp"

namespace gpulab::run::ranks {

// Default size for measuring links.
constexpr std::size_t link_bytes = std::size_t{256} << 20;

// Returns bytes per second of one-way copies between two devices' memories, with peer access if possible:
// the median of several, timed by events. Throws DeviceError.
double peer_bytes_per_s(device::Device& from, device::Device& to, std::size_t bytes = link_bytes);

// Returns the sum of both directions, while both copy.
double peer_bytes_per_s_both_ways(device::Device& from, device::Device& to, std::size_t bytes = link_bytes);

// Returns seconds of a copy of 1 KiB that waits for the one before it in its stream.
double peer_latency_s(device::Device& from, device::Device& to);

// Returns each pair of GPUs of this machine; empty with fewer than two.
std::vector<DeviceLink> all_links();

// The links of all_links() with measurements, and an all-reduce over all GPUs. A link that cannot be
// measured, because a GPU is in exclusive use or has no free memory, has no figures.
struct MeasuredLinks {
  std::vector<DeviceLink> links;
  AllReduceTimes all_reduce;
};
MeasuredLinks measured_links();

// Formats the links between GPUs: a sentence if all are alike, else a matrix; then a matrix for each
// measured figure. Empty without links.
std::string links_text(const std::vector<DeviceLink>& links, const AllReduceTimes& all_reduce,
                       const TextStyle& style);

}  // namespace gpulab::run::ranks
