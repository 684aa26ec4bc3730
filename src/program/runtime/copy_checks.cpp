#include "program/runtime/copies.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <regex>
#include <vector>

#include "base/text.hpp"
#include "source/bounds.hpp"
#include "source/statements.hpp"

namespace gpulab::program::runtime {

std::optional<std::size_t> bytes_left(const CopyEndpoint& endpoint) {
  if (endpoint.allocation) return endpoint.allocation->begin + endpoint.allocation->bytes - endpoint.begin;
  if (endpoint.variable)
    return endpoint.variable->range.begin + endpoint.variable->range.bytes - endpoint.begin;
  const auto memory = host_memory_at(endpoint.begin);
  return memory ? std::optional(memory->room) : std::nullopt;
}

namespace {

const char* name_of(cudaMemcpyKind kind) {
  constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                   "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  return names[kind];
}

// Returns the correction where both pointers contradict the kind.
std::string opposite_kind(cudaMemcpyKind kind) {
  const std::string opposite = name_of(static_cast<cudaMemcpyKind>(cudaMemcpyDeviceToDevice - kind));
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost) return opposite;
  return opposite +
         "; or, if the data is to go the other way, swap the pointers: the destination comes first";
}

cudaError_t check_direction(const Copy& copy) {
  const bool to_device = copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
  const bool from_device = copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
  if (copy.kind == cudaMemcpyDefault) return cudaSuccess;
  const bool destination_fits = to_device ? copy.to.can_be_device() : copy.to.can_be_host();
  const bool source_fits = from_device ? copy.from.can_be_device() : copy.from.can_be_host();
  if (destination_fits && source_fits) return cudaSuccess;
  const CopyEndpoint &wrong = destination_fits ? copy.from : copy.to,
                     &other = destination_fits ? copy.to : copy.from;
  const bool would_fit = (to_device ? copy.from.can_be_device() : copy.from.can_be_host()) &&
                         (from_device ? copy.to.can_be_device() : copy.to.can_be_host());
  const bool is_swapped = would_fit || (!destination_fits && !source_fits);
  return copy.call.defect(
      cudaErrorInvalidValue, "wrong-direction",
      std::string(copy.call.name()) + " is given " + name_of(copy.kind) + ", but its " + wrong.role() +
          " is " + (is_swapped ? fmt::format("{}, and its {} is ", wrong.name(), other.role()) : "") +
          (is_swapped ? other : wrong).name(),
      is_swapped ? opposite_kind(copy.kind)
                 : "the kind that matches both pointers, or cudaMemcpyDefault, which detects it");
}

// Reports a device variable given by its name, which on the host is not its device address.
cudaError_t check_variable_name(const Copy& copy) {
  const std::string name = copy.call.name();
  if (name.find("Symbol") != std::string::npos) return cudaSuccess;
  for (const CopyEndpoint* endpoint : {&copy.to, &copy.from}) {
    if (!endpoint->variable || endpoint->variable->is_managed ||
        copy.call.runtime().knows_address_of(*endpoint->variable))
      continue;
    const std::string& variable = endpoint->variable->name;
    return copy.call.defect(
        cudaErrorInvalidValue, "device-variable-on-host",
        fmt::format(
            "{} is given the name of {}, a {} variable, as its {}: on the host that name is not the variable's address on the device",
            name, variable, endpoint->variable->is_constant ? "__constant__" : "__device__",
            endpoint->role()),
        endpoint->is_destination ? "cudaMemcpyToSymbol(" + variable + ", source, bytes)"
                                 : "cudaMemcpyFromSymbol(destination, " + variable + ", bytes)");
  }
  return cudaSuccess;
}

// Returns whether the allocation has as many bytes as `bytes` bytes have elements of a usual size, or its
// own.
bool counts_elements(const Allocation& allocation, std::size_t bytes) {
  if (allocation.element_bytes > 1) return bytes == allocation.bytes * allocation.element_bytes;
  for (const std::size_t element :
       {std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{8}, std::size_t{16}})
    if (bytes == allocation.bytes * element) return true;
  return false;
}

// Reports an allocation whose size was counted in elements, so that it is too small for the copy. `evidence`
// says what shows that, and `bytes` is the size that it should have.
cudaError_t report_allocation_size(const Copy& copy, const Allocation& allocation,
                                   const std::string& evidence, std::size_t bytes) {
  const std::string call = allocation.call;
  const bool is_temporary = std::string_view(copy.call.name()).starts_with("cub::");
  copy.call.runtime().add(
      {.pattern = "allocation-size",
       .place = place_of(allocation.site),
       .text = fmt::format("{} allocates {} bytes, {}{}", call, grouped(allocation.bytes), evidence,
                           is_temporary ? "" : ": was the size counted in elements?"),
       .correction = fmt::format(
           "{}(&pointer, {}), which is {} bytes", call,
           is_temporary ? "the size that the call with nullptr has stored" : "count * sizeof(*pointer)",
           grouped(bytes)),
       .others = {{place_of(copy.call.site()), "it does not fit here"}}});
  return copy.call.runtime().fail(cudaErrorInvalidValue, copy.call.name(), copy.call.site(), "");
}

// Returns the part of a sentence that says who needs how many bytes.
std::string text_of_need(const std::string& who, std::size_t bytes, const Allocation& allocation) {
  return "but " + who + " " + grouped(bytes) + ", " + grouped(bytes / allocation.bytes) + " times as many";
}

// Reports an allocation whose size counts elements. It does so if the other end of the copy has as many bytes
// as these elements need, or if the copy's size has a sizeof and the allocation's has none. Else succeeds.
cudaError_t check_smaller_end(const Copy& copy, const CopyEndpoint& endpoint, const Allocation* memory) {
  const Allocation* const other = (endpoint.is_destination ? copy.from : copy.to).allocation;
  if (memory && other && other != memory && !other->is_freed && counts_elements(*memory, other->bytes))
    return report_allocation_size(
        copy, *memory,
        text_of_need(endpoint.is_destination ? "what is copied there has" : "what it is copied to has",
                     other->bytes, *memory),
        other->bytes);
  if (!memory || memory->element_bytes < 2 ||
      !copy.call.runtime().lacks_sizeof(memory->site, copy.call.site()))
    return cudaSuccess;
  return report_allocation_size(
      copy, *memory,
      "with no sizeof, and " + std::string(copy.call.name()) + ", which has one, reaches byte " +
          grouped(endpoint.begin - memory->begin + copy.rows.width * copy.rows.height),
      memory->bytes * memory->element_bytes);
}

// Returns the name of the pointer in the call's text, if it is a single word: "h".
std::string pointer_of(const Copy& copy, const CopyEndpoint& endpoint) {
  const source::Code& code = copy.call.runtime().code();
  const SourcePlace place = place_of(copy.call.site());
  for (auto [i, last] = code.line(place.line); place.file.empty() && i < last; ++i) {
    const auto [begin, end] = source::argument_tokens(code, i, endpoint.is_destination ? 0 : 1);
    if (code.text(i) == copy.call.name() && end == begin + 1) return std::string(code.text(begin));
  }
  return "a pointer";
}

}  // namespace

