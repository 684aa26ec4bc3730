#include "program/runtime/copies.hpp"

#include <vector>

#include "base/text.hpp"

namespace gpulab::program::runtime {

End end_at(const Call& call, const void* address, bool is_destination) {
  End end{.begin = reinterpret_cast<std::uintptr_t>(address), .is_destination = is_destination};
  end.allocation = call.runtime().allocations().at(end.begin);
  if (!end.allocation && call.runtime().module())
    end.variable = call.runtime().module()->variable_at(end.begin);
  return end;
}

std::optional<std::size_t> room_of(const End& end) {
  if (end.allocation) return end.allocation->begin + end.allocation->bytes - end.begin;
  if (end.variable) return end.variable->range.begin + end.variable->range.bytes - end.begin;
  return host_room_at(end.begin);
}

namespace {

const char* name_of(cudaMemcpyKind kind) {
  constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                   "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  return names[kind];
}

cudaError_t objection_to_direction(const Copy& copy) {
  const bool to_device = copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
  const bool from_device = copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
  if (copy.kind == cudaMemcpyDefault) return cudaSuccess;
  const bool is_to_right = to_device ? copy.to.can_be_device() : copy.to.can_be_host();
  const bool is_from_right = from_device ? copy.from.can_be_device() : copy.from.can_be_host();
  if (is_to_right && is_from_right) return cudaSuccess;
  const End& wrong = is_to_right ? copy.from : copy.to;
  const bool is_swapped = !is_to_right && !is_from_right;
  return copy.call.defect(
      cudaErrorInvalidValue, "wrong-direction",
      std::string(copy.call.name()) + " is told " + name_of(copy.kind) + ", but its " + wrong.role() +
          " is " + wrong.name() +
          (is_swapped ? ", and its " + std::string(copy.from.role()) + " is " + copy.from.name() : ""),
      is_swapped ? "the destination comes first: " + std::string(copy.call.name()) + "(to, from, bytes, kind)"
                 : "the kind that says where both are; cudaMemcpyDefault finds out by itself");
}

// On the host, the name of a variable of the device is not its address.
cudaError_t objection_to_name(const Copy& copy) {
  const std::string name = copy.call.name();
  if (name.find("Symbol") != std::string::npos) return cudaSuccess;
  for (const End* end : {&copy.to, &copy.from}) {
    if (!end->variable || end->variable->is_managed || copy.call.runtime().knows_address_of(*end->variable))
      continue;
    const std::string& variable = end->variable->name;
    return copy.call.defect(
        cudaErrorInvalidValue, "device-variable-on-host",
        name + " is given the name of " + variable + ", a " +
            (end->variable->is_constant ? "__constant__" : "__device__") + " variable, as its " +
            end->role() + ": on the host that name is not the variable's address on the device",
        end->is_destination ? "cudaMemcpyToSymbol(" + variable + ", source, bytes)"
                            : "cudaMemcpyFromSymbol(destination, " + variable + ", bytes)");
  }
  return cudaSuccess;
}

// An allocation in which only a part of what is copied has room, because it was asked for in elements.
cudaError_t objection_to_allocation(const Copy& copy, const Allocation& allocation, std::size_t bytes) {
  const std::string call = allocation.call;
  copy.call.runtime().add(
      {.pattern = "allocation-size",
       .place = place_of(allocation.site),
       .text = call + " is asked for " + grouped(allocation.bytes) + " bytes, and " + copy.call.name() +
               " in " + text_of(place_of(copy.call.site())) + " uses " + grouped(bytes) + ": " +
               grouped(bytes / allocation.bytes) + " times as many, as if elements were counted",
       .instead = call + "(&pointer, count * sizeof(*pointer)), which is " + grouped(bytes) + " bytes",
       .others = {{place_of(copy.call.site()), "it does not fit here"}}});
  return copy.call.runtime().fail(cudaErrorInvalidValue, copy.call.name(), copy.call.site(), "");
}

}  // namespace

cudaError_t objection_to_end(const Copy& copy, const End& end) {
  if (end.begin == 0)
    return copy.call.defect(cudaErrorInvalidValue, "null-pointer",
                            std::string(copy.call.name()) + " is given a null pointer as its " + end.role());
  if (end.allocation && end.allocation->is_freed)
    return copy.call.defect(
        cudaErrorInvalidValue, "use-after-free",
        std::string(copy.call.name()) + " uses " + end.allocation->name() + " after it was freed", "",
        {{place_of(end.allocation->freed), "it was freed here"}});
  if (end.allocation && end.allocation->is_array && !end.is_array)
    return copy.call.defect(
        cudaErrorInvalidValue, "array-as-pointer",
        std::string(copy.call.name()) + " is given an array as its " + end.role() +
            ", which is no address of memory",
        end.is_destination
            ? "cudaMemcpy2DToArray(array, 0, 0, source, pitch, width in bytes, height, kind)"
            : "cudaMemcpy2DFromArray(destination, pitch, array, 0, 0, width in bytes, height, kind)");
  return cudaSuccess;
}

cudaError_t objection_to_size(const Copy& copy, const End& end, std::size_t bytes) {
  const auto room = room_of(end);
  if (!room || bytes <= *room) return cudaSuccess;
  if (end.allocation && end.begin == end.allocation->begin && bytes > *room && bytes % *room == 0)
    for (const std::size_t element : {std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{8},
                                      std::size_t{16}, end.allocation->element_bytes})
      if (bytes == *room * element) return objection_to_allocation(copy, *end.allocation, bytes);
  std::vector<ProgramFinding::Other> others;
  if (end.allocation)
    others.push_back({place_of(end.allocation->site), std::string(end.allocation->call) + " gave it here"});
  return copy.call.defect(
      end.is_pageable() ? cudaSuccess : cudaErrorInvalidValue, "copy-size",
      std::string(copy.call.name()) + " of " + grouped(bytes) + " bytes goes " + grouped(bytes - *room) +
          " bytes past the end of its " + end.role() + ", " +
          (end.is_pageable() ? "a block of the host that has " + grouped(*room) + " bytes there"
                             : end.name()),
      "as many bytes as both ends have", others);
}

cudaError_t objection_to(const Copy& copy) {
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault)
    return copy.call.fail(cudaErrorInvalidMemcpyDirection, "there is no such kind of copy");
  for (const End* end : {&copy.to, &copy.from})
    if (const cudaError_t error = objection_to_end(copy, *end)) return error;
  if (const cudaError_t error = objection_to_name(copy)) return error;
  if (const cudaError_t error = objection_to_direction(copy)) return error;
  if (const cudaError_t error = objection_to_size(copy, copy.to, copy.rows.to_span())) return error;
  return objection_to_size(copy, copy.from, copy.rows.from_span());
}

}  // namespace gpulab::program::runtime
