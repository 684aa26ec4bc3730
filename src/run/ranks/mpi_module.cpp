#include "run/ranks/mpi_module.hpp"

// Avoids the C++ interface of older MPIs, which needs its own library.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace gpulab::run::ranks {
namespace {

constexpr std::size_t max_piece = std::size_t{1} << 30;  // bytes or elements: MPI counts with int

MPI_Comm communicator = MPI_COMM_NULL;  // a duplicate, free of other messages
std::vector<MPI_Request> requests;
std::vector<int> expected_bytes;  // per request; -1 for a send

const char* store_sentence(std::string sentence) {
  static std::string stored;
  stored = std::move(sentence);
  return stored.c_str();
}

const char* error_of(const char* call, int result) {
  if (result == MPI_SUCCESS) return nullptr;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, text, &length);
  return store_sentence(std::string(call) +
                        " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

// Returns "Open MPI 4.1.4" of "Open MPI v4.1.4, package: Debian OpenMPI, ...", and "MPICH 4.0.2" of "MPICH
// Version:\t4.0.2\nMPICH Release ...".
std::string library_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name(text, static_cast<std::size_t>(length));
  name.resize(std::min(name.find_first_of(",\n"), name.size()));
  for (const std::string word : {" v", " Version:"})
    if (const auto position = name.find(word); position != std::string::npos)
      name.replace(position, word.size(), 1, ' ');
  std::replace(name.begin(), name.end(), '\t', ' ');
  name.erase(std::unique(name.begin(), name.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
             name.end());
  return name;
}

// Sets Open MPI's settings in the environment. Waiting ranks yield the core to working ranks, since there may
// be more ranks than cores; gpulab explains faults itself; compilers may be forked.
void choose_settings() {
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);  // mpirun may set 0 by itself
  ::setenv("OMPI_MCA_opal_signal", "", 0);
  ::setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0);
}

const char* join(GpulabMpiWorld* world) {
  choose_settings();
  int provided = 0;
  if (const char* error =
          error_of("MPI_Init_thread", MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided)))
    return error;
  if (const char* error = error_of("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &communicator))) return error;
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  MPI_Comm_rank(communicator, &world->rank);
  MPI_Comm_size(communicator, &world->count);
  MPI_Comm same_machine = MPI_COMM_NULL;
  if (const char* error = error_of(
          "MPI_Comm_split_type",
          MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL, &same_machine)))
    return error;
  MPI_Comm_rank(same_machine, &world->local_rank);
  MPI_Comm_size(same_machine, &world->local_count);
  MPI_Comm_free(&same_machine);
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::string(name).copy(world->node, sizeof world->node - 1);
  return nullptr;
}

// Calls post(first byte, size, request) for each piece. Zero bytes are a piece, too: the peer waits for one.
template <class Post>
const char* in_pieces(const char* call, std::size_t bytes, bool is_receive, const Post& post) {
  std::size_t offset = 0;
  do {
    const int piece = static_cast<int>(std::min(bytes - offset, max_piece));
    MPI_Request request = MPI_REQUEST_NULL;
    if (const char* error = error_of(call, post(offset, piece, &request))) return error;
    requests.push_back(request);
    expected_bytes.push_back(is_receive ? piece : -1);
    offset += static_cast<std::size_t>(piece);
  } while (offset < bytes);
  return nullptr;
}

const char* send(int peer, int tag, const void* data, std::size_t bytes) {
  return in_pieces("MPI_Isend", bytes, /*is_receive=*/false,
                   [&](std::size_t offset, int piece, MPI_Request* request) {
                     return MPI_Isend(static_cast<const char*>(data) + offset, piece, MPI_BYTE, peer, tag,
                                      communicator, request);
                   });
}

const char* receive(int peer, int tag, void* data, std::size_t bytes) {
  return in_pieces("MPI_Irecv", bytes, /*is_receive=*/true,
                   [&](std::size_t offset, int piece, MPI_Request* request) {
                     return MPI_Irecv(static_cast<char*>(data) + offset, piece, MPI_BYTE, peer, tag,
                                      communicator, request);
                   });
}

const char* advance(int* pending) {
  const auto all = static_cast<int>(requests.size());
  std::vector<int> done(requests.size());  // indices of requests
  std::vector<MPI_Status> statuses(requests.size());
  int done_count = 0;
  if (all > 0) {
    const int result = MPI_Testsome(all, requests.data(), &done_count, done.data(), statuses.data());
    if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) return error_of("MPI_Testsome", result);
    for (int i = 0; i < std::max(done_count, 0); ++i) {
      if (result == MPI_ERR_IN_STATUS && statuses[i].MPI_ERROR != MPI_SUCCESS &&
          statuses[i].MPI_ERROR != MPI_ERR_PENDING)
        return error_of("a transfer between ranks", statuses[i].MPI_ERROR);
      int bytes = 0;
      MPI_Get_count(&statuses[i], MPI_BYTE, &bytes);
      const int expected = expected_bytes[static_cast<std::size_t>(done[i])];
      if (expected >= 0 && bytes != expected)
        return store_sentence("rank " + std::to_string(statuses[i].MPI_SOURCE) + " sent " +
                              std::to_string(bytes) + " bytes where " + std::to_string(expected) +
                              " were expected");
    }
  }
  *pending =
      static_cast<int>(std::ranges::count_if(requests, [](MPI_Request r) { return r != MPI_REQUEST_NULL; }));
  if (*pending == 0) {
    requests.clear();
    expected_bytes.clear();
  }
  return nullptr;
}

struct Element {
  MPI_Datatype type;
  std::size_t bytes;
};

Element element_of(GpulabMpiType type) {
  switch (type) {
    case gpulab_mpi_int32:
      return {MPI_INT32_T, 4};
    case gpulab_mpi_uint32:
      return {MPI_UINT32_T, 4};
    case gpulab_mpi_uint8:
      return {MPI_UINT8_T, 1};
    case gpulab_mpi_float32:
      return {MPI_FLOAT, 4};
    case gpulab_mpi_float64:
      break;
  }
  return {MPI_DOUBLE, 8};
}

const char* all_reduce(void* values, std::size_t count, GpulabMpiType type) {
  const Element element = element_of(type);
  for (std::size_t offset = 0; offset < count; offset += max_piece) {
    const int piece = static_cast<int>(std::min(count - offset, max_piece));
    const int result = MPI_Allreduce(MPI_IN_PLACE, static_cast<char*>(values) + offset * element.bytes, piece,
                                     element.type, MPI_SUM, communicator);
    if (const char* error = error_of("MPI_Allreduce", result)) return error;
  }
  return nullptr;
}

void leave() {
  MPI_Comm_free(&communicator);
  MPI_Finalize();
}

void end_all(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

const GpulabMpi* offered() {
  static const std::string library = library_name();
  static const GpulabMpi module{library.c_str(), join, send, receive, advance, all_reduce, leave, end_all};
  return &module;
}

}  // namespace

}  // namespace gpulab::run::ranks

extern "C" __attribute__((visibility("default"))) const GpulabMpi* gpulab_mpi() {
  return gpulab::run::ranks::offered();
}
