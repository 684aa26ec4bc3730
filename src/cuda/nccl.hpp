#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda/support.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// nccl.h's types and values, so that it is not needed to build. They have not changed since NCCL 2.0.
struct NcclUniqueId {
  char bytes[128];
};
using NcclComm = struct ncclComm*;
enum class NcclResult : int { success = 0, invalid_usage = 5, in_progress = 7 };
enum class NcclType : int { int32 = 2, uint32 = 3, float32 = 7, float64 = 8 };
constexpr int nccl_sum = 0;

// NCCL, opened at run time as the driver is. Each function throws DeviceError unless NCCL answers that all is
// well; what it says is NCCL's name of the error and its last words.
class Nccl {
 public:
  // Opens the first of these files. Throws std::runtime_error with the loader's words.
  explicit Nccl(const std::vector<std::string>& candidates);

  const std::string& version() const { return version_; }  // "2.28.9"
  const std::string& path() const { return library_.path(); }
  // Whether its work can be captured in graphs of several devices of one process.
  bool can_be_captured() const;

  NcclUniqueId unique_id() const;
  // Inside group(), on the thread's current CUDA device.
  void init_rank(NcclComm& comm, int ranks, const NcclUniqueId& id, int rank) const;
  void all_reduce(void* data, std::size_t count, NcclType type, NcclComm comm, void* stream) const;
  void send(const void* data, std::size_t count, NcclType type, int to, NcclComm comm, void* stream) const;
  void receive(void* data, std::size_t count, NcclType type, int from, NcclComm comm, void* stream) const;
  // Calls of one thread for several devices: none of them waits for the next one.
  // Errors that show at the end are those of `call`.
  void group(const std::string& call, const std::function<void()>& calls) const;

  // What has gone wrong in the background since; empty while nothing has.
  std::string background_error(NcclComm comm) const;
  // Both free the communicator. The second one does not wait for other ranks, and ends what still runs.
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

// Where libnccl is looked for, in order: $NCCL_HOME and $NCCL_ROOT, because somebody set them on purpose, the
// loader's own path, the CUDA Toolkit, and the Python packages of an active environment.
std::vector<std::string> nccl_candidates();

// What NCCL prints with NCCL_DEBUG goes to stdout, among the results, unless NCCL_DEBUG_FILE names a file.
// This names one that leads to stderr, unless somebody has named another than stdout. To be called before
// NCCL is opened.
void keep_nccl_off_stdout();

// The NCCL of this machine, opened at the first call. Throws DeviceError when there is none.
const Nccl& nccl();
device::LibraryStatus nccl_status();

}  // namespace gpulab::cuda
