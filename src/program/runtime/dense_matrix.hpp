#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>

#include "program/runtime/library_work.hpp"

// Matrices of cuBLAS in memory, of several types of numbers, and copies to compute with, in double precision.

namespace gpulab::program::runtime {

using Complex = std::complex<double>;

template <class T>
T conjugate(T x) {
  if constexpr (std::is_same_v<T, Complex>) return std::conj(x);
  return x;
}
// Multiplies complex numbers without the tests for infinities that std::complex has, as a GPU does.
template <class T>
T times(T x, T y) {
  if constexpr (std::is_same_v<T, double>)
    return x * y;
  else
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// ---- Numbers in memory ----

// Returns the size of a type, or 0 if it is not offered.
inline std::size_t bytes_of(int type) {
  if (type == CUDA_R_8I) return 1;
  if (type == CUDA_R_16F || type == CUDA_R_16BF) return 2;
  if (type == CUDA_R_32F || type == CUDA_R_32I) return 4;
  if (type == CUDA_R_64F || type == CUDA_C_32F) return 8;
  return type == CUDA_C_64F ? 16 : 0;
}

inline double value_of_half(unsigned bits) {
  const unsigned magnitude = bits & 0x7fff;
  const double value = std::bit_cast<float>(magnitude << 13) * 0x1p112;
  const double special = magnitude > 0x7c00 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  return std::copysign(magnitude < 0x7c00 ? value : special, bits == magnitude ? 1 : -1);
}

// Returns the bits of a half or of a bfloat16, rounded to the nearest as a GPU rounds a float.
inline std::uint16_t narrow_bits(double value, bool is_half) {
  const unsigned infinity = is_half ? 0x7c00 : 0x7f80;
  const int shift = is_half ? 13 : 16;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(is_half ? value * 0x1p-112 : value));
  const unsigned magnitude = bits & 0x7fffffff, rounding = (1u << (shift - 1)) - 1;
  unsigned result = std::min((magnitude + rounding + (magnitude >> shift & 1)) >> shift, infinity);
  if (std::isnan(value)) result = infinity | infinity >> 1;
  return static_cast<std::uint16_t>(result | bits >> 31 << 15);
}

// Read and write a number of any of the types.
inline Complex loaded(std::uintptr_t address, int type) {
  const auto get = [address](auto number) {
    std::memcpy(&number, reinterpret_cast<const void*>(address), sizeof number);
    return number;
  };
  if (type == CUDA_R_8I) return get(std::int8_t());
  if (type == CUDA_R_32I) return get(std::int32_t());
  if (type == CUDA_R_16F) return value_of_half(get(std::uint16_t()));
  if (type == CUDA_R_16BF) return std::bit_cast<float>(std::uint32_t{get(std::uint16_t())} << 16);
  if (type == CUDA_R_64F) return get(double());
  if (type == CUDA_C_32F) return get(std::complex<float>());
  return type == CUDA_C_64F ? get(Complex()) : get(float());
}

inline void store(std::uintptr_t address, int type, Complex value) {
  const auto put = [address](auto number) {
    std::memcpy(reinterpret_cast<void*>(address), &number, sizeof number);
  };
  if (type == CUDA_R_8I) return put(static_cast<std::int8_t>(value.real()));
  if (type == CUDA_R_32I) return put(static_cast<std::int32_t>(value.real()));
  if (bytes_of(type) == 2) return put(narrow_bits(value.real(), type == CUDA_R_16F));
  if (type == CUDA_R_64F) return put(value.real());
  if (type == CUDA_C_32F) return put(std::complex<float>(value));
  return type == CUDA_C_64F ? put(value) : put(static_cast<float>(value.real()));
}

// ---- Matrices ----

// Return the first stored row of a column, and one past the last.
long long first_row(const auto& matrix, long long column) {
  return std::max(0LL, column - matrix.above);
}
long long end_row(const auto& matrix, long long column) {
  return std::min(matrix.rows, column + matrix.below + 1);
}

// Calls the function with the row and the column of each stored element, and with its address.
void for_each_stored(const gpulab_matrix& matrix, std::uintptr_t begin, const auto& function) {
  const auto bytes = static_cast<long long>(bytes_of(matrix.type));
  for (long long column = 0; column < matrix.columns; ++column)
    for (long long row = first_row(matrix, column); row < end_row(matrix, column); ++row)
      function(row, column, begin + static_cast<std::uintptr_t>((row + column * matrix.ld) * bytes));
}

// A column-major matrix. Elements outside of the band from `below` to `above` the diagonal are zero.
template <class T>
struct DenseMatrix {
  long long rows, columns, below, above;
  std::vector<T> elements;

  DenseMatrix(long long rows, long long columns) : rows(rows), columns(columns), below(rows), above(columns) {
    elements.resize(static_cast<std::size_t>(rows * columns));
  }
  // Copies a matrix from memory if `is_read`, completes it by its shape, and applies its operation.
  DenseMatrix(const gpulab_matrix& matrix, std::uintptr_t begin, bool is_read)
      : DenseMatrix(matrix.rows, matrix.columns) {
    const bool is_hermitian = matrix.shape == gpulab_hermitian;
    const bool is_symmetric = is_hermitian || matrix.shape == gpulab_symmetric;
    if (!is_symmetric) below = std::max(matrix.below, 0LL), above = std::max(matrix.above, 0LL);
    const bool has_unit_diagonal = std::min(matrix.below, matrix.above) < 0;  // which is not stored
    for (long long i = 0; i < rows && has_unit_diagonal; ++i) (*this)(i, i) = T(1);
    const auto take = [&](long long row, long long column, std::uintptr_t address) {
      const Complex value = loaded(address, matrix.type);
      T& element = (*this)(row, column) = T(value.real());
      if constexpr (std::is_same_v<T, Complex>)
        if (!is_hermitian || row != column) element = value;
      if (is_symmetric) (*this)(column, row) = is_hermitian ? conjugate(element) : element;
    };
    if (is_read) for_each_stored(matrix, begin, take);
    // 1 is the transpose, 2 the conjugate transpose, and 3 the conjugate.
    if (matrix.operation == 1 || matrix.operation == 2) *this = transposed();
    if (matrix.operation >= 2) conjugate_all();
  }

  T& operator()(long long row, long long column) {
    return elements[static_cast<std::size_t>(column * rows + row)];
  }
  const T& operator()(long long row, long long column) const {
    return elements[static_cast<std::size_t>(column * rows + row)];
  }
  DenseMatrix transposed() const {
    DenseMatrix result(columns, rows);
    result.below = above, result.above = below;
    for (long long j = 0; j < columns; ++j)
      for (long long i = 0; i < rows; ++i) result(j, i) = (*this)(i, j);
    return result;
  }
  void conjugate_all() {
    for (T& element : elements) element = conjugate(element);
  }
  // Writes the elements that the matrix stores.
  void write_to(const gpulab_matrix& matrix, std::uintptr_t begin) const {
    for_each_stored(matrix, begin, [&](long long row, long long column, std::uintptr_t address) {
      const Complex value = (*this)(row, column);
      store(address, matrix.type, matrix.shape == gpulab_hermitian && row == column ? value.real() : value);
    });
  }
};

}  // namespace gpulab::program::runtime
