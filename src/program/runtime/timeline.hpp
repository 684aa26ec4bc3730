#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lesson/exercise.hpp"
#include "program/runtime/errors.hpp"

namespace gpulab::program::runtime {

// What a program asks for, in the order in which it does, and when a GPU would do it, if it were as simple as
// this: a call takes the host 2 us, and 50 us where memory is allocated or freed. Copies go at 24 GB/s from
// and to page-locked memory and at 8 GB/s otherwise, and then the host waits; there is one engine for each
// direction. A kernel moves 12 bytes for each thread, at 1 TB/s, and takes 3 us at least; kernels run one
// after another. So the same program has the same timeline on every machine.
class Timeline {
 public:
  struct Work {
    TimelineEntry::Kind kind = TimelineEntry::Kind::other;
    std::string name;
    std::size_t stream = 0;
    std::size_t bytes = 0;
    bool is_pageable = false;
  };

  // The host calls a function; what follows, up to the next call, is what the call asks for.
  void call(const std::string& name, Site site);
  void put(const Work& work, Site site);
  void record(const void* event, std::size_t stream);
  // What is put into the stream later comes after the event's latest recording, or after all that is in the
  // other stream.
  void wait_for_event(std::size_t stream, const void* event);
  void wait_for_stream(std::size_t stream, std::size_t other);
  void host_waits_for_event(const void* event);
  void host_waits_for_stream(std::size_t stream);

  // The beginning of a program's, if it asks for very much.
  std::vector<TimelineEntry> entries() const;

 private:
  enum class What {
    call,
    work,
    record,
    wait_for_event,
    wait_for_stream,
    host_waits_for_event,
    host_waits_for_stream
  };
  struct Step {
    What what;
    Work work = {};
    Site site = {};
    const void* event = nullptr;
    std::size_t stream = 0, other = 0;
  };
  class Replay;

  void add(Step step);

  std::vector<Step> steps_;
};

}  // namespace gpulab::program::runtime
