#pragma once

#include <memory>

#include "device/communicator.hpp"
#include "mpi/processes.hpp"

namespace gpulab::mpi {

// Moves data between the devices of processes, one device in each, through the host's memory: for devices
// that have no way of their own. Both have to live longer.
std::unique_ptr<device::Communicator> connect_by_host(Processes& processes, device::Device& device);

}  // namespace gpulab::mpi
