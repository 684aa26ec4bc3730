#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gpulab::program::runtime {

// How many bytes the program may use from that address of the host on, where it is in a block that the
// program has allocated; none where nobody knows.
std::optional<std::size_t> host_room_at(std::uintptr_t address);

}  // namespace gpulab::program::runtime
