#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/access_counts.hpp"
#include "core/defect.hpp"

// What was seen of a program while it ran: in its kernels, and on the host's side of the runtime API.

namespace gpulab {

// A line of the program; no line where it cannot be told.
struct SourcePlace {
  std::string file = {};  // empty for the file that reports are about
  int line = 0;
  std::string source = {};  // the text of that line, once somebody has looked

  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

// "line 12", "line 12 of sum.cuh", "an unknown line"
std::string text_of(const SourcePlace& place);

// Something that is wrong, or a note that is worth knowing. Sentences without line breaks.
struct ProgramFinding {
  std::string pattern;  // "memory-leak", "race-shared"
  bool is_note = false;
  SourcePlace place;
  std::string text;     // what happened, where and by whom
  std::string instead;  // what to write; may be empty
  struct Other {
    SourcePlace place;
    std::string text;  // "it was freed here"
  };
  std::vector<Other> others = {};
  std::size_t count = 1;  // of the same kind in the same lines
  // What only the text of the call in that line can tell: where it does not hold, there is nothing wrong, or
  // it is a note that says why the program failed.
  enum class Premise : unsigned char {
    none,
    value_is_unused,
    value_is_unused_at_failure,
    counts_no_bytes,
    is_of_floats
  };
  Premise premise = Premise::none;
  std::string call = {};  // "cudaMalloc"
};

// What all launches of one kernel asked of memory.
struct KernelCounts {
  std::string kernel;
  std::size_t launches = 0;
  AccessCounts counts;
};

// A call of the runtime API that the timeline shows, or a piece of the device's work. Times as a GPU of the
// timeline's model would have them.
struct TimelineEntry {
  enum class Kind : unsigned char { call, kernel, to_device, to_host, other };

  std::string name;  // "cudaMemcpy", "add"
  int stream = -1;   // of the device; -1 for a call of the host
  SourcePlace place = {};
  double start_s = 0, end_s = 0;
  std::size_t bytes = 0;  // of a copy, or that a kernel moves
  Kind kind = Kind::call;
  bool is_pageable = false;  // a copy from or to ordinary memory of the host
};

// What a program is run for.
enum class ProgramWatch : unsigned char {
  nothing,   // as fast as the simulated device goes
  defects,   // every access to memory, and every call of the runtime
  accesses,  // which are counted, line by line
};

// The most of ProgramReport::sent and brought_back.
constexpr std::size_t most_kept_of_copies = std::size_t{1} << 25;

// All that a program's process tells when it ends.
struct ProgramReport {
  std::vector<ProgramFinding> findings;
  std::vector<KernelCounts> counts;
  std::vector<TimelineEntry> timeline;
  std::size_t launches = 0, calls = 0;
  // Where somebody asked for them, the bytes that the device was given (by copies, as arguments of kernels,
  // in memory that the host has, too) and those that the host got back. Each run of them begins at a multiple
  // of 8.
  std::string sent, brought_back;
};

// Why a program whose output was kept did not end by itself.
enum class ProgramLimit : unsigned char { none, time, output, message };

// A program that was run, and how it ended.
struct ProgramResult {
  std::string file;         // the first, as it was given
  std::string source;       // its text
  int status = 0;           // as a shell has it: 128 + signal when a signal ended it
  int signal = 0;           // 0 where it ended by itself
  bool has_report = false;  // else it ended in a way that nobody could watch
  ProgramWatch watch = ProgramWatch::defects;
  ProgramReport report;
  double seconds = 0;          // by the clock on the wall, compiling included
  std::string output, errors;  // what it wrote to stdout and stderr, where that was kept
  ProgramLimit limit = ProgramLimit::none;

  bool has_defect() const;
  // The program's own, or 1 where it was watched to its end and has a defect.
  int exit_code() const { return has_report && watch == ProgramWatch::defects && has_defect() ? 1 : status; }
};

}  // namespace gpulab
