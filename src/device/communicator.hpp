#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/handles.hpp"
#include "device/device.hpp"

namespace gpulab::device {

// What one of this process's ranks brings to a collective: its buffer, and the stream in whose order it is
// used.
struct RankBuffer {
  int rank = 0;
  DevicePointer data = 0;
  Stream* stream = nullptr;
};

// One message, as one of its two ends has it.
struct RankMessage {
  enum class Kind { send, receive };
  Kind kind = Kind::send;
  RankBuffer here;
  int peer = 0;
  std::size_t count = 0;
};

// Moves data between the devices of several ranks: those of this process, and those of others that were
// started with it. All ranks call the same functions in the same order. Work goes into the streams and may
// not have happened yet when a call returns. Graphs that have captured some of its work must go
// before it.
class Communicator {
 public:
  virtual ~Communicator() = default;

  // "NCCL 2.28.9", "MPI, through the host", "simulated".
  virtual std::string name() const = 0;

  // Replaces each rank's buffer by the sum over all ranks: one buffer for each rank of this process.
  virtual void all_reduce(std::span<const RankBuffer> buffers, ElementType type, std::size_t count) = 0;

  // Sends and receives of the ranks of this process in one group: none of them waits for another one of the
  // group.
  virtual void exchange(std::span<const RankMessage> messages, ElementType type) = 0;

  // Whether work of this kind can be captured in a graph (Device::capture).
  virtual bool can_be_captured() const { return false; }

  // Waits for the streams of this process's ranks. Throws DeviceError, after the time limit at the latest,
  // when another rank does not come or has gone; the communicator is of no use then.
  virtual void synchronize(std::span<const RankBuffer> streams) = 0;
};

}  // namespace gpulab::device
