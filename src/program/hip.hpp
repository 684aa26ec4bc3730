#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lesson/access_counts.hpp"
#include "lesson/exercise.hpp"
#include "source/program_files.hpp"

namespace gpulab::program {

// Returns whether the program is for AMD's HIP: its first file is .hip, or includes hip/hip_runtime.h. All
// files of a HIP program are device code, as for hipcc. HIP is CUDA's runtime API under other names, so a HIP
// program runs as CUDA, and only what is printed has HIP's names.
bool is_hip(const std::vector<source::SourceFile>& sources);
// Returns HIP's API: macros and functions that use CUDA's API, whose text is `runtime_api`.
std::string hip_api(const std::string& runtime_api, WarpSize warp_size);
// Returns the header of a library with HIP's names: hipBLAS for cuBLAS.
std::string header_in_hip(std::string header);
// Returns "cudaMalloc" for "hipMalloc", and "cuda_fp16.h" for "hip_fp16.h".
std::string cuda_name(const std::string& hip);
// Returns the sentence with HIP's names in place of CUDA's.
std::string in_hip(std::string_view sentence);
// Puts HIP's names in place of CUDA's in everything of the report that is printed.
void translate_to_hip(ProgramReport& report);

// Adds a note to the report for each line that keeps only 32 bits of a mask of 64 lanes. Adds the line that
// assumes warps of 32 lanes to the report's races, deadlocks and wrong masks.
void add_advice_for_64_lanes(const std::vector<source::SourceFile>& sources, ProgramReport& report);

}  // namespace gpulab::program
