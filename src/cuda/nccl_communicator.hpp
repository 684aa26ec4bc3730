#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cuda/nccl.hpp"
#include "cuda/stream.hpp"
#include "device/communicator.hpp"

namespace gpulab::cuda {

// Some of the ranks that NCCL connects: those of this process, which are neighbours. Before it goes, its work
// must have been waited for, and graphs that have captured some must have gone.
class NcclCommunicator : public device::Communicator {
 public:
  // Waits for all other ranks, as long as device::time_limit() says. A rank without a context is on the
  // current device of each thread. Throws DeviceError.
  NcclCommunicator(const Nccl& nccl, std::vector<std::shared_ptr<const CudaContext>> contexts, int first_rank,
                   int ranks, const NcclUniqueId& id);
  ~NcclCommunicator() override;
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  std::string name() const override { return "NCCL " + nccl_.version(); }
  void all_reduce(std::span<const device::RankBuffer> buffers, ElementType type, std::size_t count) override;
  void exchange(std::span<const device::RankMessage> messages, ElementType type) override;
  bool can_be_captured() const override { return nccl_.can_be_captured(); }
  void synchronize(std::span<const device::RankBuffer> streams) override;

 private:
  const CudaContext& context_of_rank(int rank) const;
  NcclComm comm_of_rank(int rank) const;
  void enqueue(const std::string& kind, const std::function<void()>& calls);
  std::vector<int> waiting(std::span<const device::RankBuffer> streams) const;
  bool end_soon(std::span<const device::RankBuffer> streams) const;
  [[noreturn]] void give_up(std::span<const device::RankBuffer> streams, const std::string& why);
  std::vector<int> all_here() const;
  std::string these_ranks(const std::vector<int>& ranks) const;

  const Nccl& nccl_;
  std::vector<std::shared_ptr<const CudaContext>> contexts_;
  int first_rank_, ranks_;
  std::vector<NcclComm> comms_;     // of the ranks of this process; none after an error
  std::set<std::string> seen_;      // kinds of calls for which NCCL has its connections
  std::string last_call_ = "NCCL";  // what the streams may wait in
  int exceptions_;                  // that were under way when this was made
};

// Device::connect of GPUs. None where there are ranks in other processes, and that of rank 0 has no NCCL.
// Throws DeviceError: no NCCL, two ranks on one GPU, other ranks that do not come within
// device::time_limit().
std::unique_ptr<device::Communicator> connect_by_nccl(const device::Membership& membership);

}  // namespace gpulab::cuda
