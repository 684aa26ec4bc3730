#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lesson/handles.hpp"
#include "lesson/problem.hpp"

namespace gpulab {

// What there is to know about one device. 0 and an empty string mean that the device does not tell.
struct DeviceProperties {
  std::string kind;  // "cuda" or "simulator"
  int index = 0;
  std::string name;
  int compute_capability_major = 0, compute_capability_minor = 0;  // none for the simulator
  int multiprocessors = 0;
  unsigned max_threads_per_block = 0;
  unsigned max_threads_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;        // without asking, and of static shared memory
  std::size_t shared_bytes_per_block_optin = 0;  // static and dynamic together, for a kernel that asks
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t memory_bytes = 0;
  std::size_t free_memory_bytes = 0;
  std::size_t l2_bytes = 0;
  double clock_hz = 0;
  double memory_clock_hz = 0;
  int memory_bus_bits = 0;
  double peak_bytes_per_s = 0;       // theoretical: 2 * memory clock * bus width / 8
  double peak_operations_per_s = 0;  // theoretical, float32: 2 * clock * multiprocessors * lanes of each
  std::string driver_version, runtime_version, compiler_version;

  bool simulated() const { return kind == "simulator"; }
  std::string compute_capability() const;  // "9.0"
  std::string architecture() const;        // "sm_90"
  void set_compute_capability(const std::string& text);
};

// How one GPU of a machine reaches the memory of another one.
struct DeviceLink {
  int from = 0, to = 0;  // their indices
  bool reaches = false;  // peer access; without it copies go through the host's memory
  int nvlinks = 0;       // between the two, or from each to the switch between them; 0 for PCIe
  // Measured where that was asked for: large copies one way, and both ways at once (the sum), and a copy of
  // 1 KiB that waits for the one before it.
  std::optional<double> one_way_bytes_per_s, both_ways_bytes_per_s, latency_s;
};

// How long it takes all GPUs of a machine to add up 1 KiB, and more.
struct AllReduceTimes {
  std::string library;               // "NCCL 2.28.9"; without times, why there are none
  std::optional<double> called_s;    // from the host's call until all are done
  std::optional<double> in_graph_s;  // one behind another in a graph
  int devices = 0;
  struct Sized {
    double bytes = 0;  // of the buffer of each
    double called_s = 0;
  };
  std::vector<Sized> sizes = {};  // larger buffers
};

struct Problem;

// What a variant's launch and its outcome may depend on.
struct LaunchContext {
  Settings settings;
  Extent work;                       // work items, as Problem::work_items has them
  unsigned block_size = 0;           // threads of a block, as asked for
  const Problem* problem = nullptr;  // outlives this

  std::size_t size() const { return work.volume(); }

  // The problem's value of a scalar. Throws std::logic_error where it has none.
  template <class T>
  T operator[](const Scalar<T>& scalar) const {
    const std::uint64_t bits = value_bits(scalar.name);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

  // Elements of an array of the problem. Throws std::logic_error where there is no such array.
  std::size_t length(const ArrayHandle& array) const;

 private:
  std::uint64_t value_bits(const char* scalar) const;
};

// On every CUDA device since compute capability 2.0.
constexpr unsigned max_threads_per_block = 1024;

// On every CUDA device since compute capability 3.0.
constexpr unsigned max_grid_y = 65535;

// What stands between <<< and >>>, less the stream.
struct LaunchConfig {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes = 0;
  // All blocks at once, so that they may wait for each other: refused when the device cannot hold so many.
  bool cooperative = false;
};

// What a variant may look at when it chooses its grid and block.
struct LaunchRequest : LaunchContext {
  unsigned resident_blocks = 0;  // blocks of that size that the whole device can hold at once
};

// Which thread of a launch does which work item: the thread at the item's place in the whole grid; or, where
// threads stride over the items of one dimension, the thread i % (threads of the grid).
enum class Ownership { one_item, strides, unknown };

// What a variant chooses. A shape that returns a LaunchConfig alone leaves open whose item is whose, and then
// no thread is named when a result is wrong.
struct ChosenLaunch {
  ChosenLaunch(LaunchConfig chosen, Ownership owned = Ownership::unknown)
      : config(chosen), ownership(owned) {}