bool has_unset_source(const Copy& copy) {
  static std::map<std::uintptr_t, bool> known;  // by the call's return address
  if (const auto found = known.find(copy.call.site().pc); found != known.end()) return found->second;
  const source::Code& code = copy.call.runtime().code();
  const std::string name = pointer_of(copy, copy.from);
  const std::size_t end = code.first_from_line(place_of(copy.call.site()).line + 1);
  const auto is_unset = [&](const source::LocalVariable& local) {
    const std::size_t begin = local.has_initializer ? end_of_value(code, local.at + 2) : local.at + 1;
    const std::regex pattern(local.is_array ? "\\w+" : "[^]*(malloc\\([^]*|new [^]*\\])");
    return local.name == name && local.at < end && end <= local.scope_end && !local.is_shared &&
           std::regex_match(code.text_between(local.at, begin), pattern) &&
           uses_between(code, name, begin, end).size() == 1 &&
           loops_around(code, {code[end - 1].line}).empty() &&
           code.text_between(local.at, end).find("[&") == std::string::npos;
  };
  return known[copy.call.site().pc] = std::ranges::any_of(source::local_variables(code), is_unset);
}

cudaError_t check_endpoint(const Copy& copy, const CopyEndpoint& endpoint) {
  constexpr std::uintptr_t first_page = 4096;
  if (endpoint.begin < first_page)
    return copy.call.defect(cudaErrorInvalidValue, "null-pointer",
                            fmt::format("{} is given a null pointer{} as its {}", copy.call.name(),
                                        endpoint.begin == 0 ? "" : " plus an offset", endpoint.role()));
  constexpr std::uintptr_t unset = 0xFEFEFEFEFEFEFEFE;  // with which the compiler fills variables
  if (endpoint.begin == unset)
    return copy.call.defect(cudaErrorInvalidValue, "unset-variable",
                            fmt::format("{} has no value, and {} is given it as its {}",
                                        pointer_of(copy, endpoint), copy.call.name(), endpoint.role()));
  if (endpoint.allocation && endpoint.allocation->is_freed)
    return copy.call.defect(
        cudaErrorInvalidValue, "use-after-free",
        fmt::format("{} uses {} after it was freed", copy.call.name(), endpoint.allocation->name()), "",
        {{place_of(endpoint.allocation->freed), "it was freed here"}});
  if (const auto freed = endpoint.is_pageable() ? freed_host_memory_at(endpoint.begin) : std::nullopt)
    return copy.call.defect(cudaErrorInvalidValue, "use-after-free",
                            fmt::format("{} uses {} after they were freed", copy.call.name(), freed->name),
                            "free them after their last use",
                            {{place_of(freed->allocated), "they were freed here"}});
  if (endpoint.allocation && endpoint.allocation->is_array && !endpoint.is_array)
    return copy.call.defect(
        cudaErrorInvalidValue, "array-as-pointer",
        fmt::format("{} is given an array as its {}, which is a handle and not an address", copy.call.name(),
                    endpoint.role()),
        endpoint.is_destination
            ? "cudaMemcpy2DToArray(array, 0, 0, source, pitch, width in bytes, height, kind)"
            : "cudaMemcpy2DFromArray(destination, pitch, array, 0, 0, width in bytes, height, kind)");
  if (const Allocation* const memory =
          endpoint.is_pageable() ? copy.call.runtime().allocations().near(endpoint.begin) : nullptr;
      memory && !memory->is_freed && memory->kind != MemoryKind::registered) {
    if (const cudaError_t error = check_smaller_end(copy, endpoint, memory)) return error;
    return copy.call.defect(cudaErrorInvalidValue, "out-of-bounds",
                            fmt::format("{} begins its {} {}", copy.call.name(), endpoint.role(),
                                        memory->name_of(endpoint.begin)),
                            copy.rows.width * copy.rows.height <= memory->bytes
                                ? fmt::format("the pointer that {} gave, from which {} bytes fit",
                                              memory->call, grouped(memory->bytes))
                                : "",
                            {allocated_at(*memory)});
  }
  return cudaSuccess;
}

