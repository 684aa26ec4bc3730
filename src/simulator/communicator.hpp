#pragma once

#include <memory>
#include <vector>

#include "device/communicator.hpp"

namespace gpulab::simulator {

// Ranks on simulated devices of one process; a rank is a place in the list. Sums are made in the order of the
// ranks, and so are the same on each of them. Bytes count as if data went around a ring. What does not fit
// together throws DeviceError at once: a buffer of a rank is missing, or a message has no other end.
//
// The devices, which open_simulators() has opened together, outlive it.
std::unique_ptr<device::Communicator> connect(std::vector<device::Device*> devices);

}  // namespace gpulab::simulator
