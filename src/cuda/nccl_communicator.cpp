#include "cuda/nccl.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "device/host.hpp"

namespace gpulab::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// Runs `work` in a thread, since NCCL's calls that connect ranks wait for other ranks, some for ever. (NCCL
// can be told not to block, but then starts a thread for each group of calls, also for small all-reduces.)
// Returns false if `work` is not done in time: then NCCL cannot be relied on any more, but the driver can.
// Throws what `work` throws.
bool done_within(double seconds, std::function<void()> work) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> result = done->get_future();
  std::thread([work = std::move(work), done] {
    try {
      work();
      done->set_value();
    } catch (...) {
      done->set_exception(std::current_exception());
    }
  }).detach();
  if (result.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::timeout) {
    skip_cleanup_at_exit();
    return false;
  }
  result.get();
  return true;
}

constexpr double abort_limit_s = 5;  // for NCCL's kernels and threads to end after an abort

NcclType nccl_type(ElementType type) {
  switch (type) {
    case ElementType::int32:
      return NcclType::int32;
    case ElementType::uint32:
      return NcclType::uint32;
    case ElementType::float32:
      return NcclType::float32;
    case ElementType::float64:
      return NcclType::float64;
    default:
      throw std::logic_error("ranks do not exchange bytes");
  }
}

// Returns the stream's handle; no stream means the default stream.
CUstream handle_of(const device::RankBuffer& buffer) {
  return buffer.stream ? static_cast<CudaStream&>(*buffer.stream).handle() : nullptr;
}

void* data_of(const device::RankBuffer& buffer) {
  return reinterpret_cast<void*>(buffer.data);
}

device::DeviceError timeout_error(const std::string& call, const std::string& explanation) {
  return {call, "CUDA_ERROR_LAUNCH_TIMEOUT", explanation, {.kind = DefectKind::time_limit}};
}

std::string limit_text() {
  return device::seconds_text(device::time_limit());
}

constexpr const char* limit_hint = " (GPULAB_TIME_LIMIT sets another limit)";

std::string timeout_text() {
  return fmt::format(" still waited for the others after {}{}: not all ranks reached it, or one has ended",
                     limit_text(), limit_hint);
}

}  // namespace

NcclCommunicator::NcclCommunicator(const Nccl& nccl, std::vector<std::shared_ptr<const CudaContext>> contexts,
                                   int first_rank, int ranks, const NcclUniqueId& id)
    : nccl_(nccl),
      contexts_(std::move(contexts)),
      first_rank_(first_rank),
      ranks_(ranks),
      uncaught_exceptions_(std::uncaught_exceptions()) {
  // The vector outlives this object, in case the thread does.
  auto comms = std::make_shared<std::vector<NcclComm>>(contexts_.size());
  const auto connect = [&nccl, contexts = contexts_, first_rank, ranks, id, comms] {
    nccl.group("ncclCommInitRank", [&] {
      for (std::size_t i = 0; i < contexts.size(); ++i) {
        if (contexts[i]) contexts[i]->enter();
        nccl.init_rank((*comms)[i], ranks, id, first_rank + static_cast<int>(i));
      }
    });
  };
  if (!done_within(device::time_limit(), connect))
    throw timeout_error(
        "ncclCommInitRank",
        fmt::format(
            "{} still waited for the others after {}: one of them did not start, or cannot be reached{}",
            ranks_text(own_ranks()), limit_text(), limit_hint));
  comms_ = *comms;
}

NcclCommunicator::~NcclCommunicator() {
  if (comms_.empty() || driver_is_abandoned()) return;
  // After an error, other ranks may never reach the call in which this one waits.
  const bool failed = std::uncaught_exceptions() > uncaught_exceptions_;
  const auto free_communicators = [&nccl = nccl_, comms = comms_, failed] {
    const auto free_all = [&] {
      for (const NcclComm comm : comms) {
        if (failed)
          nccl.abort(comm);
        else
          nccl.destroy(comm);
      }
    };
    if (failed)
      free_all();
    else
      nccl.group("ncclCommDestroy", free_all);
  };
  try {
    done_within(failed ? abort_limit_s : device::time_limit(), free_communicators);
  } catch (const std::exception&) {
    // The communicator is not needed any more.
  }
}

