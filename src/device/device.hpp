#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/instruments.hpp"
#include "lesson/finding.hpp"
#include "lesson/handles.hpp"
#include "lesson/launch.hpp"

namespace gpulab::device {

// The one interface between lessons and hardware. It is shaped like CUDA's own API and uses its words: a
// function that takes a Stream is asynchronous, in that stream's order; synchronize() waits for it.

// A refused call, or work that failed. The name is CUDA's, CUDA_ERROR_OUT_OF_MEMORY, or on AMD GPUs HIP's.
class DeviceError : public Error {
 public:
  DeviceError(std::string call, std::string name, const std::string& explanation, Failure failure = {});
  const std::string& call() const { return call_; }
  const std::string& name() const { return name_; }
  const std::string& explanation() const { return explanation_; }
  const Failure& failure() const { return failure_; }
  // Returns whether a GPU's context is unusable, as after a stopped kernel but not a refused allocation.
  bool leaves_device_unusable() const;

 private:
  std::string call_, name_, explanation_;
  Failure failure_;
};

// A refused launch: nothing ran, and the device can go on.
class LaunchError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// The text of one kernel file. The name is what compiler messages show.
struct KernelSource {
  std::string name;
  std::string text;
  // For the simulator only: the namespace whose kernels and variables a module has; empty for all.
  std::string scope = {};
};

struct CompileOptions {
  // For a GPU only: enables the architecture-specific instructions of its compute capability, as sm_90a does.
  bool architecture_specific = false;
  // For the simulator only: hardware interleaves threads by itself.
  Instrumentation instrumentation = Instrumentation::none;
};

struct KernelAttributes {
  int registers_per_thread = 0;            // 0 if the device has none to count
  std::size_t local_bytes_per_thread = 0;  // arrays with a run-time index, and spills
  // Bytes that a thread's spill instructions move to and from local memory, each counted once, however often
  // it is run. None if the compiler does not report them.
  std::optional<std::size_t> spill_store_bytes, spill_load_bytes;
  std::size_t static_shared_bytes = 0;
  std::size_t constant_bytes = 0;      // of all __constant__ variables of the module
  unsigned max_threads_per_block = 0;  // 0 if it is unknown without a driver
};

// Address and size of a module's variable, valid as long as the module.
struct DeviceSymbol {
  DevicePointer address = 0;
  std::size_t bytes = 0;
};

// A function of a loaded module. It must not outlive the module.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual KernelAttributes attributes() const = 0;
};

// The compiled form of one kernel source.
class Module {
 public:
  virtual ~Module() = default;

  // Returns the __global__ function of that name. Throws CompileError if the source has no such kernel, or
  // has it with other parameters.
  virtual std::unique_ptr<Kernel> kernel(const std::string& name, const Signature& signature) = 0;

  // Returns the __constant__ or __device__ variable of that name, with its namespaces: "inner::factors". This
  // is the first half of cudaMemcpyToSymbol; the second is Device::copy_to_device. Throws DeviceError,
  // CUDA_ERROR_NOT_FOUND, if the source has no such variable.
  virtual DeviceSymbol symbol(const std::string& name) = 0;

  // Returns the __device__ variables, in which a launch may leave something for the next.
  virtual std::vector<DeviceSymbol> writable_variables() { return {}; }
};

class Event {
 public:
  virtual ~Event() = default;
};

// Captured work that can be launched again and again: the host launches it in one call, so that short kernels
// follow each other without a gap.
class Graph {
 public:
  virtual ~Graph() = default;
};

// A library call with its arguments and whatever else it needs, ready to be put into streams.
class LibraryCall {
 public:
  virtual ~LibraryCall() = default;
  // Does what must precede each call but is not part of it, such as restoring input that the call overwrites.
  virtual void reset(Stream& stream) = 0;
  virtual void enqueue(Stream& stream) = 0;
};

// A request that an installed library does not support, such as an unknown border.
class LibraryRefusal : public Error {
 public:
  using Error::Error;
};

class Communicator;
class Device;

// Ranks to connect: those of this process with their devices, and the number of all ranks.
struct Membership {
  std::vector<Device*> devices;
  int first_rank = 0;
  int ranks = 1;
  // Broadcasts: returns in every process the argument that rank 0's process has passed.
  std::function<std::string(const std::string& mine)> from_rank_0 = {};

