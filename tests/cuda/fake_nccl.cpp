#include <unistd.h>
#include <cstdlib>
#include <string>

// A libnccl that moves nothing: it records the calls, and does what FAKE_NCCL asks for. "old" is NCCL 2.4.8,
// "duplicate" refuses a GPU that two ranks have, "hang" waits forever at the end of a group, and "lost" has
// lost a rank.

namespace {

struct UniqueId {
  char bytes[128];
};

std::string calls;

bool behaves(const char* how) {
  const char* const wanted = std::getenv("FAKE_NCCL");
  return wanted && std::string(wanted) == how;
}

int note(const std::string& call) {
  calls += call + "\n";
  return 0;
}

std::string text(const void* pointer) {
  return std::to_string(reinterpret_cast<std::size_t>(pointer));
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED const char* fake_nccl_calls() {
  return calls.c_str();
}

EXPORTED int ncclGetVersion(int* version) {
  *version = behaves("old") ? 2408 : 22809;
  return 0;
}

EXPORTED const char* ncclGetErrorString(int) {
  return "its words for the code";
}

EXPORTED const char* ncclGetLastError(void*) {
  return behaves("duplicate") ? "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000\n" : "";
}

EXPORTED int ncclGetUniqueId(UniqueId* id) {
  for (int i = 0; i < 128; ++i) id->bytes[i] = static_cast<char>(i);
  return 0;
}

EXPORTED int ncclCommInitRank(void** comm, int ranks, UniqueId id, int rank) {
  *comm = reinterpret_cast<void*>(std::size_t{100} + static_cast<std::size_t>(rank));
  return note("init " + std::to_string(rank) + " of " + std::to_string(ranks) + ", id ends with " +
              std::to_string(id.bytes[127]));
}

EXPORTED int ncclGroupStart() {
  return note("(");
}

EXPORTED int ncclGroupEnd() {
  while (behaves("hang")) ::usleep(1000);
  return note(")"), behaves("duplicate") ? 5 : 0;  // ncclInvalidUsage
}

EXPORTED int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int sum, void* comm,
                           void*) {
  return note("all-reduce " + text(from) + " " + text(to) + " count " + std::to_string(count) + " type " +
              std::to_string(type) + " operation " + std::to_string(sum) + " by " + text(comm));
}

EXPORTED int ncclSend(const void* data, std::size_t count, int type, int to, void* comm, void*) {
  return note("send " + text(data) + " count " + std::to_string(count) + " type " + std::to_string(type) +
              " to " + std::to_string(to) + " by " + text(comm));
}

EXPORTED int ncclRecv(void* data, std::size_t count, int type, int from, void* comm, void*) {
  return note("receive " + text(data) + " count " + std::to_string(count) + " type " + std::to_string(type) +
              " from " + std::to_string(from) + " by " + text(comm));
}

EXPORTED int ncclCommGetAsyncError(void*, int* state) {
  *state = behaves("lost") ? 6 : 7;  // ncclRemoteError, ncclInProgress
  return 0;
}

EXPORTED int ncclCommDestroy(void* comm) {
  return note("destroy " + text(comm));
}

EXPORTED int ncclCommAbort(void* comm) {
  return note("abort " + text(comm));
}
