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

// What is wrong with a kernel: why it cannot be compiled, launched or go on, and what a device that watches
// every access finds, whatever the result.

enum class DefectKind {
  // It did not run.
  does_not_compile,
  missing_kernel,    // the file has no kernel of that name
  wrong_parameters,  // it has one, with other parameters than the lesson launches
  launch_refused,
  constant_too_small,  // the values that the host copies to constant memory do not fit

  // It was stopped.
  illegal_address,
  not_enough_shared,  // dynamic shared memory, of what the launch asks for
  division_by_zero,   // of integers
  divergent_barrier,  // threads of a block wait at different barriers
  deadlock,
  time_limit,
  stack_overflow,
  trapped,            // the kernel stopped itself
  failed_assertion,   // assert() in the kernel
  endless_wait,       // for a word of memory that nobody changes
  bad_free,           // of what malloc() in a kernel has not given, or free() has taken back
  too_much_output,    // of printf, in one launch
  too_many_accesses,  // to memory, in one launch: more than the host allows

  // It was watched.
  shared_race,           // two threads of a block, with nothing to order them
  global_race,           // the same in global memory, also between blocks
  unordered_work,        // two kernels or copies of different streams, with no event to order them
  out_of_bounds,         // of an array in global memory
  shared_out_of_bounds,  // of a block's shared memory, static or dynamic
  array_index,           // outside an array whose size the kernel's text states
  misaligned,            // an address that is no multiple of what its type needs
  host_pointer,          // memory of the host
  no_peer_access,        // memory of another GPU, which this one may not access
  constant_write,
  uninitialised,         // a read of global memory that nobody has written
  shared_uninitialised,  // a read of shared memory that no thread of the block has written
  missed_barrier,        // threads had returned when the others met at a barrier
  wrong_mask,            // a warp operation that leaves out the lane which calls it

  other,
};

// In lower case, with hyphens, as a pattern is called: "race-shared".
std::string_view name_of(DefectKind kind);

// Why a kernel did not run to its end.
struct Failure {
  DefectKind kind = DefectKind::other;
  int line = 0;           // of the kernel file; 0 when it cannot be told
  std::string file = {};  // that the line is of, where it is another one than the kernel file or program
  // A compiler's words, where the message has them behind the name of the kernel file and the line.
  std::string complaint = {};
};

// A kernel file that does not compile, or whose kernel has another parameter list than the lesson launches.
class CompileError : public Error {
 public:
  CompileError(const std::string& message, std::string log, Failure failure)
      : Error(ExitCode::compilation, message), log_(std::move(log)), failure_(failure) {}
  // What the compiler printed, with the learner's own file name and lines.
  const std::string& log() const { return log_; }
  const Failure& failure() const { return failure_; }

 private:
  std::string log_;
  Failure failure_;
};

// A thread of a launch.
struct DefectThread {
  Extent block{0, 0, 0}, thread{0, 0, 0};  // blockIdx and threadIdx
  unsigned warp = 0, lane = 0;             // of its block

  friend bool operator==(const DefectThread&, const DefectThread&) = default;
};

// "block 3 thread (5, 1, 0) (warp 0, lane 21)"
std::string text_of(const DefectThread& place);
std::string text_of_block(const DefectThread& place);   // "block 3"
std::string text_of_thread(const DefectThread& place);  // "thread (5, 1, 0)", which is one of its block

enum class DefectAccess : unsigned char { load, store, atomic };

struct Defect {
  // One of the two threads of a race, or the one thread that there is.
  struct Party {
    int line = 0;  // of the kernel file; 0 when it could not be told
    DefectAccess access = DefectAccess::load;
    std::optional<DefectThread> place;
    std::string file = {};  // that the line is of, where it is another one than the kernel file or program
  };

