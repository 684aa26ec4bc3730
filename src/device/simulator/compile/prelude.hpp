#pragma once

namespace gpulab {

// The files of prelude/, joined: they give an ordinary C++ compiler CUDA's spelling. Embedded at build time.
const char* simulator_prelude();

}  // namespace gpulab
