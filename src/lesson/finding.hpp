#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "lesson/handles.hpp"

namespace gpulab {

// Defects of a kernel: reasons why it cannot be compiled, launched or continued, and findings of a device
// that watches every access, whatever the result.

enum class DefectKind {
  // It did not run.
  does_not_compile,
  missing_kernel,    // no kernel of that name in the file
  wrong_parameters,  // parameters differ from the lesson's launch
  launch_refused,
  constant_too_small,  // for the values that the host copies to constant memory

  // It was stopped.
  illegal_address,
  not_enough_shared,  // less dynamic shared memory than requested
  division_by_zero,   // integer division
  divergent_barrier,  // threads of a block at different barriers
  deadlock,
  time_limit,
  stack_overflow,
  trapped,            // the kernel called __trap()
  failed_assertion,   // assert() in the kernel
  endless_wait,       // for a memory word that no thread changes
  bad_free,           // not from malloc() in a kernel, or freed before
  too_much_output,    // printf in one launch
  too_many_accesses,  // memory accesses in one launch, above the host's limit

  // It was watched.
  shared_race,           // two unordered threads of a block
  global_race,           // the same in global memory, also between blocks
  race_streams,          // kernels or copies in two streams, unordered by events
  out_of_bounds,         // outside an array in global memory
  shared_out_of_bounds,  // outside a block's shared memory, static or dynamic
  array_index,           // outside an array of known size in the source
  misaligned,            // not a multiple of the type's alignment
  host_pointer,          // host memory
  no_peer_access,        // memory of another GPU without peer access
  constant_write,
  uninitialised,         // read of global memory never written
  shared_uninitialised,  // read of shared memory that no thread of the block has written
  missed_barrier,        // some threads had returned before the others met at a barrier
  wrong_mask,            // does not include the calling lane
  absent_lanes,          // of a mask: they end, or are in a warp function of another kind

  other,
};

// Returns the pattern name in lower case with hyphens: "race-shared".
std::string_view name_of(DefectKind kind);

// Returns "line 12", "line 12 of sum.cuh" if a file is given, or "an unknown line".
std::string line_text(int line, const std::string& file);

// Reason why a kernel did not finish.
struct Failure {
  DefectKind kind = DefectKind::other;
  int line = 0;           // line of the kernel file; 0 if unknown
  std::string file = {};  // file of the line, if not the kernel file or program
  // The compiler's message without file and line.
  std::string complaint = {};
};

// Thrown for a kernel file that does not compile or has other parameters than the lesson's launch.
class CompileError : public Error {
 public:
  CompileError(const std::string& message, std::string log, Failure failure)
      : Error(ExitCode::compilation, message), log_(std::move(log)), failure_(failure) {}
  // Returns the compiler's output, with the learner's file name and lines.
  const std::string& log() const { return log_; }
  const Failure& failure() const { return failure_; }

 private:
  std::string log_;
  Failure failure_;
};

// A thread of a launch.
struct DefectThread {
  Extent block{0, 0, 0}, thread{0, 0, 0};  // blockIdx and threadIdx
  unsigned warp = 0, lane = 0;             // within its block
  unsigned least_axes = 1;                 // fewest axes of threadIdx that a text names

  friend bool operator==(const DefectThread&, const DefectThread&) = default;
};

// Returns "block 3 thread (5, 1) (warp 0, lane 21)".
std::string text_of(const DefectThread& place);
std::string text_of_block(const DefectThread& place);   // "block 3"
std::string text_of_thread(const DefectThread& place);  // "thread (5, 1)", within its block

enum class DefectAccess : unsigned char { load, store, atomic };

struct Defect {
  // One of the two threads of a race, or the only thread involved.
  struct Party {
    int line = 0;  // line of the kernel file; 0 if unknown
    DefectAccess access = DefectAccess::load;
    std::optional<DefectThread> place;
    std::string file = {};  // file of the line, if not the kernel file or program
    // If the line is in an inlined function: the lines that called it, the nearest first, as far as they are
    // in the same process.
    struct Caller {
      int line = 0;
      std::string file = {};
    };
    std::vector<Caller> callers = {};
  };

  // An array in memory, as far as the device knows it.
  struct Memory {
    // Name in place of a variable, for a null pointer that malloc() or new returned for lack of room.
    static constexpr const char* of_full_heap = "the full heap";

    std::string variable;      // variable of the kernel file; empty if allocated by the host
    std::uintptr_t begin = 0;  // 0 if no array is near the address
    std::size_t bytes = 0;
    std::vector<std::size_t> dimensions = {};  // {3, 5} for tile[3][5]; empty if unknown
  };

