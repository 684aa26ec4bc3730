#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lesson/finding.hpp"
#include "simulator/stream.hpp"
#include "simulator/watch/concurrent_ops.hpp"

namespace gpulab::simulator::watch {

// An access by the host's own code to memory that the device can use, too.
struct HostAccess {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  DefectAccess access = DefectAccess::load;
  bool is_strong = false;  // volatile or atomic
  std::uintptr_t pc = 0;
};

// The result of checking a host access.
struct HostView {
  // The operation whose flag the host has read, or null; the host's next steps happen after it.
  const StreamOp* seen = nullptr;
  // The instruction that sets the flag, if no fence comes before it, so that the flag orders nothing; or 0.
  std::uintptr_t unfenced_flag_pc = 0;
  bool is_quiet = false;  // no race is possible in that memory before the host's next call
  // The host has read a flag that was set after stores without a fence between: it may now read such a store.
  bool must_check_each_load = false;
};

// Finds data races between stream operations: both use the same memory, at least one writes it, and neither
// happens before the other by their vector clocks (StreamOp). It follows the calls of the host, not the order
// in which the simulator runs the operations.
class StreamRaces {
 public:
  explicit StreamRaces(std::shared_ptr<StreamOrder> order) : order_(std::move(order)) {}

  // Returns a token that each checked launch holds until it has run. Without one, no operation is watched.
  std::shared_ptr<const int> watch_token() const { return watch_token_; }
  bool is_watching() const { return watch_token_.use_count() > 1 || !past_ops_.empty(); }

  // Checks a copy, a set or a collective before it runs. Adds to the defects.
  void on_work(const StreamOp& op, std::string name, std::vector<MemoryUse> uses,
               std::vector<Defect>& defects);

  // Begins a checked launch; returns null if no other operation is concurrent with it.
  ConcurrentOps* start_launch(const StreamOp& op, std::string name, int device,
                              std::span<const WatchedRegion> regions);
  // Ends the launch, and keeps its accesses.
  void finish_launch(const InstructionSites& sites);

  // Checks an access by the host. Adds to the defects.
  HostView on_host(const WatchedRegion& memory, const HostAccess& access, std::vector<Defect>& defects);

  // Drops the accesses to memory that was freed.
  void forget(const AddressRange& memory);

 private:
  // The host's own code between two of its calls, or until an operation runs.
  struct HostStep {
    OpRecord* record = nullptr;
    std::uint64_t number = 0;  // StreamOrder::host_steps()
    std::optional<ConcurrentOps> concurrent_ops;
    std::vector<std::uintptr_t> regions;                            // their first addresses
    std::set<std::pair<std::uintptr_t, const OpRecord*>> reported;  // pc, other operation
  };

  std::vector<const OpRecord*> unordered_with(const StreamOp& op);
  ConcurrentOps::Kept kept_of(const StreamOp& launch, std::span<const WatchedRegion> regions) const;
  void start_host_step();
  void look_for_late_stores(const WatchedRegion& memory, const HostAccess& access,
                            std::vector<Defect>& defects, HostView& view);
  void note_late_stores(const OpRecord& record, std::uintptr_t flag);

  std::optional<HostStep> host_;

  // Late stores before flags that the host has read, with the operation that made them; and the addresses of
  // those that were ordered by another flag. Valid until the host waits for work.
  struct SeenLateStore {
    LateStore store;
    OpRecord by;  // without its accesses
  };
  std::vector<SeenLateStore> seen_late_;
  std::set<std::uintptr_t> ordered_late_;
  std::uint64_t waits_before_seen_ = 0;  // StreamOrder::host_waits()

  std::shared_ptr<StreamOrder> order_;
  std::shared_ptr<const int> watch_token_ = std::make_shared<int>();
  std::vector<std::unique_ptr<OpRecord>> past_ops_;
  std::unique_ptr<OpRecord> launched_;
  std::unique_ptr<ConcurrentOps> concurrent_ops_;
};

// Describes a race between two operations, whichever ran first, and says how to order them as meant.
void describe_race(const OpRecord& mine, const OpRecord& other, bool is_by_scope, Defect& defect);

}  // namespace gpulab::simulator::watch
