#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cuda/driver_api.hpp"
#include "cuda/support.hpp"
#include "device/device.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// Types and values from nccl.h, so that it is not needed to build. They have not changed since NCCL 2.0.
struct NcclUniqueId {
  char bytes[128];
};
using NcclComm = struct ncclComm*;
enum class NcclResult : int { success = 0, invalid_usage = 5, in_progress = 7 };
enum class NcclType : int { int32 = 2, uint32 = 3, float32 = 7, float64 = 8 };
constexpr int nccl_sum = 0;

// NCCL, opened at run time like the driver. Each function throws DeviceError unless NCCL returns success,
// with NCCL's name of the error and its last message.
class Nccl {
 public:
  // Opens the first of these files that loads. Throws std::runtime_error with the loader's message.
  explicit Nccl(const std::vector<std::string>& candidates);

  const std::string& version() const { return version_; }  // "2.28.9"
  const std::string& path() const { return library_.path(); }
  // Returns whether its work can be captured in graphs of several devices of one process.
  bool can_be_captured() const;

  NcclUniqueId unique_id() const;
  // Initialises a rank, inside group(), on the thread's current CUDA device.
  void init_rank(NcclComm& comm, int ranks, const NcclUniqueId& id, int rank) const;
  void all_reduce(void* data, std::size_t count, NcclType type, NcclComm comm, void* stream) const;
  void send(const void* data, std::size_t count, NcclType type, int to, NcclComm comm, void* stream) const;
  void receive(void* data, std::size_t count, NcclType type, int from, NcclComm comm, void* stream) const;
  // Groups calls of one thread for several devices, so that none of them waits for the next one. An error at
  // the end of the group is reported as one of `call`.
  void group(const std::string& call, const std::function<void()>& calls) const;

  // Returns an asynchronous error of the communicator; empty if there is none.
  std::string background_error(NcclComm comm) const;
  // Both free the communicator. abort() does not wait for other ranks, and ends running work.
  void destroy(NcclComm comm) const;
  void abort(NcclComm comm) const noexcept;

 private:
  void check(int result, const std::string& call) const;

  device::DynamicLibrary library_;
  std::string version_;
  int version_number_ = 0;
  int (*get_version_)(int*);
  const char* (*error_string_)(int);
  const char* (*last_error_)(NcclComm);
  int (*get_unique_id_)(NcclUniqueId*);
  int (*init_rank_)(NcclComm*, int, NcclUniqueId, int);  // by value, as nccl.h has it
  int (*group_start_)();
  int (*group_end_)();
  int (*all_reduce_)(const void*, void*, std::size_t, int, int, NcclComm, void*);
  int (*send_)(const void*, std::size_t, int, int, NcclComm, void*);
  int (*receive_)(void*, std::size_t, int, int, NcclComm, void*);
  int (*async_error_)(NcclComm, int*);
  int (*destroy_)(NcclComm);
  int (*abort_)(NcclComm);
};

// Returns where libnccl is looked for, in order: $NCCL_HOME and $NCCL_ROOT, which users set on purpose, the
// loader's own path, the CUDA Toolkit, and the Python packages of an active environment.
std::vector<std::string> nccl_candidates();

// Sets NCCL_DEBUG_FILE so that NCCL's debug output goes to stderr: by default it goes to stdout, among the
// results. A file other than stdout that the user has set stays. To be called before NCCL is opened.
void keep_nccl_off_stdout();

// Returns the NCCL of this machine, opened at the first call. Throws DeviceError if there is none.
const Nccl& nccl();
device::LibraryStatus nccl_status();

// NCCL's communicator for the ranks of this process, which have consecutive numbers. Before it is destroyed,
// wait for its work and destroy graphs that captured its work.
class NcclCommunicator : public device::Communicator {
 public:
  // Waits for all other ranks, up to device::time_limit(). A rank without a context is on the current device
  // of each thread. Throws DeviceError.
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
  std::vector<int> ranks_waiting_in(std::span<const device::RankBuffer> streams) const;
  bool streams_end_after_abort(std::span<const device::RankBuffer> streams) const;
  [[noreturn]] void give_up(std::span<const device::RankBuffer> streams, const std::string& why);
  std::vector<int> own_ranks() const;
  std::string ranks_text(const std::vector<int>& ranks) const;

  const Nccl& nccl_;
  std::vector<std::shared_ptr<const CudaContext>> contexts_;
  int first_rank_, ranks_;
  std::vector<NcclComm> comms_;      // one per rank of this process; none after an error
  std::set<std::string> connected_;  // kinds of calls that NCCL has connected ranks for
  std::string last_call_ = "NCCL";   // call that the streams may wait in
  int uncaught_exceptions_;          // in flight when this was made
};

// Implements Device::connect for GPUs. Returns null if there are several processes and rank 0's has no NCCL.
// Throws DeviceError if another process, or the only one, has no NCCL, if two ranks have the same GPU, and if
// ranks do not arrive within device::time_limit().
std::unique_ptr<device::Communicator> connect_by_nccl(const device::Membership& membership);

}  // namespace gpulab::cuda
