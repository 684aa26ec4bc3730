#pragma once

#include "program/runtime/call.hpp"

namespace gpulab::program::runtime {

// One end of a copy of rows, by the bytes between their beginnings. An array's memory is the runtime's own to
// name.
struct RowsAt {
  std::uintptr_t begin = 0;
  std::size_t pitch = 0;
  bool is_array = false;
};

// Copies so many rows of so many bytes, with all objections and findings of a copy. The host waits as CUDA
// has it wait.
cudaError_t copy_rows(Call& call, const RowsAt& to, const RowsAt& from, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind, cudaStream_t stream, bool is_asynchronous);

// Of a set to an odd value, which no number of several bytes has then.
ProgramFinding finding_of_value(const Allocation::Write& set);

// A part of an array: a place, in bytes within the row, and how much of it. Says what is wrong with it.
cudaError_t rows_in_array(const Call& call, cudaArray_const_t array, std::size_t x_bytes, std::size_t y,
                          std::size_t z, std::size_t width_bytes, std::size_t height, std::size_t depth,
                          RowsAt& rows);

}  // namespace gpulab::program::runtime
