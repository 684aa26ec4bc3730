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

// Properties of one device. 0 and "" mean unknown.
struct DeviceProperties {
  std::string kind;  // "cuda", "hip" (AMD) or "simulator"
  int index = 0;
  std::string name;
  int compute_capability_major = 0, compute_capability_minor = 0;  // 0 for the simulator
  int multiprocessors = 0;
  unsigned warp_size = 32;
  unsigned max_threads_per_block = 0;
  unsigned max_threads_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;        // default limit, and limit of static shared memory
  std::size_t shared_bytes_per_block_optin = 0;  // static and dynamic together, if a kernel opts in
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

// The connection from one GPU to another's memory in one machine.
struct DeviceLink {
  int from = 0, to = 0;          // device indices
  bool has_peer_access = false;  // without it, copies go through host memory
  int nvlinks = 0;               // between the two, or from each to the switch; 0 for PCIe
  // Measured on request: large copies one way and both ways at once (the sum), and a copy of 1 KiB that waits
  // for the one before it.
  std::optional<double> one_way_bytes_per_s, both_ways_bytes_per_s, latency_s;
};

// Times of an all-reduce over all GPUs of a machine, of 1 KiB and of larger buffers.
struct AllReduceTimes {
  std::string library;               // "NCCL 2.28.9"; without times, why there are none
  std::optional<double> called_s;    // of 1 KiB, from the host's call until all GPUs are done
  std::optional<double> in_graph_s;  // of 1 KiB, back to back in a graph
  int devices = 0;
  struct Sized {
    double bytes = 0;  // bytes of each buffer
    double called_s = 0;
  };
  std::vector<Sized> sizes = {};  // larger buffers
};

struct Problem;

// The context that a variant's launch and outcome may depend on.
struct LaunchContext {
  Settings settings;
  Extent work;                       // work items, as returned by Problem::work_items
  unsigned block_size = 0;           // requested threads per block
  unsigned warp_size = 32;           // lanes of a warp of the device
  const Problem* problem = nullptr;  // outlives this

  std::size_t size() const { return work.volume(); }

  // Returns the problem's value of a scalar. Throws std::logic_error if there is none.
  template <class T>
  T operator[](const Scalar<T>& scalar) const {
    const std::uint64_t bits = value_bits(scalar.name);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

  // Returns the length of an array of the problem. Throws std::logic_error if there is no such array.
  std::size_t length(const ArrayHandle& array) const;

 private:
  std::uint64_t value_bits(const char* scalar) const;
};

// Limit of every CUDA device since compute capability 2.0.
constexpr unsigned max_threads_per_block = 1024;

// Limit of every CUDA device since compute capability 3.0.
constexpr unsigned max_grid_y = 65535;

// Contents of <<< >>>, except the stream.
struct LaunchConfig {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes = 0;
  // All blocks at once, so that they may wait for each other: refused if the device cannot hold them all.
  bool cooperative = false;
  unsigned first_block = 0;  // number of the first block that runs; the simulator can run the last ones alone

  friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

// Everything a variant may use to choose its grid and block.
struct LaunchRequest : LaunchContext {
  unsigned resident_blocks = 0;      // blocks of that size that the whole device holds at once
  std::size_t max_shared_bytes = 0;  // static and dynamic together, per block
};

// The thread that handles work item i: the one at the item's place in the grid or, with a grid-stride loop
// over one dimension, thread i % (threads of the grid).
enum class Ownership { one_item, grid_stride, unknown };

// A variant's choice. If a shape returns only a LaunchConfig, the ownership is unknown and no thread is named
// for a wrong result.
struct ChosenLaunch {
  ChosenLaunch(LaunchConfig chosen, Ownership owned = Ownership::unknown)
      : config(chosen), ownership(owned) {}

  LaunchConfig config;
  Ownership ownership;
};

using LaunchShape = std::function<ChosenLaunch(const LaunchRequest&)>;

// Returns ceil(items / step): the blocks, tiles or chunks that cover all.
unsigned ceil_div(std::size_t items, std::size_t step);

// Chooses enough blocks for every item; the last one may extend past the end.
ChosenLaunch one_thread_per_element(const LaunchRequest& request);

// Chooses a quarter as many threads: each moves four elements at once, and one more thread the remainder.
ChosenLaunch one_thread_per_four_elements(const LaunchRequest& request);

// Chooses blocks 32 threads wide (or as wide as the block has threads), over work in x and y.
ChosenLaunch one_thread_per_pixel(const LaunchRequest& request);

// Chooses the blocks that the device holds at once, or fewer if these cover all items: for grid-stride loops.
ChosenLaunch resident_blocks(const LaunchRequest& request);

// Chooses a fixed number of blocks, whatever the size.
LaunchShape fixed_blocks(unsigned blocks);

// Chooses one block with a thread per element; the hardware refuses more than 1024.
ChosenLaunch one_block_of_size_threads(const LaunchRequest& request);

// The device operations of a variant with several steps, named as in CUDA's API. Streams and events are
// numbered from 0; stream 0 always exists. All work is asynchronous and ordered by its stream. A run begins
// and ends for all streams together.
//
// A handle names the problem's array on the device; copies also use the array's host copy.
class Execution {
 public:
  virtual ~Execution() = default;

  virtual const LaunchRequest& request() const = 0;

  // Launches a kernel of the variant's file. Scalars default to the problem's values. Throws CompileError,
  // LaunchError.
  virtual void launch(const std::string& kernel, const ChosenLaunch& launch, const Arguments& arguments,
                      int stream = 0) = 0;

  // Returns how many blocks of the kernel, of that many threads, the whole device holds at once.
  virtual unsigned resident_blocks(const std::string& kernel, const Arguments& arguments, unsigned block_size,
                                   std::size_t dynamic_shared_bytes = 0) = 0;

  // Sets every byte of the array to zero.
  virtual void clear(const ArrayHandle& array, int stream = 0) = 0;

  // Copy a part of an array, in elements, between its host copy and the device.
  virtual void copy_to_device(const AnyInput& array, std::size_t first, std::size_t count,
                              int stream = 0) = 0;
  virtual void copy_to_host(const AnyOutput& array, std::size_t first, std::size_t count, int stream = 0) = 0;

  // record() puts an event into a stream. Work that comes after wait() starts when all work before the event
  // is done.
  virtual void record(int event, int stream) = 0;
  virtual void wait(int stream, int event) = 0;

  // Waits on the host until the stream is done.
  virtual void synchronize(int stream = 0) = 0;

  // Allocates memory besides the problem's arrays. Reported as a leak unless freed before the run ends.
  virtual int allocate(std::size_t bytes) = 0;
  virtual void free(int allocation) = 0;

  // Waits for stream 0 and returns `count` elements of the array on the device, from element `first` on.
  template <class Handle>
  auto read(const Handle& array, std::size_t count, std::size_t first = 0) {
    using T = typename Handle::Element;
    std::vector<T> values(count);
    read_bytes(array, first * sizeof(T), std::as_writable_bytes(std::span(values)));
    return values;
  }

  // Writes values to the array on the device from element `first` on, in stream 0.
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
