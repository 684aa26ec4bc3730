#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::watch {

// Numbers that a library's call returns in threads in which its result is undefined, as CUB's reductions in
// all but one: bits that no program has by chance. As a float or a double, they are a NaN, which arithmetic
// propagates; as an int, a negative number. The lowest bits are the call's number.
constexpr std::uint32_t undefined_result = 0xFFFB7A00, max_undefined_calls = 128;

// Atomics of a launch that add such a number, by the call's number: where they are in the code.
class UndefinedOperands {
 public:
  void clear() {
    for (auto& pc : pcs_) pc.store(0, std::memory_order_relaxed);
  }
  void note(const MemoryAccess& atomic) {
    const std::uint32_t call = static_cast<std::uint32_t>(atomic.operand) ^ undefined_result;
    if (call < max_undefined_calls && !(atomic.traits & compares)) [[unlikely]]
      pcs_[call].store(atomic.pc, std::memory_order_relaxed);
  }
  std::uintptr_t operator[](std::size_t call) const { return pcs_[call].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uintptr_t>, max_undefined_calls> pcs_{};
};

// Follows the undefined values that a block's lanes read from inactive lanes: lanes that take no part in the
// warp operation. Such a value does harm once it, or a sum with it, is stored. It is recognised by its bits,
// which the simulator makes rare. Kernels call it on their own small stacks, so it allocates nothing after
// its constructor.
class UndefinedValues {
 public:
  // A lane that reads from an inactive one.
  struct Origin {
    unsigned thread = 0;
    int line = 0;
    std::uintptr_t pc = 0;  // the return address of the call
    unsigned source = 0;    // lane
    LaneMask mask = 0;
    LaneMask ended = 0;         // lanes of the mask that have ended
    bool source_exists = true;  // the block has a thread for the source
  };
  // A store of an undefined value.
  struct Use {
    Origin origin;
    unsigned thread = 0;
    std::uintptr_t pc = 0;
  };

  UndefinedValues() : histories_(max_threads) {}

  void start_block() {
    ++block_;
    has_any_ = false;
    pending_.reset();
  }
  // Returns whether a lane of the block has got an undefined value.
  bool any() const { return has_any_; }

  // Note what a lane gives and gets in a warp operation: from an inactive lane, or from the thread `source`.
  void on_undefined(unsigned thread, std::uint64_t given, std::uint64_t got, const Origin& origin);
  void on_exchange(unsigned thread, std::uint64_t given, std::uint64_t got, unsigned source,
                   std::uint64_t given_by_source);

  // Call these before a store or an atomic, and once it is done.
  void before_store(unsigned thread, const MemoryAccess& access);
  std::optional<Use> take_use();

 private:
  static constexpr std::size_t max_threads = 1024, kept_exchanges = 4;  // a loop may have several

  // The two values that a lane gave and got in a warp operation. At least one of them is undefined.
  struct Exchange {
    std::uint64_t given = 0, got = 0, block = 0;
    bool is_given_undefined = false, is_got_undefined = false;
    Origin origin = {};
  };
  struct History {
    std::array<Exchange, kept_exchanges> last{};
    std::size_t next = 0;
  };
  struct Pending {
    unsigned thread = 0;
    MemoryAccess access;
    std::uint64_t value_before = 0;  // in memory
  };

  const Exchange* origin_of(unsigned thread, std::uint64_t value, std::size_t bytes) const;
  void add(unsigned thread, const Exchange& exchange);

  std::vector<History> histories_;  // by thread
  std::uint64_t block_ = 0;         // counts blocks, so that nobody has to clear the histories
  bool has_any_ = false;
  std::optional<Pending> pending_;
};

}  // namespace gpulab::simulator::watch
