#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "device/device.hpp"
#include "lesson/launch.hpp"
#include "lesson/result.hpp"

namespace gpulab::run::ranks {

// What links are measured with, unless somebody asks for another size.
constexpr std::size_t link_bytes = std::size_t{256} << 20;

// Bytes per second of copies from one device's memory to another's, one way. Lets them reach each other where
// they can. The median of several, by events. Throws DeviceError.
double peer_bytes_per_s(device::Device& from, device::Device& to, std::size_t bytes = link_bytes);

// The sum of both directions, while both copy.
double peer_bytes_per_s_both_ways(device::Device& from, device::Device& to, std::size_t bytes = link_bytes);

// Seconds of a copy of 1 KiB that waits for the one before it in its stream.
double peer_latency_s(device::Device& from, device::Device& to);

// Of 1 KiB, and of 1 MiB to 1 GiB, over devices that the communicator connects, each a rank.
AllReduceTimes all_reduce_times(std::span<device::Device* const> devices, device::Communicator& communicator);

// Each GPU of this machine with each other one; empty where there are fewer than two.
std::vector<DeviceLink> all_links();

// The same, measured, and all of them together. What cannot be measured, because a GPU is in exclusive use or
// its memory is taken, has no figures.
struct MeasuredLinks {
  std::vector<DeviceLink> links;
  AllReduceTimes all_reduce;
};
MeasuredLinks measured_links();

// How each GPU reaches each other one: a sentence where it is the same for all, else a matrix, and one for
// each figure that was measured. Empty without links.
std::string links_text(const std::vector<DeviceLink>& links, const AllReduceTimes& all_reduce,
                       const TextStyle& style);

}  // namespace gpulab::run::ranks
