#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "program/runtime/call.hpp"

// Copies of memory: how they are checked and queued.

namespace gpulab::program::runtime {

// One end of a copy.
struct CopyEndpoint {
  std::uintptr_t begin = 0;
  const Allocation* allocation = nullptr;       // null for pageable memory and variables
  std::optional<ModuleVariable> variable = {};  // a variable of the device
  bool is_destination = false;
  bool is_array = false;          // given by its handle
  const char* operand = nullptr;  // name of the operand, if a library's call is checked like a copy

  bool can_be_host() const { return !variable && (!allocation || allocation->kind != MemoryKind::device); }
  bool can_be_device() const { return variable || allocation; }
  bool is_of_host() const { return variable ? variable->is_managed : can_be_host(); }
  bool is_pageable() const { return !variable && !allocation; }
  const char* role() const { return operand ? operand : is_destination ? "destination" : "source"; }
  std::string name() const {
    if (variable) return "the device's variable " + variable->name;
    return allocation ? allocation->name()
           : host_memory_at(begin)
               ? "memory of the host"
               : "no memory of the device: an address of the host, or a pointer without a value";
  }
};

// Rows of `width` bytes; a single row except in 2D and 3D copies.
struct Rows {
  std::size_t width = 0, height = 1, to_pitch = 0, from_pitch = 0;

  std::size_t to_span() const { return (height - 1) * to_pitch + width; }
  std::size_t from_span() const { return (height - 1) * from_pitch + width; }
};

struct Copy {
  const Call& call;
  CopyEndpoint to, from;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  Rows rows = {};
};

CopyEndpoint endpoint_at(const Call& call, const void* address, bool is_destination = false);
// Returns the number of bytes from the pointer to the end of its memory; none if that is unknown.
std::optional<std::size_t> bytes_left(const CopyEndpoint& endpoint);
// Describe a copy of consecutive bytes, and one of rows; queue_copy() makes it.
Copy describe_copy(const Call& call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
Copy describe_row_copy(const Call& call, void* to, std::size_t to_pitch, const void* from,
                       std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind);

// Returns the finding for a memset to an unusual value: it sets each byte to it, not each number.
ProgramFinding finding_of_value(const Allocation::Write& set);

// Returns whether the copy is from an array of the host that the program has not filled, by its text.
bool has_unset_source(const Copy& copy);

// Report a defect and return its error: for an endpoint that is invalid memory, and for one that is too
// small.
cudaError_t check_endpoint(const Copy& copy, const CopyEndpoint& endpoint);
cudaError_t check_endpoint_size(const Copy& copy, const CopyEndpoint& endpoint, std::size_t bytes);
// Reports a copy or a set of 8 bytes in larger memory, if the program's text has sizeof of a pointer there.
void report_size_of_pointer(const Copy& copy);
// Makes all checks of a copy, up to the first error.
cudaError_t check_copy(const Copy& copy);

// Checks the copy, adds findings and queues it. The host waits where it does so in CUDA.
cudaError_t queue_copy(const Copy& copy, cudaStream_t stream, bool is_asynchronous);

// Rows at one end of a copy, `pitch` bytes apart. They may be in an array, whose address the program does not
// know.
struct RowsAt {
  std::uintptr_t begin = 0;
  std::size_t pitch = 0;
  bool is_array = false;
};

// Check and queue a copy of a box, and a memset of rows of bytes, for which the host does not wait.
cudaError_t queue_box_copy(const Call& call, const cudaMemcpy3DParms& what, cudaStream_t stream,
                           bool is_asynchronous);
cudaError_t queue_row_set(const Call& call, void* to, std::size_t pitch, int value, std::size_t width,
                          std::size_t height, cudaStream_t stream, std::size_t element_bytes);

// The direction of a copy, and whether the host waits for it.
struct CopyMode {
  cudaMemcpyKind kind = cudaMemcpyDefault;
  cudaStream_t stream = nullptr;
  bool is_asynchronous = false;
};

cudaError_t queue_row_copy(const Call& call, const RowsAt& to, const RowsAt& from, std::size_t width,
                           std::size_t height, const CopyMode& mode);

// Stores the rows of the part of an array that begins at x, y, z. Reports a part outside of the array.
cudaError_t rows_in_array(const Call& call, cudaArray_const_t array, std::size_t x_bytes, std::size_t y,
                          std::size_t z, std::size_t width_bytes, std::size_t height, std::size_t depth,
                          RowsAt& rows);

}  // namespace gpulab::program::runtime
