#pragma once

namespace gpulab {

// The text of prelude.cuh, which gives an ordinary C++ compiler CUDA's spelling. Embedded at build time.
const char* simulator_prelude();

}  // namespace gpulab
