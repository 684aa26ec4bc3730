#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lesson/finding.hpp"
#include "lesson/launch.hpp"
#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::watch {

struct OpRecord;

// A defect as a worker logs it in the middle of a kernel: without source lines, and without allocating.
struct FoundDefect {
  struct Party {
    std::uintptr_t pc = 0;  // the return address of the hook, which tells the file and the line
    int line = 0;           // if known without addr2line
    DefectAccess access = DefectAccess::load;
    bool has_thread = false;   // whether `block` and `thread` are known
    std::uint32_t block = 0;   // its number in the grid
    std::uint32_t thread = 0;  // its number in the block
  };

  DefectKind kind = DefectKind::global_race;
  bool is_note = false;
  bool ends_launch = false;
  bool has_other = false;
  Party party, other;
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  AddressRange memory = {};   // that contains or is near the address
  const char* variable = "";  // its name in the kernel file
  int barrier_line = 0;       // the last barrier that both threads had passed
  long long index = 0;        // outside of its array, whose type is in `detail`
  char detail[160] = "";
  std::size_t count = 1;
  bool is_within_warp = false;  // for a race: whether both threads are of one warp, each time
  // For a race between stream operations: the launch, the other one, and whether both use atomics, with too
  // small a scope.
  const OpRecord *work = nullptr, *other_work = nullptr;
  bool is_by_scope = false;
  bool is_with_async_copy = false;  // the other party's copy is in flight
};

// Places for a debugger's breakpoints: these functions do nothing. They are called when a thread is at fault,
// in a kernel or in a call of the runtime. They are exported, so that gdb finds them in a stripped program.
#pragma GCC visibility push(default)
extern "C" void gpulab_found_a_defect();
extern "C" void gpulab_ended_by_a_defect();
extern "C" const char* gpulab_name_of_defect;  // its pattern, which the debugger prints
#pragma GCC visibility pop

// Returns "lanes 16 to 31 of the mask 0xffffffff", or "other lanes of the mask ...".
std::array<char, 64> text_of_lanes(LaneMask lanes, LaneMask mask);

// A worker's defects in a launch, each kind at each pair of instructions once. Kernels call it on their own
// small stacks, so it allocates nothing after it is made.
class DefectLog {
 public:
  static constexpr std::size_t capacity = 512;  // more than anybody reads

  DefectLog() { defects_.reserve(capacity); }

  void add(const FoundDefect& defect);
  // Counts a defect of a single access once more, if it is logged already. Returns false if it is not.
  bool try_count(DefectKind kind, std::uintptr_t pc, DefectAccess access);
  std::vector<FoundDefect> take();

 private:
  std::vector<FoundDefect>::iterator find(const FoundDefect& defect);

  std::vector<FoundDefect> defects_;
  std::size_t latest_ = 0;
};

// Converts logged defects into reports with source lines and thread indices. The kernel's module must still
// be loaded.
std::vector<Defect> reported(const std::vector<FoundDefect>& found, const LaunchConfig& config,
                             WarpSize warp_size);

// Adds a defect, or counts it with an earlier one of the same kind and lines.
void add_defect(std::vector<Defect>& defects, const Defect& defect);

}  // namespace gpulab::simulator::watch
