#pragma once

#include <span>
#include <string>

namespace gpulab::mpi {

// Where a rank ends that does nothing together with the others any more.
inline constexpr const char* at_the_end = "the end of the program";

// Who waits where, when not all ranks have come to the same place: one sentence. It is empty when they have.
// `places` has each rank's, "the all-reduce of output"; empty of one that has not come within the seconds.
std::string who_waits_where(std::span<const std::string> places, double seconds);

}  // namespace gpulab::mpi
