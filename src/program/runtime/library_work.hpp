#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "program/runtime/call.hpp"

#include "program/headers/library_api.cuh"  // NOLINT: the program's own declarations

// Work of CUDA's libraries in a stream. Like a copy, it is one operation that reads and writes known memory.

namespace gpulab::program::runtime {

// Memory that a call of a library is given, as consecutive pieces.
struct Operand {
  const char* name;
  std::size_t element_bytes;
  bool is_read, is_written;
  std::vector<AddressRange> pieces = {};  // in the order of the elements

  // Adds the element that begins at this address.
  void add(std::uintptr_t begin);
};

// Returns whether the operand has memory that the device cannot use, and reports it.
bool report_unusable(const Call& call, const Operand& operand);

// Checks the operands, and queues `compute`, which reads and writes their memory.
gpulab_status queue_work(const Call& call, cudaStream_t stream, const std::vector<Operand>& operands,
                         const std::function<void()>& compute);

// Explains in the finding why nobody wrote the element at this address: a library's call only asked for the
// size of its temporary memory. Returns false, and adds nothing, if there was no such call.
bool add_size_query(const Allocation& memory, std::uintptr_t address, ProgramFinding& finding);

// Reports a pointer to the device's memory where the library takes a pointer to the host's memory. Returns
// whether it has reported one.
bool report_device_pointer(const Call& call, const void* pointer, const std::string& name,
                           const std::string& correction = "");

// Adds a note that the simulated device does not offer this call, and returns gpulab_not_supported.
gpulab_status not_supported(const Call& call, const std::string& why);

// Returns the object that is kept with an open library's handle until the handle is destroyed; null at first.
std::shared_ptr<void>& cached_for(const gpulab_library& library);

// Returns the state behind a handle. If there is none, adds a finding and returns null.
gpulab_library* library_at(const Call& call, const void* handle);
void add_leaks_of_libraries(Runtime& runtime);

}  // namespace gpulab::program::runtime