cudaError_t check_endpoint_size(const Copy& copy, const CopyEndpoint& endpoint, std::size_t bytes) {
  const auto room = bytes_left(endpoint);
  if (!room || bytes <= *room) return cudaSuccess;
  const SourcePlace place = place_of(copy.call.site());
  const std::string type = source::pointer_type_in_size(copy.call.runtime().code(), place.line);
  if (endpoint.allocation && endpoint.allocation->element_bytes != sizeof(void*) && place.file.empty() &&
      !type.empty())
    return copy.call.defect(
        cudaErrorInvalidValue, "copy-size",
        fmt::format(
            "{} of {} bytes goes {} bytes past the end of its {}, {}: sizeof({}*) is the size of a pointer",
            copy.call.name(), grouped(bytes), grouped(bytes - *room), endpoint.role(), endpoint.name(), type),
        fmt::format("sizeof({}), not sizeof({}*)", type, type), {allocated_at(*endpoint.allocation)});
  if (endpoint.allocation && endpoint.begin == endpoint.allocation->begin &&
      counts_elements(*endpoint.allocation, bytes))
    return report_allocation_size(
        copy, *endpoint.allocation,
        text_of_need(std::string(copy.call.name()) + " uses", bytes, *endpoint.allocation), bytes);
  if (const cudaError_t error = check_smaller_end(copy, endpoint, endpoint.allocation)) return error;
  std::string name = endpoint.name(), at_least;
  std::vector<ProgramFinding::Other> others;
  if (endpoint.allocation) others.push_back(allocated_at(*endpoint.allocation));
  if (const auto memory = endpoint.is_pageable() ? host_memory_at(endpoint.begin) : std::nullopt) {
    name = memory->name;
    if (!memory->is_exact) at_least = "at least ";
    if (const SourcePlace place = place_of(memory->allocated); place.line > 0) {
      name += " in " + text_of(place);
      others.push_back({place, "the host allocated it here"});
    }
  }
  if (endpoint.operand)
    return copy.call.defect(
        cudaErrorInvalidValue, "out-of-bounds",
        fmt::format("{} uses {} bytes of its {}, {} more than there are in {}", copy.call.name(),
                    grouped(bytes), endpoint.operand, grouped(bytes - *room), name),
        "sizes, increments and leading dimensions that fit the memory", others);
  const CopyEndpoint& other = endpoint.is_destination ? copy.from : copy.to;
  const bool is_counted = endpoint.is_pageable() && others.size() == 1 && at_least.empty() &&
                          other.allocation && other.allocation->bytes == bytes &&
                          (bytes == *room * 4 || bytes == *room * 8);
  std::string correction = "at most " + grouped(std::min(*room, bytes_left(other).value_or(*room))) +
                           " bytes, which both the source and the destination have from there on";
  const Rows& rows = copy.rows;
  const Rows turned{rows.width, rows.height, rows.from_pitch, rows.to_pitch};
  if (rows.height > 1 && turned.to_span() <= bytes_left(copy.to).value_or(0) &&
      turned.from_span() <= bytes_left(copy.from).value_or(0))
    correction = fmt::format(
        "{} as the pitch of the destination, and {} as that of the source: each follows its pointer",
        grouped(rows.from_pitch), grouped(rows.to_pitch));
  else if (is_counted)
    correction = "count * sizeof(element) where the host allocates it, which is " + grouped(bytes) + " bytes";
  else if (endpoint.allocation && bytes_left(other) == bytes)
    correction =
        fmt::format("{} of {} bytes in {}, as many as the {} has; or here {}", endpoint.allocation->call,
                    grouped(endpoint.begin - endpoint.allocation->begin + bytes),
                    text_of(place_of(endpoint.allocation->site)), other.role(), correction);
  return copy.call.defect(
      endpoint.is_pageable() ? cudaSuccess : cudaErrorInvalidValue, "copy-size",
      fmt::format("{} of {} bytes goes {}{} bytes past the end of its {}, {}", copy.call.name(),
                  grouped(bytes), at_least, grouped(bytes - *room), endpoint.role(), name),
      correction, others);
}

cudaError_t check_copy(const Copy& copy) {
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault)
    return copy.call.fail(cudaErrorInvalidMemcpyDirection, "there is no such kind of copy");
  for (const CopyEndpoint* endpoint : {&copy.to, &copy.from})
    if (const cudaError_t error = check_endpoint(copy, *endpoint)) return error;
  if (const cudaError_t error = check_variable_name(copy)) return error;
  if (const cudaError_t error = check_direction(copy)) return error;
  if (const cudaError_t error = check_endpoint_size(copy, copy.to, copy.rows.to_span())) return error;
  const auto room = bytes_left(copy.to), room_of_source = bytes_left(copy.from);
  if (room && *room < copy.rows.to_span() && room_of_source && *room_of_source < copy.rows.from_span())
    return copy.call.runtime().fail(cudaErrorInvalidValue, copy.call.name(), copy.call.site(), "");
  return check_endpoint_size(copy, copy.from, copy.rows.from_span());
}

}  // namespace gpulab::program::runtime
