#include <fmt/format.h>
#include <array>

#include "program/runtime/runtime.hpp"
#include "simulator/schedule/hooks.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

// Thrust's own headers run its algorithms on the host, where the program's code calls them
// (headers/thrust.cuh). So the device's memory stays accessible to the host, and the device has done its work
// whenever the program goes on.

namespace gpulab::program::runtime {
namespace {

using simulator::watch::GlobalShadows;

// An instruction, and the memory where its accesses need no more checks before the host's next call.
struct KnownAccess {
  std::uintptr_t pc = 0;
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t step = 0;  // only in this step of the host, see host_accesses.cpp
};
thread_local std::array<KnownAccess, 256> known_accesses;

KnownAccess& known_at(std::uintptr_t pc) {
  return known_accesses[pc / 4 % known_accesses.size()];
}

// Returns whether the last declaration of that name before the token, in the same function, is a pointer's.
bool is_pointer_here(const source::Code& code, std::size_t token) {
  const std::size_t begin = code.first_from_line(source::part_around(code, code[token].line).first);
  for (std::size_t i = token; --i > begin + 1;) {
    if (code.text(i) != code.text(token)) continue;
    const bool has_type = code.is_word(i - 2) && code.text(i - 2) != "return",
               is_last = code.text(i - 2) == "," && is_one_of(code.text(i + 1), {";", "="});
    if (code.text(i - 1) == "*" && (has_type || is_last)) return true;
    if (code.text(i - 1) == ">" || code.is_word(i - 1)) return false;
  }
  return false;
}

// Returns the pointer that the text gives to an algorithm of Thrust in that line as memory of the host: first
// of all, or after thrust::host. Returns the empty text if there is none.
std::string_view pointer_for_host(const source::Code& code, int line) {
  for (std::size_t at = code.first_from_line(line); at < code.size() && code[at].line == line; ++at) {
    const std::string_view name = code.text(at + 3);
    if (code.text(at) != "thrust" || code.text(at + 4) != "(" || name.ends_with("_cast") ||
        name.starts_with("make_"))
      continue;
    std::size_t first = at + 5;
    if (source::in_one_line(code, first, code.after_bracket(at + 4)).starts_with("thrust::host,")) first += 5;
    const bool is_alone = is_one_of(code.text(first + 1), {",", "+"});
    if (is_alone && is_pointer_here(code, first)) return code.text(first);
  }
  return "";
}

}  // namespace

bool Runtime::was_checked_in_this_step(const MemoryAccess& access) const {
  const KnownAccess& known = known_at(access.pc);
  return known.pc == access.pc && access.address - known.begin < known.bytes && known.step == steps_;
}

void Runtime::begin_thrust() {
  has_thrust_ = true;
  watch_host_accesses();
}

void Runtime::finish_queued_work() {
  if (!has_work_ || in_callback_ || open_scopes_ > 0 || is_finishing_queued_work_) return;
  is_finishing_queued_work_ = true;
  run_device_work([&] {
    for (bool has_run = true; has_run;) {
      has_run = false;
      for (Stream* const stream : streams_of(current_device()))
        while (stream->queue->run_one()) has_run = true;
    }
  });
  has_work_ = is_finishing_queued_work_ = false;
}

// Checks an access by Thrust to memory of the device, or of both sides. Thrust's calls wait for the device.
void Runtime::check_access_by_thrust(const MemoryAccess& access, const Allocation& memory, Site site) {
  if (!machine_->order()->has_host_waited()) {
    timeline_.host_waits_implicitly();
    synchronize_all(current_device());
  }
  if (access.address + access.bytes > memory.begin + memory.bytes)
    add_overrun_by_thrust(access, memory, site);
  if (memory.kind != MemoryKind::device) return;
  const SourcePlace place = place_of(site);
  const std::string_view pointer = place.file.empty() ? pointer_for_host(code_, place.line) : "";
  if (!pointer.empty())
    add({.pattern = "device-pointer-on-host",
         .place = place,
         .text = fmt::format(
             "Thrust takes the pointer {} for one to memory of the host, and works there: it is {}", pointer,
             memory.name_of(access.address)),
         .correction =
             fmt::format("thrust::device as first argument, or thrust::device_pointer_cast({})", pointer),
         .others = {allocated_at(memory)}});
  const bool is_read = access.operation == MemoryAccess::Operation::load;
  GlobalShadows& shadows = machine_->checked().memory();
  if (Allocation* const read = allocations_.containing(access.address); read && is_read)
    read->is_copied_from = true;
  // Only reads of single elements are checked: a vector that grows moves larger pieces, written or not.
  constexpr std::size_t max_element_bytes = 16;
  if (is_read && access.bytes <= max_element_bytes && !machine_->checked().was_written({access.address, 1}))
    add({.pattern = "uninitialised-global",
         .place = place_of(site),
         .text = "Thrust reads memory that nobody has written: " + memory.name_of(access.address),
         .correction = "thrust::fill, cudaMemcpy or a kernel that writes it before",
         .others = {allocated_at(memory)}});
  if (is_read || memory.is_written_by_thrust) return;
  shadows.mark_written({memory.begin, memory.bytes});
  allocations_.containing(memory.begin)->is_written_by_thrust = true;
}

void Runtime::add_overrun_by_thrust(const MemoryAccess& access, const Allocation& memory, Site site) {
  const bool is_read = access.operation == MemoryAccess::Operation::load;
  add({.pattern = "out-of-bounds",
       .place = place_of(site),
       .text = fmt::format("Thrust {} past the end of {}", is_read ? "reads" : "writes", memory.name()),
       .correction = "a vector that has room for all elements",
       .others = {allocated_at(memory)}});
}

// Returns the memory that the instruction accessed last, if this access is just past its end, else null.
const Allocation* Runtime::memory_before(const MemoryAccess& access) const {
  constexpr std::size_t max_distance = 4096;
  const KnownAccess& known = known_at(access.pc);
  const bool is_past_end = known.pc == access.pc && known.step == steps_ && known.bytes > 0 &&
                           access.address - (known.begin + known.bytes) < max_distance;
  return is_past_end ? allocations_.at(known.begin) : nullptr;
}

bool Runtime::try_check_for_thrust(const MemoryAccess& access) {
  const Allocation* const memory = allocations_.at(access.address);
  if (const Allocation* const overrun = memory ? nullptr : memory_before(access);
      overrun && is_called_by_thrust(access.pc)) {
    add_overrun_by_thrust(access, *overrun, note_host_access(access.pc));
    return true;
  }
  if (!memory || memory->is_freed) return false;
  const Site site = note_host_access(access.pc);
  if (is_called_by_thrust(access.pc))
    check_access_by_thrust(access, *memory, site);
  else if (memory->kind == MemoryKind::device)
    add_device_pointer(access.address, *memory, site, access.operation != MemoryAccess::Operation::load);
  else
    return false;
  known_at(access.pc) = {access.pc, memory->begin, memory->bytes, steps_};
  return true;
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)
extern "C" {

int gpulab_begin_thrust() {
  Runtime::instance().begin_thrust();
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
