#pragma once

#include <cstddef>

namespace gpulab::program::runtime {

constexpr std::size_t most_shared_of_a_block = 163 * 1024;  // with cudaFuncSetAttribute

// Of blocks of that many threads and bytes of shared memory, static and dynamic, how many a multiprocessor of
// the simulated device holds. Registers set no limit there.
int resident_blocks_of_a_multiprocessor(int block_size, std::size_t shared_bytes);

}  // namespace gpulab::program::runtime