  bool is_one_process() const { return static_cast<int>(devices.size()) == ranks; }
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceProperties& properties() const = 0;

  // Compiles a kernel file. Throws CompileError with the compiler's log.
  virtual std::unique_ptr<Module> compile(const KernelSource& source, const CompileOptions& options) = 0;

  // Returns how many blocks of that many threads the whole device can hold at once.
  virtual unsigned resident_blocks(const Kernel& kernel, unsigned block_size,
                                   std::size_t dynamic_shared_bytes) = 0;

  virtual DevicePointer allocate(std::size_t bytes) = 0;
  virtual void free(DevicePointer pointer) noexcept = 0;

  // Pins (page-locks) host memory, so that copies run at the full speed of the link.
  virtual void pin(std::span<std::byte> host) = 0;
  virtual void unpin(std::span<std::byte> host) noexcept = 0;

  virtual std::unique_ptr<Stream> create_stream() = 0;
  virtual void synchronize(Stream& stream) = 0;

  virtual void copy_to_device(DevicePointer to, std::span<const std::byte> from, Stream& stream) = 0;
  virtual void copy_to_host(std::span<std::byte> to, DevicePointer from, Stream& stream) = 0;
  // Copies within the device's memory; source and destination must not overlap.
  virtual void copy_within(DevicePointer to, DevicePointer from, std::size_t bytes, Stream& stream) = 0;
  virtual void set(DevicePointer to, unsigned char value, std::size_t bytes, Stream& stream) = 0;

  // Launches a kernel. arguments[i] points to the i-th argument; they are read before the call returns.
  // Throws LaunchError if the launch is refused.
  virtual void launch(const Kernel& kernel, const LaunchConfig& config, void* const* arguments,
                      Stream& stream) = 0;

  virtual std::unique_ptr<Event> create_event() = 0;
  virtual void record(Event& event, Stream& stream) = 0;
  virtual void wait(Stream& stream, Event& event) = 0;
  // Returns the seconds between two recorded events that have both happened.
  virtual double elapsed(Event& start, Event& stop) = 0;

  // Fills the caches with other, clean data, so that the next kernel starts cold.
  virtual void evict_caches(Stream& stream) = 0;

  // Returns how many devices of this kind one process can use, including this one.
  virtual int device_count() const { return 1; }
  // Opens another device of the same kind: the index-th after this one, where the first follows the last.
  // Throws DeviceError if there are fewer devices.
  virtual std::unique_ptr<Device> open_peer(int index);
  // Connects the ranks of this process with each other and with those of other processes. This device is the
  // process's first. Returns null if devices of this kind only reach those of their own process. Throws
  // DeviceError.
  virtual std::unique_ptr<Communicator> connect(const Membership& membership);

  // Returns whether peer access is possible: kernels then use the peer's addresses, and copies go directly.
  virtual bool can_reach(const Device& /*peer*/) const { return false; }
  // Enables peer access from this device to the peer. Throws DeviceError if it is not possible.
  virtual void enable_peer_access(Device& peer);
  // Copies from this device's memory to that of another device of its kind, in the order of this device's
  // stream. If peer access is not enabled, the copy goes through the host.
  virtual void copy_to_peer(Device& peer, DevicePointer to, DevicePointer from, std::size_t bytes,
                            Stream& stream);

  // Begins a capture: what is put into the stream is captured instead of run, until the same thread ends it.
  // Meanwhile this thread must not wait for the device or allocate. Streams of several devices can be
  // captured at once, each for itself. Returns false if the device has no graphs.
  virtual bool begin_capture(Stream&) { return false; }
  // Ends the capture. Throws DeviceError if part of the work could not be captured.
  virtual std::unique_ptr<Graph> end_capture(Stream&) { return nullptr; }
  // Captures what `work` puts into the stream; null if the device has no graphs. Throws what `work` throws.
  std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& work);
  virtual void launch(Graph&, Stream&) {}

  // Returns whether there is a library with that call: "cub-reduce".
  virtual bool offers(const std::string& /*library_call*/) { return false; }
  // Prepares a library call. arguments[i] points to the i-th argument, as for launch(); each call reads what
  // they point to. Throws LibraryRefusal, DeviceError.
  virtual std::unique_ptr<LibraryCall> prepare(const std::string& library_call, const Signature& signature,
                                               void* const* arguments, Stream& stream);

  // Returns the current clock of the multiprocessors in Hz; none if it is unknown.
  virtual std::optional<double> current_clock_hz() { return std::nullopt; }

  // Returns the energy that the device has used since a fixed moment, in J; none if it is unknown.
  virtual std::optional<double> energy_j() { return std::nullopt; }

  // Returns the instruments that watch kernels; null for hardware, which has none.
  virtual Instruments* instruments() { return nullptr; }
};