  // An array in memory, as far as the device knows it.
  struct Memory {
    std::string variable;      // of the kernel file; empty for what the host allocated
    std::uintptr_t begin = 0;  // 0 when the address is near nothing
    std::size_t bytes = 0;
  };

  DefectKind kind = DefectKind::global_race;
  bool is_note = false;      // allowed, and worth knowing: threads that write the same value
  bool ends_launch = false;  // the kernel could not go on
  Party party;
  std::optional<Party> other;  // who came before it
  // Of unordered_work, what each of them is a part of: "GPU 1's kernel smooth", "the copy to the host".
  std::string work = {}, other_work = {};
  // Of a race with the host's own code, which is the one party then: where the program asked for the other's
  // work.
  bool is_with_host = false;
  std::uintptr_t asked_at = 0;
  std::uintptr_t address = 0;  // the first byte accessed; 0 where it is not about memory
  std::size_t bytes = 0;       // accessed
  Memory memory;               // that the address is in or, out of bounds, near
  std::string detail;          // what the device can add: "index 32 of 'float [32]'"
  int barrier_line = 0;        // of a race in a block: the last barrier before both; 0 if there is none
  std::size_t count = 1;       // of all of this kind in these lines; the rest is of the first one
};

// "input[5]" for an address; empty when it is in no array that the caller knows.
using ArrayElement = std::function<std::string(std::uintptr_t address)>;

// A sentence about a defect, in its parts.
struct DefectText {
  std::string what;  // "out of bounds"; empty where the rest says it
  std::string how;   // who did it and where: "block 0 thread 3 reads 4 bytes in line 7, ..."
};

DefectText words_for(const Defect& defect, const ArrayElement& element = {});

// The parts in one: "out of bounds: block 0 thread 3 reads ..."
std::string explanation_of(const Defect& defect, const ArrayElement& element = {});

// The same of the other thread alone, in the line where it was: "block 0 thread 2 (warp 0, lane 2) wrote it
// here". Empty where there is none, or none whose line is known and is another.
std::string other_side_of(const Defect& defect);

// The most severe first: what makes others follow stands before them. Notes are left out.
std::vector<Defect> by_severity(std::vector<Defect> defects);

// One line about a wrong result, in its parts. It claims no more than the memory shows.
struct Explanation {
  std::string pattern = {};   // "unwritten-tail"; "wrong-values" when nothing better fits
  std::string fact = {};      // "12 of 256 bins wrong, first bin 3: expected 5, got 4"
  std::string computed = {};  // equal to the wrong result: "each wrong bin is 2 times its right value"
  std::string guess = {};     // what the fact is consistent with: "an index that is off by one"
  // The fact where every access was watched and none raced; empty where that makes no difference.
  std::string fact_without_race = {};

  // The computed result, or what the fact is consistent with; empty where there is neither.
  std::string cause() const;
  // All in one line.
  std::string text() const;
};

// What a result shows besides being right or wrong.

// One number with a name: "registers", "sources", "relative error".
struct Figure {
  std::string name;
  double value = 0;
  std::string unit = {};  // "bytes", "GB/s"; empty for a count
};

// A list of things found, such as the sources in an image: one row each.
struct Records {
  std::vector<std::string> columns;
  std::vector<std::string> units;  // of each column; empty for none
  std::vector<std::vector<double>> rows;
};

struct Findings {
  std::vector<Figure> figures = {};
  std::optional<Records> records = {};
  std::vector<std::string> remarks = {};  // sentences
};

// A file that a run writes because its option was given.
struct Artifact {
  std::string option;
  std::string content;
};

// One thing that a stream did: a copy or a kernel, in seconds since the run began.
struct Span {
  enum class Kind { kernel, to_device, to_host, other };

  int stream = 0;
  Kind kind = Kind::kernel;
  std::string what;  // the kernel or the array
  double start_s = 0;
  double end_s = 0;
  double bytes = 0;  // of a copy
};

using Timeline = std::vector<Span>;

}  // namespace gpulab
