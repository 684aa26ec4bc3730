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
  std::vector<simulator::watch::AddressRange> pieces = {};  // in the order of the elements

  // Adds an element that lies there.
  void add(std::uintptr_t begin);
};

// Returns whether the operand has memory that the device cannot use, and reports it.
bool report_unusable(const Call& call, const Operand& operand);

// Queues work that computes with the memory, after all checks of its operands.
gpulab_status queue_work(const Call& call, cudaStream_t stream, const std::vector<Operand>& operands,
                         const std::function<void()>& compute);

// Adds a library's call that wrote nothing to the address, because it only asked for the size of its
// temporary memory. Returns whether there was such a call.
bool add_size_query(const Allocation& memory, std::uintptr_t address, ProgramFinding& finding);

// Reports a pointer to the device's memory where the library takes one to the host's. Returns whether it is.
bool report_device_pointer(const Call& call, const void* pointer, const std::string& name,
                           const std::string& correction = "");

// Notes that the simulated device does not offer this call, and returns that status.
gpulab_status not_supported(const Call& call, const std::string& why);

// Returns the object that is cached for an open library until its handle is destroyed; null at first.
std::shared_ptr<void>& cached_for(const gpulab_library& library);

// Returns the state behind a handle, or null with a finding if there is none.
gpulab_library* library_at(const Call& call, const void* handle);
void add_leaks_of_libraries(Runtime& runtime);

}  // namespace gpulab::program::runtime