std::vector<int> NcclCommunicator::own_ranks() const {
  std::vector<int> ranks(contexts_.size());
  std::iota(ranks.begin(), ranks.end(), first_rank_);
  return ranks;
}

std::string NcclCommunicator::ranks_text(const std::vector<int>& ranks) const {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const char* const separator = i + 1 == ranks.size() ? " and " : ", ";
    text += (i == 0 ? "" : separator) + std::to_string(ranks[i]);
  }
  return text + " of " + std::to_string(ranks_);
}

const CudaContext& NcclCommunicator::context_of_rank(int rank) const {
  return *contexts_.at(static_cast<std::size_t>(rank - first_rank_));
}

NcclComm NcclCommunicator::comm_of_rank(int rank) const {
  if (comms_.empty())
    throw device::DeviceError(last_call_, "ncclInvalidUsage", "NCCL was given up after an earlier error");
  return comms_.at(static_cast<std::size_t>(rank - first_rank_));
}

// Makes the calls. NCCL connects ranks at the first call of each kind (size or partner), and waits for them;
// a repeated call only enqueues work.
void NcclCommunicator::enqueue(const std::string& kind, const std::function<void()>& calls) {
  const auto group = [&nccl = nccl_, call = last_call_, calls] { nccl.group(call, calls); };
  const bool is_first = connected_.insert(kind).second;
  if (!is_first) return group();
  if (done_within(device::time_limit(), group)) return;
  comms_.clear();
  throw timeout_error(last_call_, ranks_text(own_ranks()) + timeout_text());
}

void NcclCommunicator::all_reduce(std::span<const device::RankBuffer> buffers, ElementType type,
                                  std::size_t count) {
  if (buffers.size() != contexts_.size())
    throw std::logic_error("an all-reduce needs a buffer of each rank of the process");
  last_call_ = "ncclAllReduce";
  struct Call {
    NcclComm comm;
    void *data, *stream;
  };
  std::vector<Call> calls;
  for (const device::RankBuffer& buffer : buffers)
    calls.push_back({comm_of_rank(buffer.rank), data_of(buffer), handle_of(buffer)});
  const NcclType element_type = nccl_type(type);
  enqueue(fmt::format("all-reduce of {} {}", count, static_cast<int>(element_type)),
          [&nccl = nccl_, calls, element_type, count] {
            for (const Call& call : calls)
              nccl.all_reduce(call.data, count, element_type, call.comm, call.stream);
          });
}

void NcclCommunicator::exchange(std::span<const device::RankMessage> messages, ElementType type) {
  last_call_ = "ncclSend and ncclRecv";
  struct Call {
    device::RankMessage message;
    NcclComm comm;
    void *data, *stream;
  };
  std::vector<Call> calls;
  std::string kind = "exchange";
  for (const device::RankMessage& message : messages) {
    calls.push_back(
        {message, comm_of_rank(message.here.rank), data_of(message.here), handle_of(message.here)});
    const bool sends = message.kind == device::RankMessage::Kind::send;
    kind += " " + std::to_string(message.here.rank) + (sends ? ">" : "<") + std::to_string(message.peer);
  }
  const NcclType element_type = nccl_type(type);
  enqueue(kind, [&nccl = nccl_, calls, element_type] {
    for (const auto& [message, comm, data, stream] : calls)
      if (message.kind == device::RankMessage::Kind::send)
        nccl.send(data, message.count, element_type, message.peer, comm, stream);
      else
        nccl.receive(data, message.count, element_type, message.peer, comm, stream);
  });
}

std::vector<int> NcclCommunicator::ranks_waiting_in(std::span<const device::RankBuffer> streams) const {
  std::vector<int> ranks;
  for (const device::RankBuffer& buffer : streams)
    if (context_of_rank(buffer.rank).enter().query_stream.attempt(handle_of(buffer)) == CUDA_ERROR_NOT_READY)
      ranks.push_back(buffer.rank);
  return ranks;
}

