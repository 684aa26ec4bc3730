#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "run/problems.hpp"
#include "run/ranks/processes.hpp"

namespace gpulab::run::ranks {

// This process's ranks, one device each, connected with each other and with the ranks of other processes.
class Ranks {
 public:
  // `count` is the number of all ranks: all in this process if `processes` is null, else one in each process.
  // The device is that of this process's first rank. Throws UsageError, DeviceError.
  Ranks(device::Device& first, int count, Processes* processes);

  int count() const { return count_; }  // in all processes
  int first() const { return first_; }  // first rank of this process
  int count_here() const { return static_cast<int>(devices_.size()); }
  bool is_one_process() const { return count_here() == count_; }
  Processes* processes() const { return processes_; }

  // Returns the device of this process's k-th rank.
  device::Device& device(int k) const { return *devices_[static_cast<std::size_t>(k)]; }
  device::Stream& stream(int k) const { return *streams_[static_cast<std::size_t>(k)]; }

  // Throws LibraryRefusal if nothing connects the devices.
  device::Communicator& communicator() const;

  // Returns "connected by NCCL 2.28.9, over 18 NVLinks".
  std::string connection() const;

  // Waits for the streams of this process. Throws DeviceError, also if another process does not come.
  void synchronize() const;

  // Enables peer access between all ranks; returns whether all can reach each other's memory.
  bool enable_peer_access();

  // Gathers a text of each process, in every process, by rank. `where` names this operation in messages.
  std::vector<std::string> gather(const std::string& mine, const std::string& where) const;

 private:
  void connect(device::Device& first);

  Processes* processes_;
  int count_, first_ = 0;
  std::vector<std::unique_ptr<device::Device>> peers_;  // devices opened here: all but the first
  std::vector<device::Device*> devices_;
  std::vector<std::unique_ptr<device::Stream>> streams_;
  std::unique_ptr<device::Communicator> communicator_;  // none if nothing connects them
  bool is_through_host_ = false;
  std::string why_not_connected_ = "this device works alone";
  std::optional<bool> has_peer_access_;
};

// A problem divided among the ranks of this process.
class DividedProblem {
 public:
  // `whole`, on one device, must outlive this.
  DividedProblem(const Ranks& ranks, const RunContext& whole);

  const RunContext& whole() const { return whole_; }
  RunContext& part(int k) { return *parts_[static_cast<std::size_t>(k)]->context; }
  // Returns the part of this process's k-th rank.
  const PartOfProblem& held(int k) const { return parts_[static_cast<std::size_t>(k)]->held; }

 private:
  struct Part {
    Part(const PreparedProblem& whole, PartOfProblem part, device::Device& device, device::Stream& stream);
    PartOfProblem held;
    PreparedProblem prepared;
    Modules modules;
    DeviceArrays arrays;
    std::unique_ptr<RunContext> context;
  };

  const RunContext& whole_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace gpulab::run::ranks
