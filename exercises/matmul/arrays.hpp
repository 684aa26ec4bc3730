#pragma once

#include "lesson/handles.hpp"

namespace gpulab::lessons::matmul {

const Input<float> A{"A"}, B{"B"};
const Output<float> C{"C"};
const Scalar<int> rows{"m"}, columns{"n"}, terms{"k"};

// Arguments of every kernel.
const Arguments all_arguments{A, B, C, rows, columns, terms};

}  // namespace gpulab::lessons::matmul
