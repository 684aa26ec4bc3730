#include "cuda/nccl.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "device/device.hpp"

namespace gpulab::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int first_version_with_send = 20700, first_version_with_correct_graphs = 21501;

// Returns NCCL's version number in the form that it has from 2.9 on: 2708 becomes 20708.
int comparable_version(int number) {
  return number < 10'000 ? number / 1000 * 10'000 + number % 1000 : number;
}

// Returns "2.28.9" for 22809.
std::string version_text(int comparable) {
  return fmt::format("{}.{}.{}", comparable / 10'000, comparable % 10'000 / 100, comparable % 100);
}

const char* name_of(int result) {
  constexpr const char* names[] = {"ncclSuccess",       "ncclUnhandledCudaError", "ncclSystemError",
                                   "ncclInternalError", "ncclInvalidArgument",    "ncclInvalidUsage",
                                   "ncclRemoteError",   "ncclInProgress"};
  return result >= 0 && result < static_cast<int>(std::size(names)) ? names[result]
                                                                    : "an error that gpulab does not know";
}

// pip's nvidia-nccl has lib/pythonX.Y/site-packages/nvidia/nccl/lib/libnccl.so.2.
void add_python_packages(const fs::path& environment, std::vector<std::string>& candidates) {
  std::error_code error;
  for (fs::directory_iterator entry(environment / "lib", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().starts_with("python"))
      candidates.push_back(entry->path() / "site-packages/nvidia/nccl/lib/libnccl.so.2");
}

}  // namespace

std::vector<std::string> nccl_candidates() {
  std::vector<std::string> candidates;
  const auto add_root = [&](const char* variable) {
    const char* const root = std::getenv(variable);
    if (!root || !*root) return;
    for (const char* folder : {"/lib/", "/lib64/"})
      candidates.push_back(std::string(root) + folder + "libnccl.so.2");
  };
  for (const char* variable : {"NCCL_HOME", "NCCL_ROOT"}) add_root(variable);
  candidates.emplace_back("libnccl.so.2");  // no folder: the loader searches
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) add_root(variable);
  candidates.emplace_back("/usr/local/cuda/lib64/libnccl.so.2");
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* root = std::getenv(variable); root && *root) add_python_packages(root, candidates);
  return candidates;
}

Nccl::Nccl(const std::vector<std::string>& candidates) : library_(candidates) {
  library_.find(get_version_, "ncclGetVersion");
  library_.find(error_string_, "ncclGetErrorString");
  get_version_(&version_number_);
  version_number_ = comparable_version(version_number_);
  version_ = version_text(version_number_);
  if (version_number_ < first_version_with_send)
    throw std::runtime_error(
        fmt::format("{} is NCCL {}, and gpulab needs 2.7 or later", library_.path(), version_));
  try {
    library_.find(last_error_, "ncclGetLastError");
  } catch (const std::runtime_error&) {
    last_error_ = nullptr;  // before 2.13
  }
  library_.find(get_unique_id_, "ncclGetUniqueId");
  library_.find(init_rank_, "ncclCommInitRank");
  library_.find(group_start_, "ncclGroupStart");
  library_.find(group_end_, "ncclGroupEnd");
  library_.find(all_reduce_, "ncclAllReduce");
  library_.find(send_, "ncclSend");
  library_.find(receive_, "ncclRecv");
  library_.find(async_error_, "ncclCommGetAsyncError");
  library_.find(destroy_, "ncclCommDestroy");
  library_.find(abort_, "ncclCommAbort");
}

bool Nccl::can_be_captured() const {
  return version_number_ >= first_version_with_correct_graphs;
}

void Nccl::check(int result, const std::string& call) const {
  if (result == static_cast<int>(NcclResult::success)) return;
  std::string explanation = last_error_ ? last_error_(nullptr) : "";
  explanation = explanation.substr(0, explanation.find('\n'));
  if (explanation.find("Duplicate GPU") != std::string::npos)
    explanation =
        "two ranks were given the same GPU, and NCCL wants one for each: start no more ranks on a machine than it has GPUs";
  if (explanation.empty()) explanation = error_string_(result);
  throw device::DeviceError(call, name_of(result), explanation);
}

NcclUniqueId Nccl::unique_id() const {
  NcclUniqueId id;
  check(get_unique_id_(&id), "ncclGetUniqueId");
  return id;
}

void Nccl::init_rank(NcclComm& comm, int ranks, const NcclUniqueId& id, int rank) const {
  check(init_rank_(&comm, ranks, id, rank), "ncclCommInitRank");
}