// Device memory, freed by the destructor. The device must outlive it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Allocates. Throws DeviceError.
  DeviceMemory(Device& device, std::size_t bytes) : device_(&device), address_(device.allocate(bytes)) {}
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~DeviceMemory() {
    if (device_) device_->free(address_);
  }

  DevicePointer address() const { return address_; }

 private:
  Device* device_ = nullptr;
  DevicePointer address_ = 0;
};

// Host memory, pinned for as long as this lives.
class PinnedMemory {
 public:
  PinnedMemory(Device& device, std::span<std::byte> host) : device_(&device), host_(host) {
    device.pin(host);
  }
  PinnedMemory(PinnedMemory&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), host_(other.host_) {}
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory() {
    if (device_) device_->unpin(host_);
  }

 private:
  Device* device_;
  std::span<std::byte> host_;
};

// Returns the name that compilers get for a kernel file: its bare name, or "kernel.cu" if that looks like an
// option, does not end in .cu, or has characters, such as colons, that would make messages hard to parse.
std::string name_for_compilers(const std::string& file);

// Returns the error of a compiler that refused a kernel file; none if the log shows no error in the file, so
// that the file is not to blame. The message is one sentence with the line and the first error; the log is
// all that the compiler printed, with the file's name as the user knows it. Understands the forms of GCC and
// Clang ("file:3:5: error: ..."), of NVRTC ("file(3): error: ...") and of its assembler ("ptxas error :
// ...").
std::optional<CompileError> error_in_file(const std::string& file, const std::string& log);

// A line of a compiler's log, in the forms of GCC, Clang and NVRTC.
struct Diagnostic {
  std::string file;  // without its folder
  int line = 0;
  int column = 0;    // 0 if the compiler reports none: NVRTC
  std::string kind;  // "error", "warning", "note", "required" (from here); empty for anything else
  std::string message;
};

// Returns the diagnostics of this file in a CompileError's log, in their order.
std::vector<Diagnostic> diagnostics(const std::string& file, const std::string& log);

// The buffer of one rank in a collective, and the stream in whose order it is used.
struct RankBuffer {
  int rank = 0;
  DevicePointer data = 0;
  Stream* stream = nullptr;
};

// One message, from the point of view of one of its two ranks.
struct RankMessage {
  enum class Kind { send, receive };
  Kind kind = Kind::send;
  RankBuffer here;
  int peer = 0;
  std::size_t count = 0;
};

// Collectives between the devices of several ranks: those of this process, and of others that were started
// with it. All ranks call the same functions in the same order. Work goes into the streams and is
// asynchronous. Graphs that captured such work must be destroyed before the communicator.
class Communicator {
 public:
  virtual ~Communicator() = default;

  // Returns "NCCL 2.28.9", "MPI, through the host" or "simulated".
  virtual std::string name() const = 0;

  // Replaces each rank's buffer by the sum over all ranks: one buffer for each rank of this process.
  virtual void all_reduce(std::span<const RankBuffer> buffers, ElementType type, std::size_t count) = 0;

  // Sends and receives for the ranks of this process in one group: none of them waits for another one of the
  // group.
  virtual void exchange(std::span<const RankMessage> messages, ElementType type) = 0;

  // Returns whether work of this kind can be captured in a graph (Device::capture).
  virtual bool can_be_captured() const { return false; }

  // Waits for the streams of this process's ranks. Throws DeviceError, after the time limit at the latest, if
  // another rank does not arrive or has ended; the communicator is unusable then.
  virtual void synchronize(std::span<const RankBuffer> streams) = 0;
};

}  // namespace gpulab::device
