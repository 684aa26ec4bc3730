#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lesson/finding.hpp"
#include "lesson/launch.hpp"
#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::watch {

struct WorkDone;

// A defect as a worker writes it down, in the middle of a kernel: without a name, and without memory of its
// own.
struct FoundDefect {
  struct Party {
    std::uintptr_t code = 0;  // where the kernel goes on after the access
    int line = 0;             // where it is known without asking
    DefectAccess access = DefectAccess::load;
    bool has_place = false;
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
  AddressRange memory = {};   // that it is in or near
  const char* variable = "";  // its name in the kernel file
  int barrier_line = 0;       // that the block of both threads had come through last
  char detail[96] = "";
  std::size_t count = 1;
  // Of two pieces of work: the launch and the other one, and whether both do atomics, for too few threads.
  const WorkDone *work = nullptr, *other_work = nullptr;
  bool is_by_scope = false;
};

// What a worker has found in a launch: each kind at each pair of instructions once. Kernels call it on their
// own small stacks, so it allocates nothing after it is made.
class DefectLog {
 public:
  static constexpr std::size_t most = 512;  // more than anybody reads

  DefectLog() { defects_.reserve(most); }

  void add(const FoundDefect& defect);
  std::vector<FoundDefect> take();

 private:
  std::vector<FoundDefect> defects_;
  std::size_t latest_ = 0;
};

// What workers found in a launch of that shape, with lines and places. The kernel's module must still be
// loaded.
std::vector<Defect> reported(const std::vector<FoundDefect>& found, const LaunchConfig& config);

// Adds it to those of its kind and lines, if there are any.
void add_defect(std::vector<Defect>& defects, const Defect& defect);

}  // namespace gpulab::simulator::watch