  LaunchConfig config;
  Ownership ownership;
};

using LaunchShape = std::function<ChosenLaunch(const LaunchRequest&)>;

// ceil(items / step): how many blocks, tiles or chunks of that many cover all.
unsigned ceil_div(std::size_t items, std::size_t step);

// Enough blocks for every item: the last one may be partly past the end.
ChosenLaunch one_thread_per_element(const LaunchRequest& request);

// A quarter as many: each thread moves four elements at once, and one thread more has those that are left.
ChosenLaunch one_thread_per_four_elements(const LaunchRequest& request);

// Blocks 32 threads wide (or as wide as the block has threads), over work in x and y.
ChosenLaunch one_thread_per_pixel(const LaunchRequest& request);

// As many blocks as the device holds at once, but none without work: for kernels with a grid-stride loop.
ChosenLaunch resident_blocks(const LaunchRequest& request);

// The given number of blocks, whatever the size.
LaunchShape fixed_blocks(unsigned blocks);

// One block with a thread for every element: more than 1024 is more than the hardware takes.
ChosenLaunch one_block_of_size_threads(const LaunchRequest& request);

// What a variant of several steps can do on the device, in the words of CUDA's own API. Streams and events
// are numbers from 0 on; stream 0 is there without asking. Everything is put in its stream's order and may
// not have happened yet when the call returns. A run begins and ends for all streams together.
//
// A handle stands for the problem's array on the device, and for its host copy where something is copied.
class Execution {
 public:
  virtual ~Execution() = default;

  virtual const LaunchRequest& request() const = 0;

  // Launches a kernel of the variant's file. A scalar without a value has the problem's. Throws CompileError,
  // LaunchError.
  virtual void launch(const std::string& kernel, const ChosenLaunch& launch, const Arguments& arguments,
                      int stream = 0) = 0;

  // Blocks of that size that the whole device can hold of this kernel at once.
  virtual unsigned resident_blocks(const std::string& kernel, const Arguments& arguments, unsigned block_size,
                                   std::size_t dynamic_shared_bytes = 0) = 0;

  // Sets every byte of the array to zero.
  virtual void clear(const ArrayHandle& array, int stream = 0) = 0;

  // A part of an array, in elements, between its host copy and the device.
  virtual void copy_to_device(const AnyInput& array, std::size_t first, std::size_t count,
                              int stream = 0) = 0;
  virtual void copy_to_host(const AnyOutput& array, std::size_t first, std::size_t count, int stream = 0) = 0;

  // What is put into the stream after wait() starts when what was there at record() is done.
  virtual void record(int event, int stream) = 0;
  virtual void wait(int stream, int event) = 0;

  // Waits on the host until everything in that stream is done.
  virtual void synchronize(int stream = 0) = 0;

  // Memory besides the problem's arrays. What is not freed at the end of the run is reported as a leak.
  virtual int allocate(std::size_t bytes) = 0;
  virtual void free(int allocation) = 0;

  // Waits for stream 0, and returns what the array holds on the device from that element on.
  template <class Handle>
  auto read(const Handle& array, std::size_t count, std::size_t first = 0) {
    using T = typename Handle::Element;
    std::vector<T> values(count);
    read_bytes(array, first * sizeof(T), std::as_writable_bytes(std::span(values)));
    return values;
  }

  // Puts values into the array on the device, from that element on, in the order of stream 0.
  template <class Handle>
  void write(const Handle& array, const std::vector<typename Handle::Element>& values,
             std::size_t first = 0) {
    write_bytes(array, first * sizeof(typename Handle::Element), std::as_bytes(std::span(values)));
  }

 protected:
  virtual void read_bytes(const ArrayHandle& array, std::size_t offset, std::span<std::byte> to) = 0;
  virtual void write_bytes(const ArrayHandle& array, std::size_t offset, std::span<const std::byte> from) = 0;
};

}  // namespace gpulab
