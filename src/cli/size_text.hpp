#pragma once

#include <cstdint>
#include <string>

namespace gpulab {

// A count as people type it: 33554432, 2^25, 32Mi (Ki, Mi, Gi), 1e6. Throws UsageError, which names the
// option, for anything else, for zero, and for what does not fit in 63 bits.
std::uint64_t parse_count(const std::string& option, const std::string& text);

// Threads of a block, from 1 to 1024. Throws UsageError for anything else.
unsigned parse_block_size(const std::string& text);

}  // namespace gpulab
