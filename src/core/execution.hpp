#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/arguments.hpp"
#include "core/handles.hpp"
#include "core/launch.hpp"

namespace gpulab {

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