  DefectKind kind = DefectKind::global_race;
  bool is_note = false;      // allowed but worth knowing: threads write the same value
  bool ends_launch = false;  // the kernel could not go on
  Party party;
  std::optional<Party> other;  // the earlier one
  // For race_streams, the operation of each: "GPU 1's kernel smooth", "the copy to the host".
  std::string work = {}, other_work = {};
  // A race with the host's own code, which is then `party`: the return addresses of its access's hook and of
  // the call that requested the other operation.
  bool is_with_host = false;
  std::uintptr_t host_at = 0, issued_at = 0;
  std::uintptr_t address = 0;   // first byte accessed; 0 if not about memory
  std::size_t bytes = 0;        // bytes accessed
  Memory memory;                // array that contains the address or, out of bounds, is near it
  long long index = 0;          // of array_index, outside of its array
  std::string detail;           // what only the device knows, such as that array's type, "float [32]"
  int barrier_line = 0;         // for a race in a block: line of the last barrier before both; 0 if none
  std::size_t count = 1;        // defects of this kind in these lines; the other fields describe the first
  bool is_within_warp = false;  // each such race was between lanes of one warp, in a block of several warps
};

// The memory at an address, as a message names it. Both are empty if it is near no known array.
struct MemoryName {
  std::string element = {};  // "input[5]"
  std::string where = {};    // "past its 4 elements"; without an element: "byte 5 of the 16 bytes that ..."
};
using ArrayElement = std::function<MemoryName(std::uintptr_t address)>;

// A sentence about a defect, in parts.
struct DefectText {
  std::string what;         // "out of bounds"; empty if `how` says it
  std::string how;          // thread and place: "block 0 thread 3 reads 4 bytes in line 7, ..."
  std::string remedy = {};  // in the words of the driver API; empty if `how` needs none
};

// Returns "index 32 of tile (float [32])", or "index 32 of a float [32]" without the array's name.
std::string text_of_index(long long index, const std::string& type, const std::string& name = "");

DefectText text_in_parts(const Defect& defect, const ArrayElement& element = {});

// Joins the parts: "out of bounds: block 0 thread 3 reads ..."
std::string explanation_of(const Defect& defect, const ArrayElement& element = {});

// Describes the other thread alone, for its own line: "block 0 thread 2 wrote it here".
// Empty without another thread, or if its line is unknown or the same.
std::string text_of_other_party(const Defect& defect);

// Sorts by severity, causes before consequences; notes come last.
void sort_by_severity(std::vector<Defect>& defects);
// Does so, and drops notes.
std::vector<Defect> by_severity(std::vector<Defect> defects);

// One line about a wrong result, in parts. It claims no more than the memory shows.
struct Explanation {
  std::string pattern = {};   // "unwritten-tail"; "wrong-values" when nothing better fits
  std::string fact = {};      // "12 of 256 bins wrong, first bin 3: expected 5, got 4"
  std::string computed = {};  // the computed result it equals: "each wrong bin is 2 times its right value"
  std::string guess = {};     // a possible cause: "an index that is off by one"
  // The fact, if every access was watched and none raced; empty if that makes no difference.
  std::string fact_without_race = {};
  std::string model = {};                // the cause without the numbers of this case; empty for a fact alone
  std::vector<Explanation> others = {};  // others that fit, the best first; the last is the fact alone

  // Returns whether this case could have the cause.
  bool allows(const std::string& cause) const;
  // Returns the computed result or the guess; empty without either.
  std::string cause() const;
  // Joins all parts in one line.
  std::string text() const;
};

// Findings besides right or wrong.

// A named number: "registers", "sources", "relative error".
struct Figure {
  std::string name;
  double value = 0;
  std::string unit = {};  // "bytes", "GB/s"; empty for a count
};

// A table of things found, such as the sources in an image.
struct Records {
  std::vector<std::string> columns;
  std::vector<std::string> units;  // one per column; empty for none
  std::vector<std::vector<double>> rows;
};

struct Findings {
  std::vector<Figure> figures = {};
  std::optional<Records> records = {};
  std::vector<std::string> remarks = {};  // sentences
};

// A file that a run writes for an option.
struct Artifact {
  std::string option;
  std::string content;
};

// One copy or kernel in a stream, in seconds since the run began.
struct Span {
  enum class Kind { kernel, to_device, to_host, other };

  int stream = 0;
  Kind kind = Kind::kernel;
  std::string what;  // name of the kernel or array
  double start_s = 0;
  double end_s = 0;
  double bytes = 0;  // bytes of a copy
};

using Timeline = std::vector<Span>;

}  // namespace gpulab
