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

// The one interface between lessons and hardware. It is shaped like CUDA's own API and uses its words:
// everything that takes a Stream is put in that stream's order and may not have happened yet when the call
// returns; synchronize() waits for it.

// A refused call, or work that went wrong: name is CUDA's, such as CUDA_ERROR_OUT_OF_MEMORY, on every device.
class DeviceError : public Error {
 public:
  DeviceError(std::string call, std::string name, const std::string& explanation, Failure failure = {});
  const std::string& call() const { return call_; }
  const std::string& name() const { return name_; }
  const std::string& explanation() const { return explanation_; }
  const Failure& failure() const { return failure_; }
  // A kernel that was stopped leaves a GPU's context unusable; a refused allocation does not.
  bool leaves_device_unusable() const;

 private:
  std::string call_, name_, explanation_;
  Failure failure_;
};

// The launch itself was refused: nothing ran, and the device can go on.
class LaunchError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// The text of one kernel file. The name is what compiler messages show.
struct KernelSource {
  std::string name;
  std::string text;
};

struct CompileOptions {
  // For a GPU only: with the instructions that its architecture has to itself, such as sm_90a's.
  bool own_instructions = false;
  // For the simulator only: hardware interleaves threads by itself.
  Instrumentation instrumentation = Instrumentation::none;
};

struct KernelAttributes {
  int registers_per_thread = 0;            // 0 where the device has none to count
  std::size_t local_bytes_per_thread = 0;  // arrays with a run-time index, and what is spilled
  // What the spilling instructions of a thread move to and from local memory, each counted once, however
  // often it is run. None where the compiler does not tell.
  std::optional<std::size_t> spill_store_bytes, spill_load_bytes;
  std::size_t static_shared_bytes = 0;
  std::size_t constant_bytes = 0;      // of all __constant__ variables of the module
  unsigned max_threads_per_block = 0;  // 0 where only the GPU's driver could tell
};

// Where a variable of a module lies. It goes with the module.
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

  // The __global__ function of that name. Throws CompileError when the source has no such kernel, or has it
  // with other parameters.
  virtual std::unique_ptr<Kernel> kernel(const std::string& name, const Signature& signature) = 0;

  // The __constant__ or __device__ variable of that name, with its namespaces: "inner::factors". This is the
  // first half of cudaMemcpyToSymbol; the second is Device::copy_to_device. Throws DeviceError,
  // CUDA_ERROR_NOT_FOUND, when the source has no such variable.
  virtual DeviceSymbol symbol(const std::string& name) = 0;
};

class Event {
 public:
  virtual ~Event() = default;
};

// Work that was captured once, to be put into a stream again and again in one piece: the host hands it over
// in one call, so that short kernels follow each other without a gap.
class Graph {
 public:
  virtual ~Graph() = default;
};

// A call of a library, with its arguments and what else it needs, ready to be put into streams.
class LibraryCall {
 public:
  virtual ~LibraryCall() = default;
  // What it needs anew before each call and is no part of it.
  virtual void before(Stream& stream) = 0;
  virtual void enqueue(Stream& stream) = 0;
};

// A library that is there does not offer what it is asked for, such as a border that it does not know.
class LibraryRefusal : public Error {
 public:
  using Error::Error;
};

class Communicator;
class Device;

// The ranks that are to be connected: those of this process, with their devices, and how many there are in
// all.
struct Membership {
  std::vector<Device*> devices;
  int first_rank = 0;
  int ranks = 1;
  // In each process: what the process of rank 0 gives it.
  std::function<std::string(const std::string& mine)> from_rank_0 = {};

  bool is_one_process() const { return static_cast<int>(devices.size()) == ranks; }
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceProperties& properties() const = 0;

  // Throws CompileError with the compiler's log.
  virtual std::unique_ptr<Module> compile(const KernelSource& source, const CompileOptions& options) = 0;

  // How many blocks of that many threads the whole device can hold at once.
  virtual unsigned resident_blocks(const Kernel& kernel, unsigned block_size,
                                   std::size_t dynamic_shared_bytes) = 0;

  virtual DevicePointer allocate(std::size_t bytes) = 0;
  virtual void free(DevicePointer pointer) noexcept = 0;

  // Page-locks memory of the host, so that copies run at the full speed of the link.
  virtual void pin(std::span<std::byte> host) = 0;
  virtual void unpin(std::span<std::byte> host) noexcept = 0;

  virtual std::unique_ptr<Stream> create_stream() = 0;
  virtual void synchronize(Stream& stream) = 0;

  virtual void copy_to_device(DevicePointer to, std::span<const std::byte> from, Stream& stream) = 0;
  virtual void copy_to_host(std::span<std::byte> to, DevicePointer from, Stream& stream) = 0;
  // From one place of the device's memory to another, which must not overlap.
  virtual void copy_within(DevicePointer to, DevicePointer from, std::size_t bytes, Stream& stream) = 0;
  virtual void set(DevicePointer to, unsigned char value, std::size_t bytes, Stream& stream) = 0;

