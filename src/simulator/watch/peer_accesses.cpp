#include <algorithm>
#include <vector>

#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::watch {

void add_traffic(std::vector<device::PeerTraffic>& all, const device::PeerTraffic& traffic) {
  if (traffic.from == traffic.to || traffic.bytes() == 0) return;
  auto known = std::ranges::find_if(all, [&](const device::PeerTraffic& entry) {
    return entry.from == traffic.from && entry.to == traffic.to;
  });
  if (known == all.end()) known = all.insert(known, {.from = traffic.from, .to = traffic.to});
  known->copied += traffic.copied;
  known->loaded += traffic.loaded;
  known->stored += traffic.stored;
  known->updated += traffic.updated;
}

void PeerAccesses::start_launch(const std::vector<OwnedMemory>& memory, int device) {
  memory_ = &memory;
  has_peers_ = !memory.empty();
  device_ = device;
  last_ = 0;
  int devices = 0;
  for (const OwnedMemory& allocation : memory) devices = std::max(devices, allocation.device + 1);
  bytes_.assign(static_cast<std::size_t>(devices), {});
}

void PeerAccesses::add(const MemoryAccess& access) {
  if (!(*memory_)[last_].range.contains(access.address)) {
    const auto found = std::ranges::find_if(
        *memory_, [&](const OwnedMemory& allocation) { return allocation.range.contains(access.address); });
    if (found == memory_->end()) return;
    last_ = static_cast<std::size_t>(found - memory_->begin());
  }
  if ((*memory_)[last_].device == OwnedMemory::every_device) return;
  Bytes& bytes = bytes_[static_cast<std::size_t>((*memory_)[last_].device)];
  switch (access.operation) {
    case MemoryAccess::Operation::load:
      bytes.loaded += access.bytes;
      return;
    case MemoryAccess::Operation::store:
      bytes.stored += access.bytes;
      return;
    default:
      bytes.updated += access.bytes;
  }
}

std::vector<device::PeerTraffic> PeerAccesses::take() {
  std::vector<device::PeerTraffic> all;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const int peer = static_cast<int>(i);
    add_traffic(all, {.from = peer, .to = device_, .loaded = bytes_[i].loaded});
    add_traffic(all, {.from = device_, .to = peer, .stored = bytes_[i].stored, .updated = bytes_[i].updated});
  }
  has_peers_ = false;
  bytes_.clear();
  return all;
}

}  // namespace gpulab::simulator::watch
