#pragma once

#include <cstdint>

#include "lesson/handles.hpp"

// Arrays of the lesson, and the arguments of its kernels.

namespace gpulab::lessons::convolution {

const Input<float> image{"image"}, filter{"filter"};
const Output<float> output{"output"};
const Scalar<int> width{"width"}, height{"height"}, filter_width{"filter_width"},
    filter_height{"filter_height"}, border{"border"};

// Factors of a separable filter, a column times a row; the problem's is_separable says whether it is one.
const Input<float> row{"row"}, column{"column"};
const Scratch<float> rows_done{"rows_done"};
const Scalar<int> is_separable{"is_separable"};

// Arrays of the tensor-core kernel: for each row of each part of 16 x 16 filter elements, a matrix with 2 x
// 16 bytes for each of 32 lanes; and the inverse of the factor by which the filter was multiplied.
const Scratch<std::uint32_t> matrices{"matrices"};
const Scratch<float> inverse{"inverse"};

// Arguments of kernels with the filter in global memory, and in constant memory.
const Arguments with_filter{image, filter, output, width, height, filter_width, filter_height, border};
const Arguments without_filter{image, output, width, height, filter_width, filter_height, border};

// Arguments of the two kernels for a separable filter, and of the fused one.
const Arguments over_rows{image, row, rows_done, width, height, filter_width, border};
const Arguments over_columns{reads(rows_done), column, output, width, height, filter_height, border};
const Arguments over_both{image, row, column, output, width, height, filter_width, filter_height, border};

const Arguments from_matrices{image,  reads(matrices), reads(inverse), output, width,
                              height, filter_width,    filter_height,  border};

}  // namespace gpulab::lessons::convolution
