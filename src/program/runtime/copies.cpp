#include "program/runtime/copies.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/text.hpp"

namespace gpulab::program::runtime {
namespace {

using simulator::StreamOp;

void move_rows(std::uintptr_t to, std::uintptr_t from, const Rows& shape) {
  for (std::size_t row = 0; row < shape.height; ++row)
    std::memmove(reinterpret_cast<void*>(to + row * shape.to_pitch),
                 reinterpret_cast<const void*>(from + row * shape.from_pitch), shape.width);
}

// Returns what the copy uses, without variables if several devices each have their own at one address.
std::vector<MemoryUse> uses_of(const Copy& copy) {
  const bool has_peers = copy.call.runtime().device_count() > 1;
  std::vector<MemoryUse> uses;
  if (!has_peers || !copy.from.variable)
    uses.push_back({{copy.from.begin, copy.rows.from_span()}, DefectAccess::load});
  if (!has_peers || !copy.to.variable)
    uses.push_back({{copy.to.begin, copy.rows.to_span()}, DefectAccess::store});
  return uses;
}

// Returns the other devices whose memory a copy in a default stream uses. The copy is ordered with their
// default streams, too.
std::vector<int> peers_of(const Copy& copy, const Stream& stream) {
  std::vector<int> peers;
  for (const CopyEndpoint* const endpoint : {&copy.to, &copy.from})
    if (stream.is_default && endpoint->allocation && endpoint->allocation->kind == MemoryKind::device &&
        endpoint->allocation->device != stream.device)
      peers.push_back(endpoint->allocation->device);
  return peers;
}

std::string direction_text(const Copy& copy) {
  if (copy.from.can_be_device() && copy.to.can_be_device()) return "copy";
  return copy.from.can_be_device() ? "copy to the host" : "copy from the host";
}

// Returns the direction of the copy, for the timeline.
TimelineEntry::Kind entry_kind_of(const Copy& copy) {
  const bool is_to_device = copy.to.can_be_device() && !copy.to.can_be_host(),
             is_from_device = copy.from.can_be_device() && !copy.from.can_be_host();
  if (is_to_device == is_from_device) return TimelineEntry::Kind::other;
  return is_to_device ? TimelineEntry::Kind::to_device : TimelineEntry::Kind::to_host;
}

// Memory of the host that a captured copy uses when its graph runs, and not when it is captured.
struct CapturedMemory {
  std::uintptr_t begin = 0;
  std::optional<HostMemory> memory;  // at the capture
  std::thread::id thread = std::this_thread::get_id();