  // arguments[i] points to the i-th argument; they are read before the call returns. Throws LaunchError when
  // the launch is refused.
  virtual void launch(const Kernel& kernel, const LaunchConfig& config, void* const* arguments,
                      Stream& stream) = 0;

  virtual std::unique_ptr<Event> create_event() = 0;
  virtual void record(Event& event, Stream& stream) = 0;
  virtual void wait(Stream& stream, Event& event) = 0;
  // Seconds between two recorded events that have both happened.
  virtual double elapsed(Event& start, Event& stop) = 0;

  // Replaces what the caches hold by other, clean data, so that the next kernel starts cold.
  virtual void evict_caches(Stream& stream) = 0;

  // How many of its kind one process can use, this one included, for a lesson that runs on several.
  virtual int count_of_kind() const { return 1; }
  // Another device of the same kind for the same process: the index-th after this one, and after the last
  // comes the first. Throws DeviceError where there are not so many.
  virtual std::unique_ptr<Device> open_peer(int index);
  // Connects the ranks of this process, of which this device is the first, with each other and with those of
  // other processes. None where devices of this kind only reach those of their own process. Throws
  // DeviceError.
  virtual std::unique_ptr<Communicator> connect(const Membership& membership);

  // Devices of one kind in one process can reach each other's memory: kernels by its addresses, copies
  // directly.
  virtual bool can_reach(const Device& /*peer*/) const { return false; }
  // Lets this device do so from now on (peer access, in one direction). Throws DeviceError where it cannot.
  virtual void reach(Device& peer);
  // From this device's memory to that of another one of its kind, in the order of this device's stream. Goes
  // through the host where they cannot reach each other.
  virtual void copy_to_peer(Device& peer, DevicePointer to, DevicePointer from, std::size_t bytes,
                            Stream& stream);

  // From now on, what is put into the stream is captured instead of run, until the same thread ends that.
  // Meanwhile this thread must not wait for the device or allocate. Streams of several devices can be
  // captured at once, each for itself. False where the device has no such thing.
  virtual bool begin_capture(Stream&) { return false; }
  // What was captured. Throws DeviceError when something of it could not be.
  virtual std::unique_ptr<Graph> end_capture(Stream&) { return nullptr; }
  // Both, around what work puts into the stream; none where the device has no such thing. Throws what work
  // throws.
  std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& work);
  virtual void launch(Graph&, Stream&) {}

  // Whether there is a library with that call: "cub-reduce".
  virtual bool offers(const std::string& /*library_call*/) { return false; }
  // arguments[i] points to the i-th argument, as for launch(); what they point to is read by each call.
  // Throws LibraryRefusal, DeviceError.
  virtual std::unique_ptr<LibraryCall> prepare(const std::string& library_call, const Signature& signature,
                                               void* const* arguments, Stream& stream);

  // The clock of the multiprocessors at this moment, in Hz; none where nobody tells.
  virtual std::optional<double> current_clock_hz() { return std::nullopt; }

  // What the device has used since a fixed moment, in J; none where nobody tells.
  virtual std::optional<double> energy_j() { return std::nullopt; }

  // What the device can tell of kernels besides their results; null where it is hardware, which tells
  // nothing.
  virtual Instruments* instruments() { return nullptr; }
};

// Memory of a device, freed when this goes. The device must outlive it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Throws DeviceError.
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

// Memory of the host, page-locked for as long as this lives.
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

// What compilers are told a kernel file is called: its bare name, or "kernel.cu" where that could be taken
// for an option or a file of ours, or could not be found in their messages, as with colons.
std::string name_for_compilers(const std::string& file);

// The error of a compiler that refused a kernel file; none where the log tells no place in the file, which
// then is not to blame. The message is one sentence with the line and the first thing that was wrong; the log
// is all that the compiler printed, under the file's name as the user knows it. Understands the forms of GCC
// and Clang ("file:3:5: error: ..."), of NVRTC ("file(3): error: ...") and of its assembler ("ptxas error :
// ...").
std::optional<CompileError> error_in_file(const std::string& file, const std::string& log);

// A line of a compiler's log, in the forms of GCC, Clang and NVRTC.
struct Diagnostic {
  std::string file;  // without its folder
  int line = 0;
  int column = 0;    // 0 where the compiler tells none: NVRTC
  std::string kind;  // "error", "warning", "note"; empty for what is none of these
  std::string words;
};

// Of a log as a CompileError has it: what it says of places in the file, from its beginning on.
std::vector<Diagnostic> diagnostics(const std::string& file, const std::string& log);

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
