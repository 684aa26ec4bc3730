#pragma once

#include <filesystem>

namespace gpulab::learn {

// The folder with what an editor has to read before a kernel file, so that it understands it without a CUDA
// Toolkit: gpulab.hpp, to be included by force, and include/, where the headers are that a kernel file may
// include. It lies in the cache under a hash of its text. What is returned is a link to the one that this
// gpulab made, which keeps its name when another gpulab makes another. Throws UsageError where there is no
// cache that stays.
std::filesystem::path editor_prelude();

}  // namespace gpulab::learn
