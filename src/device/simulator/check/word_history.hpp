#pragma once

#include <array>

#include "device/simulator/check/access_record.hpp"

namespace gpulab {

// What has to be known of a byte to find every race on it (after FastTrack: Flanagan and Freund, PLDI 2009):
// the last write, and the atomics and the reads since, of each a record that stands for all. A write that was
// ordered after all of them replaces them: what would race with them will race with it.
struct ByteHistory {
  AccessRecord write, atomic, read;
};

using WordHistory = std::array<ByteHistory, 4>;

// Most words need no more than one record, of the bytes that it has.
WordHistory history_of(const AccessRecord& only);
// False when it takes more than one record to say the same.
bool is_one_record(const WordHistory& history, AccessRecord& record);

}  // namespace gpulab
