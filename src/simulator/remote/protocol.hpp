#pragma once

#include <cstdint>

namespace gpulab::simulator::remote {

// What the program asks of the process that has the device. A message has some of these, and only the last
// one is answered: by what it returns, or by the first error of them.
enum class Call : std::uint8_t {
  nothing,
  load,
  unload,
  kernel,
  drop_kernel,
  symbol,
  resident_blocks,
  allocate,
  free,
  mark_uninitialised,
  mark_guard,
  create_stream,
  drop_stream,
  synchronize,
  copy_to_device,
  copy_to_host,
  copy_within,
  set,
  launch,
  create_event,
  drop_event,
  record,
  wait,
  elapsed,
  take_notes,
  take_defects,
  take_output,
  take_access_counts,
  set_order,
  set_max_accesses
};

// How an answer begins. Before it comes, there may be questions.
enum class Answer : std::uint8_t {
  done,
  error,
  no_memory,
  compile_error,
  device_error,
  launch_error,
  asks_for_lines
};

// Objects of the device are known by numbers, which begin at 1.
using Number = std::uint32_t;

}  // namespace gpulab::simulator::remote