void Nccl::all_reduce(void* data, std::size_t count, NcclType type, NcclComm comm, void* stream) const {
  check(all_reduce_(data, data, count, static_cast<int>(type), nccl_sum, comm, stream), "ncclAllReduce");
}

void Nccl::send(const void* data, std::size_t count, NcclType type, int to, NcclComm comm,
                void* stream) const {
  check(send_(data, count, static_cast<int>(type), to, comm, stream), "ncclSend");
}

void Nccl::receive(void* data, std::size_t count, NcclType type, int from, NcclComm comm,
                   void* stream) const {
  check(receive_(data, count, static_cast<int>(type), from, comm, stream), "ncclRecv");
}

// Leaves the group even after an exception, or the thread would stay in it.
void Nccl::group(const std::string& call, const std::function<void()>& calls) const {
  check(group_start_(), "ncclGroupStart");
  try {
    calls();
  } catch (...) {
    group_end_();
    throw;
  }
  check(group_end_(), call);
}

std::string Nccl::background_error(NcclComm comm) const {
  int state = 0;
  const int result = async_error_(comm, &state);
  const int error = result != 0 ? result : state;
  if (error == static_cast<int>(NcclResult::success) || error == static_cast<int>(NcclResult::in_progress))
    return {};
  return name_of(error);
}

void Nccl::destroy(NcclComm comm) const {
  check(destroy_(comm), "ncclCommDestroy");
}

void Nccl::abort(NcclComm comm) const noexcept {
  abort_(comm);
}

namespace {

const Nccl* open_nccl() {
  keep_nccl_off_stdout();
  try {
    return new Nccl(nccl_candidates());  // never closed, like the driver
  } catch (const std::runtime_error& problem) {
    throw device::DeviceError(
        "opening NCCL", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
        std::string(problem.what()) + "; install NVIDIA's libnccl2, or set NCCL_HOME to the folder it is in");
  }
}

}  // namespace

const Nccl& nccl() {
  static const Nccl* const library = open_nccl();
  return *library;
}

device::LibraryStatus nccl_status() try {
  return {.name = "nccl", .version = fmt::format("NCCL {}, {}", nccl().version(), nccl().path())};
} catch (const device::DeviceError& error) {
  return {.name = "nccl", .problem = error.explanation()};
}

namespace {

// Read end of the pipe into which NCCL prints.
int nccl_output = -1;

// Copies NCCL's output from the pipe to stderr. Then returns or, if `waits`, waits for more.
void forward_output(bool waits) {
  char text[4096];
  pollfd ready{.fd = nccl_output, .events = POLLIN, .revents = 0};
  while (true) {
    const int count_ready = ::poll(&ready, 1, waits ? -1 : 0);
    if (count_ready < 0 && errno == EINTR) continue;
    if (count_ready <= 0) return;
    const ssize_t count = ::read(nccl_output, text, sizeof text);
    ssize_t written = 0;
    for (ssize_t done = 0; done < count; done += written) {
      written = ::write(STDERR_FILENO, text + done, static_cast<std::size_t>(count - done));
      if (written <= 0) break;
    }
  }
}

// Makes NCCL print into a pipe that a thread copies to stderr. NCCL would truncate /dev/stderr if it is a
// file, as in a batch job; if it is a socket, NCCL could not open it and would print to stdout. The path has
// the process id, so that processes that this one starts use the same pipe.
bool redirect_to_stderr() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  nccl_output = ends[0];
  ::fcntl(nccl_output, F_SETFL, O_NONBLOCK);
  ::setenv("NCCL_DEBUG_FILE", fmt::format("/proc/{}/fd/{}", ::getpid(), ends[1]).c_str(), 1);
  std::thread([] { forward_output(/*waits=*/true); }).detach();
  std::atexit([] { forward_output(/*waits=*/false); });
  return true;
}

bool is_stdout(const char* file) {
  struct stat named = {}, own = {};
  return ::stat(file, &named) == 0 && ::fstat(STDOUT_FILENO, &own) == 0 && named.st_dev == own.st_dev &&
         named.st_ino == own.st_ino;
}

}  // namespace

void keep_nccl_off_stdout() {
  const char* const file = std::getenv("NCCL_DEBUG_FILE");
  const bool prints_to_stdout = !file || !*file || is_stdout(file);
  if (prints_to_stdout && !redirect_to_stderr()) ::setenv("NCCL_DEBUG_FILE", "/dev/stderr", 1);
  // Level VERSION prints to stdout, whatever the file. WARN prints the same, and warnings, to the file.
  if (const char* level = std::getenv("NCCL_DEBUG"); level && ::strcasecmp(level, "VERSION") == 0)
    ::setenv("NCCL_DEBUG", "WARN", 1);
}

}  // namespace gpulab::cuda