void NcclCommunicator::synchronize(std::span<const device::RankBuffer> streams) {
  constexpr std::chrono::milliseconds busy_wait(2);
  const Clock::time_point start = Clock::now();
  const std::chrono::duration<double> limit(device::time_limit());
  while (!ranks_waiting_in(streams).empty()) {
    const auto waited = Clock::now() - start;
    if (waited < busy_wait) continue;
    for (const NcclComm comm : comms_)
      if (const std::string error = nccl_.background_error(comm); !error.empty())
        give_up(streams, "NCCL has lost another rank (" + error + ")");
    if (waited >= limit) give_up(streams, "");
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  for (const device::RankBuffer& buffer : streams)
    context_of_rank(buffer.rank).enter().synchronize_stream(handle_of(buffer));
}

// Waits for the streams after an abort, and returns whether their work ends. NCCL's kernels notice the abort;
// a kernel of ours with an infinite loop does not. The communicator itself is freed when graphs with its work
// have been destroyed, which may be later.
bool NcclCommunicator::streams_end_after_abort(std::span<const device::RankBuffer> streams) const {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(static_cast<int>(abort_limit_s));
  while (!ranks_waiting_in(streams).empty()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

void NcclCommunicator::give_up(std::span<const device::RankBuffer> streams, const std::string& why) {
  const std::vector<int> stuck = ranks_waiting_in(streams);
  const std::string waiting_ranks = ranks_text(stuck.empty() ? own_ranks() : stuck);
  done_within(abort_limit_s, [&nccl = nccl_, comms = std::exchange(comms_, {})] {
    for (const NcclComm comm : comms) nccl.abort(comm);
  });
  const bool still_runs = !streams_end_after_abort(streams);
  if (still_runs) abandon_driver();
  if (!why.empty()) throw timeout_error(last_call_, waiting_ranks + " cannot go on: " + why);
  throw timeout_error(last_call_, waiting_ranks + timeout_text() +
                                      (still_runs ? ", or a kernel before it has an infinite loop" : ""));
}

namespace {

// Returns the contexts of the devices. Throws DeviceError if two ranks have the same GPU.
std::vector<std::shared_ptr<const CudaContext>> contexts_of(const device::Membership& membership) {
  std::vector<std::shared_ptr<const CudaContext>> contexts;
  for (const device::Device* device : membership.devices) {
    contexts.push_back(context_of(*device));
    const auto same =
        std::ranges::find(contexts, contexts.back()->device(), &CudaContext::device) - contexts.begin();
    const int rank = static_cast<int>(contexts.size()) - 1;
    if (same != rank)
      throw device::DeviceError(
          "ncclCommInitRank", "ncclInvalidUsage",
          fmt::format("ranks {} and {} were both given GPU {}, and NCCL wants one for each",
                      membership.first_rank + same, membership.first_rank + rank,
                      device->properties().index));
  }
  return contexts;
}

// Returns a new id in rank 0's process; "" in the others, and in all without NCCL, so that none waits.
std::string id_if_rank_0(const device::Membership& membership) {
  if (membership.first_rank != 0) return {};
  try {
    const NcclUniqueId id = nccl().unique_id();
    return {id.bytes, sizeof id.bytes};
  } catch (const device::DeviceError&) {
    if (membership.is_one_process()) throw;
    return {};
  }
}

}  // namespace

std::unique_ptr<device::Communicator> connect_by_nccl(const device::Membership& membership) {
  auto contexts = contexts_of(membership);
  std::string bytes = id_if_rank_0(membership);
  if (!membership.is_one_process()) bytes = membership.from_rank_0(bytes);
  if (bytes.empty()) return nullptr;
  NcclUniqueId id;
  if (bytes.size() != sizeof id.bytes) throw std::logic_error("this is not an id of NCCL's");
  std::memcpy(id.bytes, bytes.data(), sizeof id.bytes);
  return std::make_unique<NcclCommunicator>(nccl(), std::move(contexts), membership.first_rank,
                                            membership.ranks, id);
}

}  // namespace gpulab::cuda
