#pragma once

#include <array>
#include <atomic>
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
#include "simulator/watch/launch_watch.hpp"

namespace gpulab::simulator::watch {

// Memory that a copy, a set or a collective reads or writes.
struct MemoryUse {
  AddressRange range;
  DefectAccess access = DefectAccess::load;
};

// What a launch has done to a word: of each kind of access, to which bytes and by which instruction.
class WordUse {
 public:
  // A strong load is a volatile or an atomic one.
  enum Kind : unsigned { load, store, atomic, strong_load };
  enum Scope : unsigned { system = 0, device = 1, block = 2 };

  // Several workers may do so at the same time.
  void add(Kind kind, unsigned bytes, std::size_t site, Scope scope);
  unsigned bytes(Kind kind) const { return at(kind) & 0xF; }
  bool has_scope(Scope scope) const { return (at(atomic) >> 4 & scope) != 0; }
  std::size_t site(Kind kind) const { return at(kind) >> 8; }

 private:
  std::uint32_t at(Kind kind) const { return uses_[kind]; }

  std::array<std::uint32_t, 4> uses_{};
};

// A piece of work that was done, and what it did to memory, for as long as there is work that nothing orders
// with it.
struct WorkDone {
  Piece piece;
  std::string name;  // "GPU 1's kernel smooth", "the copy to the host"
  int device = 0;
  bool is_launch = false;
  bool is_host = false;              // the host's own code, whose uses are kept like those of a launch
  std::vector<MemoryUse> uses = {};  // of copies, sets and collectives
  struct Words {
    AddressRange range;
    ReservedArray<WordUse> words;
  };
  std::vector<Words> regions = {};
  std::vector<std::uintptr_t> codes = {};  // by site
};

// The launch that runs, or what the host does, beside work that nothing orders with it.
class WorkBeside {
 public:
  WorkBeside(WorkDone& mine, std::vector<const WorkDone*> others, std::span<const WatchedRegion> regions,
             bool is_kept);
  // One more region, which gets the next number.
  void add(const WatchedRegion& region);

  struct Access {
    WordUse::Kind kind = WordUse::load;
    WordUse::Scope scope = WordUse::device;  // of an atomic
    std::size_t site = 0;
    unsigned bytes = 0;  // of the word, one bit each
  };
  struct Conflict {
    const WorkDone* other = nullptr;
    DefectAccess access = DefectAccess::load;
    std::uintptr_t code = 0;   // 0 where it is no code of the program
    bool is_by_scope = false;  // both are atomics, for too few threads
  };
  // Remembers the access to a word of a region of the launch, and says what it races with.
  std::optional<Conflict> at_word(std::size_t region, std::size_t word, const Access& access);
  // Whether no other work uses the region, and none is still to come.
  bool is_quiet(std::size_t region) const { return !is_kept_ && regions_[region].others.empty(); }
  const Piece* setter_of(std::size_t region, std::size_t word) const;
  const WorkDone& mine() const { return mine_; }

 private:
  struct Other {
    const WorkDone* work;
    const WordUse* words;  // null where the work is no launch
  };
  struct Region {
    std::uintptr_t begin = 0;
    WordUse* mine = nullptr;  // null where nothing has to be kept
    std::vector<Other> others;
  };
  std::optional<Conflict> with_launch(const Other& other, std::size_t word, const Access& access) const;
  static std::optional<Conflict> with_uses(const WorkDone& other, std::uintptr_t address,
                                           const Access& access);

  WorkDone& mine_;
  std::vector<const WorkDone*> others_;
  bool is_kept_;
  std::vector<Region> regions_;  // as the launch has them
};

// What the host's own code does to memory that the device can use, too.
struct HostAccess {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  DefectAccess access = DefectAccess::load;
  bool is_strong = false;  // volatile or atomic
  std::uintptr_t code = 0;
};

// What the host learns when it touches memory.
struct HostView {
  const Piece* seen =
      nullptr;  // the work whose flag it looked at, if there is one: the host goes on after that work
  bool is_quiet = false;  // nothing can be found in that memory before the host asks for work or waits
};

// Finds pieces of work of which nothing orders one before the other, and that use the same memory. It does so
// by what the host has asked for, not by the order in which the simulator runs it.
class WorkRaces {
 public:
  explicit WorkRaces(std::shared_ptr<WorkOrder> order) : order_(std::move(order)) {}

  // To be held by a checked launch until it has run: while there is none, no work is looked at.
  std::shared_ptr<const int> announcement() const { return announced_; }
  bool is_watching() const { return announced_.use_count() > 1 || !kept_.empty(); }

  // Before a copy, a set or a collective is done. Adds to the defects.
  void at_work(const Piece& piece, std::string name, std::vector<MemoryUse> uses,
               std::vector<Defect>& defects);

  // Before a checked launch; null where all other work is ordered with it.
  WorkBeside* start_launch(const Piece& piece, std::string name, int device,
                           std::span<const WatchedRegion> regions);
  // After it.
  void finish_launch(const CodeSites& sites);

  // By the host, to that memory. Adds to the defects.
  HostView at_host(const WatchedRegion& memory, const HostAccess& access, std::vector<Defect>& defects);

  // Memory that was freed.
  void forget(const AddressRange& memory);

 private:
  // Of the host, until it asks for work or waits, or work is done.
  struct HostStep {
    WorkDone* work = nullptr;
    std::uint64_t number = 0;  // WorkOrder::host_steps()
    std::optional<WorkBeside> beside;
    std::vector<std::uintptr_t> regions;                        // where they begin
    std::set<std::pair<std::uintptr_t, const WorkDone*>> told;  // where it raced, and with what
  };

  std::vector<const WorkDone*> unordered_with(const Piece& piece);
  void start_host_step();

  std::optional<HostStep> host_;

  std::shared_ptr<WorkOrder> order_;
  std::shared_ptr<const int> announced_ = std::make_shared<int>();
  std::vector<std::unique_ptr<WorkDone>> kept_;
  std::unique_ptr<WorkDone> launched_;
  std::unique_ptr<WorkBeside> beside_;
};

// What is said of two pieces of work, whichever of them ran first: in which order they were meant, and how to
// order them.
void describe_race(const WorkDone& mine, const WorkDone& other, bool is_by_scope, Defect& defect);

}  // namespace gpulab::simulator::watch