  bool is_gone() const {
    if (is_in_ended_frame(begin, thread)) return true;
    if (!memory || memory->allocated.pc == 0) return false;
    const std::optional<HostMemory> now = host_memory_at(begin);
    return !now || now->room != memory->room || now->allocated != memory->allocated;
  }
};

std::vector<CapturedMemory> captured_memory(const Copy& copy) {
  std::vector<CapturedMemory> used;
  for (const CopyEndpoint* const endpoint : {&copy.to, &copy.from})
    if (endpoint->is_pageable()) used.push_back({endpoint->begin, host_memory_at(endpoint->begin)});
  return used;
}

// Returns whether all of the memory is still there. Reports the first that is gone.
bool check_captured_memory(Runtime& runtime, const std::vector<CapturedMemory>& used, Site site,
                           std::uintptr_t launched_at) {
  const auto gone = std::ranges::find_if(used, &CapturedMemory::is_gone);
  if (gone == used.end()) return true;
  const bool is_of_heap = gone->memory && gone->memory->allocated.pc != 0;
  ProgramFinding finding{
      .pattern = is_of_heap ? "use-after-free" : "use-after-return",
      .place = place_of(site),
      .text = is_of_heap ? "a copy in a graph uses " + gone->memory->name +
                               ", and the host has freed them before the copy runs"
                         : "a copy in a graph uses a local variable, and the function of that variable has "
                           "returned before the copy runs",
      .correction =
          "keep the host's memory until the graph's last launch has ended: the copy uses it at each "
          "launch, and not when it is captured",
      .others = {{place_of({launched_at}), "the graph is launched here"}}};
  if (is_of_heap) finding.others.push_back({place_of(gone->memory->allocated), "the host allocated it here"});
  runtime.add(std::move(finding));
  return false;
}

// Queues the copy. A pageable source is staged before the call returns.
void enqueue(const Copy& copy, Stream& stream) {
  Runtime& runtime = copy.call.runtime();
  simulator::Machine& machine = runtime.machine();
  if (Allocation* const from = runtime.allocations().containing(copy.from.begin)) from->is_copied_from = true;
  runtime.allocations().add_write({.begin = copy.to.begin,
                                   .end = copy.to.begin + copy.rows.to_span(),
                                   .call = copy.call.name(),
                                   .site = copy.call.site(),
                                   .at_call = runtime.calls()});
  if (copy.to.variable) runtime.note_values_of(*copy.to.variable, copy.to.begin, copy.rows.to_span());
  std::optional<Allocation::Write> unusual_set;
  if (const auto* const set = runtime.allocations().unusual_set_at(copy.from.begin);
      set && runtime.is_watching() && copy.to.is_of_host())
    unusual_set = *set;
  std::shared_ptr<std::string> staged;
  const bool is_staged = copy.from.is_pageable() && !copy.to.is_pageable() && !stream.captured;
  if (is_staged)
    staged =
        std::make_shared<std::string>(reinterpret_cast<const char*>(copy.from.begin), copy.rows.from_span());
  const std::vector<int> peers = peers_of(copy, stream);
  for (const int peer : peers) runtime.order_with_device(stream, peer, /*is_after=*/false);
  if (runtime.is_watching()) note_address(copy.call.site().pc, stream.number, copy.to.begin);
  runtime.begin_node(stream, cudaGraphNodeTypeMemcpy);
  runtime.put(stream, copy.call.site(),
              [&machine, &runtime, device = stream.device, current = runtime.current_device(),
               is_unset = is_staged && runtime.is_watching() && has_unset_source(copy),
               has_variable = copy.to.variable || copy.from.variable, kind = entry_kind_of(copy),
               to = copy.to.begin, from = copy.from.begin, rows = copy.rows, staged,
               direction = direction_text(copy), uses = uses_of(copy), unusual_set, call = copy.call.name(),
               site = copy.call.site(), goes_to_host = copy.to.is_of_host(),
               comes_from_host =
                   copy.from.is_pageable() || (copy.from.allocation && copy.from.allocation->is_of_host()),
               captured = stream.captured && runtime.is_watching()
                              ? captured_memory(copy)
                              : std::vector<CapturedMemory>()](const StreamOp& op) {
                if (!runtime.check_not_freed(uses, call, site)) return;
                if (has_variable) runtime.use_variables_of(current);
                machine.begin_work(op, machine.name_of_work(device, direction), uses);
                if (unusual_set && !machine.checked().was_written({from, rows.from_span()}))
                  runtime.add(finding_of_value(*unusual_set));
                if (goes_to_host && runtime.is_watching() && rows.height == 1)
                  runtime.look_for_unwritten(from, rows.width, call, site);
                if (goes_to_host && runtime.is_watching())
                  runtime.look_for_unset_values(from, rows.from_span(), call, site);
                if (check_captured_memory(runtime, captured, site, op.issued_at))
                  move_rows(to, staged ? address_of(staged->data()) : from, rows);
                for (std::size_t row = 0; row < rows.height; ++row) {
                  const std::uintptr_t begin = to + row * rows.to_pitch;
                  if (goes_to_host && !comes_from_host)
                    runtime.virtual_tables().bring_to_host(begin, rows.width);
                  else if (!goes_to_host && comes_from_host &&
                           !runtime.has_thrust())  // Thrust's algorithms run on the host
                    runtime.virtual_tables().bring_to_device(begin, rows.width);
                  if (is_unset)
                    machine.checked().memory().mark_uninitialised({begin, rows.width});
                  else if (staged || !runtime.is_watching())
                    machine.checked().memory().mark_written({begin, rows.width});
                  else
                    machine.checked().memory().mark_copied({begin, rows.width}, from + row * rows.from_pitch);
                  if (kind == TimelineEntry::Kind::to_device) {
                    runtime.note_unset_pattern(begin, rows.width);
                    runtime.keep_sent(reinterpret_cast<const void*>(begin), rows.width);
                  }
                  if (kind == TimelineEntry::Kind::to_host)
                    runtime.keep_brought_back(reinterpret_cast<const void*>(begin), rows.width);
                }
              });
  runtime.timeline().add_work(
      {entry_kind_of(copy), copy.call.name(), stream.number, copy.rows.width * copy.rows.height,
       copy.from.is_pageable() || copy.to.is_pageable()},
      copy.call.site());
  for (const int peer : peers) runtime.order_with_device(stream, peer, /*is_after=*/true);
}

// Returns the size of an element if `room` bytes have as many elements as `bytes` says, else 0. `known_size`
// is the size of the elements, or 0 if it is unknown: then it may be 4 or 8.
std::size_t element_if_counted(std::size_t bytes, std::size_t room, std::size_t known_size) {
  if (known_size > 0) return known_size > 1 && bytes * known_size == room ? known_size : 0;
  return bytes * 4 == room ? 4 : bytes * 8 == room ? 8 : 0;
}

// Reports a size that was counted in elements, so that only a part is copied.
void report_count(const Copy& copy, std::size_t bytes, std::size_t room, const std::string& memory_name,
                  std::vector<ProgramFinding::Other> others) {
  copy.call.runtime().add(
      {.pattern = "copy-size",
       .place = place_of(copy.call.site()),
       .text = std::string(copy.call.name()) + " copies " + grouped(bytes) + " bytes" +
               (copy.rows.height > 1 ? " of each row; a row has " : "; " + memory_name + " has ") +
               grouped(room) + ", in " + grouped(bytes) + " elements",
       .correction = "count * sizeof(element), which is " + grouped(room),
       .others = std::move(others),
       .premise = ProgramFinding::Premise::size_is_not_in_bytes,
       .call = copy.call.name()});
}

// Warns of such a size in a copy to or from a variable of the device. The size of its elements is not known.
void warn_of_count_in_variable(const Copy& copy, const CopyEndpoint& device, const CopyEndpoint& other) {
  const auto& [begin, room] = device.variable->range;
  const auto other_room = bytes_left(other);
  if (device.begin != begin || device.variable->is_managed || (other_room && *other_room < room)) return;
  if (element_if_counted(copy.rows.width, room, 0) > 0)
    report_count(copy, copy.rows.width, room, device.variable->name, {});
}

// Warns of such a size in a copy of a part that does not begin with the array, if the text shows the count.
void warn_of_count_in_part(const Copy& copy, const CopyEndpoint& device, const CopyEndpoint& other) {
  const std::size_t bytes = copy.rows.width, wanted = bytes * device.allocation->element_bytes;
  if (wanted <= bytes || *bytes_left(device) < wanted || bytes_left(other).value_or(wanted) < wanted) return;
  copy.call.runtime().add(
      {.pattern = "copy-size",
       .is_note = true,
       .place = place_of(copy.call.site()),
       .text = fmt::format("{} copies {} bytes; {} elements have {} bytes", copy.call.name(), grouped(bytes),
                           grouped(bytes), grouped(wanted)),
       .correction = "count * sizeof(element), which is " + grouped(wanted),
       .others = {allocated_at(*device.allocation)},
       .premise = ProgramFinding::Premise::size_is_not_in_bytes,
       .call = copy.call.name()});
}

void warn_of_count(const Copy& copy) {
  if (copy.to.variable) return warn_of_count_in_variable(copy, copy.to, copy.from);
  if (copy.from.variable) return warn_of_count_in_variable(copy, copy.from, copy.to);
  const CopyEndpoint& device = copy.to.allocation ? copy.to : copy.from;
  const CopyEndpoint& other = copy.to.allocation ? copy.from : copy.to;
  if (!device.allocation || (device.allocation->element_bytes == 0 && copy.rows.height == 1)) return;
  if (other.allocation && other.allocation->element_bytes == 1) return;
  std::size_t bytes = copy.rows.width, room = device.allocation->bytes;
  if (copy.rows.height > 1 && device.begin == device.allocation->begin && device.allocation->width > 0 &&
      copy.rows.height * device.allocation->pitch == device.allocation->bytes)
    room = device.allocation->width;
  else if (copy.rows.height > 1)
    room = device.begin == copy.to.begin ? copy.rows.from_pitch : copy.rows.to_pitch;
  else if (device.begin != device.allocation->begin)
    return warn_of_count_in_part(copy, device, other);
  else if (const auto other_room = bytes_left(other); other_room && *other_room < room)
    return;
  const std::size_t element = element_if_counted(bytes, room, device.allocation->element_bytes);
  if (element == 0 || device.allocation->is_copied_in_chunks) return;
  std::vector<ProgramFinding::Other> others{allocated_at(*device.allocation)};
  if (const auto& launch = device.allocation->launch;
      launch && launch->config.grid.volume() == bytes && copy.rows.height == 1 && bytes_left(other))
    others.push_back({place_of(launch->site), fmt::format("kernel {} was launched here, with {} blocks",
                                                          launch->kernel, grouped(bytes))});
  report_count(copy, bytes, room, "this buffer", std::move(others));
}

}  // namespace

void report_size_of_pointer(const Copy& copy) {
  const std::size_t width = copy.rows.width;
  if ((width != sizeof(void*) && width != sizeof(std::vector<int>)) || copy.rows.height > 1) return;
  std::size_t room = 0;
  for (const CopyEndpoint* endpoint : {&copy.to, &copy.from})
    if (const auto left = endpoint->begin != 0 ? bytes_left(*endpoint) : std::nullopt)
      room = room == 0 ? *left : std::min(room, *left);
  if (room <= width) return;
  copy.call.runtime().add(
      {.pattern = "copy-size",
       .place = place_of(copy.call.site()),
       .text =
           fmt::format("{} is given sizeof of a {}, which is {} bytes; the memory has {}", copy.call.name(),
                       width == sizeof(void*) ? "pointer" : "std::vector", grouped(width), grouped(room)),
       .correction = "count * sizeof(element)",
       .premise = ProgramFinding::Premise::size_is_of_pointer,
       .call = copy.call.name()});
}

namespace {

// Notes an array that is copied in chunks, each of as many bytes as the array has elements.
void note_chunks(const Copy& copy) {
  for (const CopyEndpoint* endpoint : {&copy.to, &copy.from})
    if (const Allocation* const memory = endpoint->allocation;
        memory && endpoint->begin != memory->begin &&
        element_if_counted(copy.rows.width, memory->bytes, memory->element_bytes) > 0)
      copy.call.runtime().note_chunks(*memory);
}

// Shortens a copy that goes past the end of the host's memory, so that it overwrites neither malloc's data
// nor a return address. That it goes past the end has been reported.
void keep_within_host_memory(Copy& copy) {
  for (const CopyEndpoint* endpoint : {&copy.to, &copy.from}) {
    Rows& rows = copy.rows;
    const auto memory = endpoint->is_pageable() ? host_memory_at(endpoint->begin) : std::nullopt;
    const std::size_t pitch = endpoint->is_destination ? rows.to_pitch : rows.from_pitch;
    if (!memory || memory->room >= (rows.height - 1) * pitch + rows.width) continue;
    if (!memory->is_exact || (rows.height > 1 && memory->room < rows.width))
      rows.width = 0;
    else if (rows.height > 1)
      rows.height = (memory->room - rows.width) / pitch + 1;
    else
      rows.width = memory->room;
  }
}

cudaError_t queue_checked(Copy copy, Stream& stream, bool is_asynchronous) {
  if (const cudaError_t error = check_copy(copy)) {
    if (Allocation* const to = copy.call.runtime().allocations().containing(copy.to.begin))
      to->failed_copy = copy.call.site();
    return error;
  }
  keep_within_host_memory(copy);
  if (copy.rows.width == 0) return cudaSuccess;
  note_chunks(copy);
  report_size_of_pointer(copy);
  enqueue(copy, stream);
  const bool host_waits = !stream.captured && (!is_asynchronous || copy.to.is_pageable());
  const bool is_within_device = copy.to.can_be_device() && copy.from.can_be_device() &&
                                !copy.to.can_be_host() && !copy.from.can_be_host();
  const cudaError_t error =
      host_waits && !is_within_device ? copy.call.runtime().synchronize(stream) : cudaSuccess;
  warn_of_count(copy);  // after the launches before it, which may show what the size counts
  return error;
}

}  // namespace

Copy describe_copy(const Call& call, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return {call, endpoint_at(call, to, /*is_destination=*/true), endpoint_at(call, from), kind, {bytes}};
}

Copy describe_row_copy(const Call& call, void* to, std::size_t to_pitch, const void* from,
                       std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return {call,
          endpoint_at(call, to, /*is_destination=*/true),
          endpoint_at(call, from),
          kind,
          {width, height, to_pitch, from_pitch}};
}

cudaError_t queue_copy(const Copy& copy, cudaStream_t handle, bool is_asynchronous) {
  if (copy.rows.width == 0 || copy.rows.height == 0) return cudaSuccess;
  return copy.call.with(handle, [&](Stream& stream) { return queue_checked(copy, stream, is_asynchronous); });
}

cudaError_t queue_row_copy(const Call& call, const RowsAt& to, const RowsAt& from, std::size_t width,
                           std::size_t height, const CopyMode& mode) {
  Copy copy =
      describe_row_copy(call, reinterpret_cast<void*>(to.begin), to.pitch,
                        reinterpret_cast<const void*>(from.begin), from.pitch, width, height, mode.kind);
  copy.to.is_array = to.is_array;
  copy.from.is_array = from.is_array;
  return queue_copy(copy, mode.stream, mode.is_asynchronous);
}

ProgramFinding finding_of_value(const Allocation::Write& set) {
  const unsigned word = (static_cast<unsigned>(set.unusual_value) & 0xFFu) * 0x01010101u;
  float number = 0;
  std::memcpy(&number, &word, sizeof number);
  std::string result = fmt::format("each int becomes {}, not {}", grouped(word), set.unusual_value);
  if (!set.is_of_integers)
    result = fmt::format("each float becomes {:g}, not {}.0", number, set.unusual_value);
  return {.pattern = "memset-value",
          .is_note = set.is_of_integers || set.unusual_value < 0,  // perhaps NaN is meant
          .place = place_of(set.site),
          .text = fmt::format("{} sets every byte to {}, so {}", set.call, set.unusual_value, result),
          .correction = "a kernel that writes the value, or cudaMemcpy from an array of the host that has it",
          .premise =
              set.is_of_integers ? ProgramFinding::Premise::none : ProgramFinding::Premise::array_has_floats,
          .call = set.call};
}

CopyEndpoint endpoint_at(const Call& call, const void* address, bool is_destination) {
  CopyEndpoint endpoint{.begin = address_of(address), .is_destination = is_destination};
  endpoint.allocation = call.runtime().allocations().at(endpoint.begin);
  if (!endpoint.allocation && call.runtime().module())
    endpoint.variable = call.runtime().module()->variable_at(endpoint.begin);
  return endpoint;
}

}  // namespace gpulab::program::runtime
