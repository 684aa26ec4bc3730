#include "device/simulator/check/word_history.hpp"

namespace gpulab {
namespace {

AccessRecord& of_kind(ByteHistory& byte, AccessRecord::Kind kind) {
  if (kind == AccessRecord::store) return byte.write;
  return kind == AccessRecord::atomic ? byte.atomic : byte.read;
}

}  // namespace

WordHistory history_of(const AccessRecord& only) {
  WordHistory history{};
  for (unsigned byte = 0; byte < history.size(); ++byte)
    if (only.segment() != 0 && (only.bytes() >> byte & 1)) of_kind(history[byte], only.kind()) = only;
  return history;
}

bool is_one_record(const WordHistory& history, AccessRecord& one) {
  one = {};
  unsigned bytes = 0;
  for (unsigned byte = 0; byte < history.size(); ++byte)
    for (const AccessRecord& record : {history[byte].write, history[byte].atomic, history[byte].read}) {
      if (record.segment() == 0) continue;
      if (one.segment() != 0 && one.with_bytes(0) != record.with_bytes(0)) return false;
      one = record;
      bytes |= 1u << byte;
    }
  one = one.with_bytes(bytes);
  return true;
}

}  // namespace gpulab
