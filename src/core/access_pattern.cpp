#include "core/access_pattern.hpp"

namespace gpulab {

LaneStride& LaneStride::operator+=(const LaneStride& other) {
  if (bytes == other.bytes)
    votes += other.votes;
  else if (votes >= other.votes)
    votes -= other.votes;
  else
    *this = {other.bytes, other.votes - votes};
  return *this;
}

AccessPattern& AccessPattern::operator+=(const AccessPattern& other) {
  least_sectors += other.least_sectors;
  least_bank_wavefronts += other.least_bank_wavefronts;
  costly_stride += other.costly_stride;
  return *this;
}

}  // namespace gpulab
