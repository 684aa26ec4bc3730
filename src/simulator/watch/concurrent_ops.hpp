#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
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

// A launch's accesses to one word: for each kind, the bytes and the first instruction.
class WordUse {
 public:
  // A strong load is volatile or atomic.
  enum Kind : unsigned { load, store, atomic, strong_load };
  // The scopes of atomics. The flag `releasing` is added if the atomic comes after a fence of the launch.
  enum Scope : unsigned { system = 0, device = 1, block = 2, releasing = 4 };

  // Adds an access. Safe to call from several workers at once.
  void add(Kind kind, unsigned bytes, std::size_t site, Scope scope);
  unsigned bytes(Kind kind) const { return at(kind) & 0xF; }
  bool has_scope(Scope scope) const { return (at(atomic) >> 4 & scope) != 0; }
  std::size_t site(Kind kind) const { return at(kind) >> 8; }

 private:
  // The host's thread reads it while workers add to it.
  std::uint32_t at(Kind kind) const {
    return std::atomic_ref(const_cast<std::uint32_t&>(uses_[kind])).load(std::memory_order_relaxed);
  }

  // By kind: the bytes in bits 0 to 3, the scopes in 4 to 6, the site in the others.
  std::array<std::uint32_t, 4> uses_{};
};

// A launch's accesses to the words of a region. Launches in other streams are compared with it, often
// hundreds of them, so it knows in which pages of words there are any.
class RegionUses {
 public:
  static constexpr std::size_t page_words = 1024;

  explicit RegionUses(const AddressRange& range);

  // Adds an access. Safe to call from several workers at once.
  void add(std::size_t word, WordUse::Kind kind, unsigned bytes, std::size_t site, WordUse::Scope scope);
  const AddressRange& range() const { return range_; }
  const WordUse& operator[](std::size_t word) const { return words_[word]; }
  // Returns the first page from this one on that has an access; the number of pages if there is none.
  std::size_t next_page(std::size_t page) const;
  std::size_t pages() const { return pages_; }

 private:
  AddressRange range_;
  std::size_t pages_;
  ReservedArray<WordUse> words_;
  ReservedArray<std::uint8_t> is_used_;  // by page
};

// A store of a launch after which its thread sets a flag without a fence in between, so that nothing orders
// the store before the flag.
struct LateStore {
  std::uintptr_t flag = 0, flag_pc = 0;  // flag_pc: the instruction that stores the flag
  std::uintptr_t address = 0, pc = 0;
  std::size_t bytes = 0;

  bool overlaps(std::uintptr_t begin, std::size_t count) const {
    return address < begin + count && begin < address + bytes;
  }
};

// A stream operation that has run, with its accesses to memory. It is kept as long as a later operation can
// be concurrent with it.
struct OpRecord {
  StreamOp op;
  std::string name;  // "GPU 1's kernel smooth", "the copy to the host"
  int device = 0;
  bool is_launch = false;
  bool is_host = false;              // the host's own code, recorded like a launch
  std::vector<MemoryUse> uses = {};  // by copies, sets and collectives
  std::list<RegionUses> regions = {};
  std::vector<std::uintptr_t> pcs = {};  // by site
  std::vector<LateStore> late = {};
};

// Guards the late stores of all operations.
inline std::mutex late_stores_mutex;

// Compares the accesses of the running launch, or of the host, with those of concurrent operations.
class ConcurrentOps {
 public:
  // The regions whose accesses are kept, since a later operation can be concurrent.
  enum class Kept { none, shared_with_host, all };
  ConcurrentOps(OpRecord& mine, std::vector<const OpRecord*> others, std::span<const WatchedRegion> regions,
                Kept kept);
  // Adds a region, which gets the next number.
  void add(const WatchedRegion& region);

  struct Access {
    WordUse::Kind kind = WordUse::load;
    WordUse::Scope scope = WordUse::device;  // if it is an atomic
    std::size_t site = 0;
    unsigned bytes = 0;  // a mask of the word's bytes
  };
  struct Conflict {
    const OpRecord* other = nullptr;
    DefectAccess access = DefectAccess::load;
    std::uintptr_t pc = 0;     // 0 for an operation that runs no code, such as a copy
    bool is_by_scope = false;  // both are atomics, and a scope is too small
    bool is_strong_load = false;
  };
  // Records an access to a word of a region, and returns the first race.
  std::optional<Conflict> on_word(std::size_t region, std::size_t word, const Access& access);
  // Adds a late store of the launch. Safe to call from several workers at once.
  void add_late_store(const LateStore& store);
  // Returns whether no race is possible in the region: no concurrent operation uses it, and none can follow.
  bool is_quiet(std::size_t region) const { return !uses_of(region) && !is_used_by_others(region); }
  bool is_used_by_others(std::size_t region) const { return !regions_[region].others.empty(); }
  // Returns the launch's accesses to the region's words; null if they are not kept.
  RegionUses* uses_of(std::size_t region) const { return regions_[region].mine; }
  // A concurrent operation that has written a word by an atomic or a volatile store. The word may be a flag
  // that it has set. `op` is null if there is none.
  struct Setter {
    const StreamOp* op = nullptr;
    bool is_releasing = false;
    std::uintptr_t pc = 0;
  };
  Setter setter_of(std::size_t region, std::size_t word) const;
  const OpRecord& mine() const { return mine_; }

 private:
  struct Other {
    const OpRecord* record;
    const RegionUses* words;  // null unless it is a launch

    friend bool operator==(const Other&, const Other&) = default;
  };
  struct Region {
    std::uintptr_t begin = 0;
    RegionUses* mine = nullptr;
    std::vector<std::vector<Other>> others;  // by page; empty if no page has any

    std::span<const Other> others_at(std::size_t word) const;
    void add(std::size_t page, const Other& other, std::size_t pages);
  };
  std::optional<Conflict> launch_conflict(const Other& other, std::size_t word, const Access& access) const;
  static std::optional<Conflict> use_conflict(const OpRecord& other, std::uintptr_t address,
                                              const Access& access);

  OpRecord& mine_;
  std::vector<const OpRecord*> others_;
  Kept kept_;
  std::vector<Region> regions_;  // in the launch's order
};

bool overlap(const AddressRange& a, const AddressRange& b);
AddressRange intersection(const AddressRange& a, const AddressRange& b);

// Returns the first access of a launch that conflicts with a plain use of a range. Stores its address.
std::optional<ConcurrentOps::Conflict> first_conflict(const OpRecord& launch, const MemoryUse& use,
                                                      std::uintptr_t& address);

}  // namespace gpulab::simulator::watch
