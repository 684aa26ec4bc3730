#pragma once

#include <cstdint>

#include "lesson/handles.hpp"

// The arrays of the lesson, and what its kernels are called with.

namespace gpulab::lessons::convolution {

const Input<float> image{"image"}, filter{"filter"};
const Output<float> output{"output"};
const Scalar<int> width{"width"}, height{"height"}, filter_width{"filter_width"},
    filter_height{"filter_height"}, border{"border"};

// Of a filter that is a column times a row, which the problem's is_separable says.
const Input<float> row{"row"}, column{"column"};
const Scratch<float> rows_done{"rows_done"};
const Scalar<int> is_separable{"is_separable"};

// Of tensor cores: a matrix for each row of each part of 16 x 16 elements of the filter, for each of 32 lanes
// two times 16 bytes; and the inverse of what the filter was multiplied by.
const Scratch<std::uint32_t> matrices{"matrices"};
const Scratch<float> inverse{"inverse"};

// Of a kernel that takes the filter from global memory, and of one that has it in constant memory.
const Arguments with_filter{image, filter, output, width, height, filter_width, filter_height, border};
const Arguments without_filter{image, output, width, height, filter_width, filter_height, border};

// Of the two kernels for a separable filter, and of the one that does the work of both.
const Arguments over_rows{image, row, rows_done, width, height, filter_width, border};
const Arguments over_columns{reads(rows_done), column, output, width, height, filter_height, border};
const Arguments over_both{image, row, column, output, width, height, filter_width, filter_height, border};

const Arguments from_matrices{image,  reads(matrices), reads(inverse), output, width,
                              height, filter_width,    filter_height,  border};

}  // namespace gpulab::lessons::convolution
