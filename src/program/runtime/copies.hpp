#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "program/runtime/call.hpp"

// Copies of memory: what is wrong with them, and how they are done.

namespace gpulab::program::runtime {

// One end of a copy.
struct End {
  std::uintptr_t begin = 0;
  const Allocation* allocation = nullptr;  // none of pageable memory and of variables
  std::optional<simulator::schedule::ModuleVariable> variable = {};  // of the device
  bool is_destination = false;
  bool is_array = false;  // named by its handle

  bool can_be_host() const { return !variable && (!allocation || allocation->kind != MemoryKind::device); }
  bool can_be_device() const { return variable || allocation; }
  bool is_of_host() const { return variable ? variable->is_managed : can_be_host(); }
  bool is_pageable() const { return !variable && !allocation; }
  const char* role() const { return is_destination ? "destination" : "source"; }
  std::string name() const {
    if (variable) return "the device's variable " + variable->name;
    return allocation ? allocation->name() : "memory of the host";
  }
};

// Rows of so many bytes; one row for all but the copies in 2D and 3D.
struct Rows {
  std::size_t width = 0, height = 1, to_pitch = 0, from_pitch = 0;

  std::size_t to_span() const { return (height - 1) * to_pitch + width; }
  std::size_t from_span() const { return (height - 1) * from_pitch + width; }
};

struct Copy {
  const Call& call;
  End to, from;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  Rows rows = {};
};

End end_at(const Call& call, const void* address, bool is_destination);
Copy flat(const Call& call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
Copy of_rows(const Call& call, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
             std::size_t width, std::size_t height, cudaMemcpyKind kind);

// How many bytes there are from the beginning of an end on; none where nobody knows.
std::optional<std::size_t> room_of(const End& end);

// For a set to an odd value, which no number of several bytes has then.
ProgramFinding finding_of_value(const Allocation::Write& set);

// The error, with a defect, of an end that is no memory, and of one that so many bytes go past.
cudaError_t objection_to_end(const Copy& copy, const End& end);
cudaError_t objection_to_size(const Copy& copy, const End& end, std::size_t bytes);
// All that can be wrong with a copy.
cudaError_t objection_to(const Copy& copy);

// Does it, with all objections and findings. The host waits as CUDA has it wait.
cudaError_t perform(const Copy& copy, cudaStream_t stream, bool is_asynchronous);

// One end of a copy of rows, by the bytes between their beginnings. Only the runtime names an array's memory.
struct RowsAt {
  std::uintptr_t begin = 0;
  std::size_t pitch = 0;
  bool is_array = false;
};

cudaError_t copy_rows(const Call& call, const RowsAt& to, const RowsAt& from, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool is_asynchronous);

// A part of an array: a place, in bytes within the row, and how much of it. Says what is wrong with it.
cudaError_t rows_in_array(const Call& call, cudaArray_const_t array, std::size_t x_bytes, std::size_t y,
                          std::size_t z, std::size_t width_bytes, std::size_t height, std::size_t depth,
                          RowsAt& rows);

}  // namespace gpulab::program::runtime
