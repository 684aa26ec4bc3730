#pragma once

#include <cstdint>

#include "lesson/handles.hpp"

namespace gpulab::lessons::matmul {

const Input<float> A{"A"}, B{"B"};
const Output<float> C{"C"};
const Scalar<int> rows{"m"}, columns{"n"}, terms{"k"};

// A and B in half precision, two elements in 32 bits.
const Scratch<std::uint32_t> A_panels{"A_panels"}, B_panels{"B_panels"};

// Arguments of every kernel, but for those in half precision.
const Arguments all_arguments{A, B, C, rows, columns, terms};

}  // namespace gpulab::lessons::matmul
