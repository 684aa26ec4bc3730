#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "program/runtime/library_work.hpp"
#include "program/runtime/runtime.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::program::runtime {

// Values that kernels use although nobody has set them, and results that nobody reads.

namespace {

// Returns the offset of the first word with the pattern of variables without a value (host_compiler.cpp):
// bytes of 0xFE, or the sum of two such floats. Returns `bytes` if there is none.
std::size_t first_unset_word(std::uintptr_t begin, std::size_t bytes) {
  constexpr std::uint32_t unset = 0xFEFEFEFE, sum_of_two = 0xFF7EFEFE;
  for (std::size_t offset = 0; offset + sizeof unset <= bytes; offset += sizeof unset) {
    std::uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(begin + offset), sizeof word);
    if (word == unset || word == sum_of_two) return offset;
  }
  return bytes;
}

// Returns whether the function that stores to an array in this line also reads elements of it.
bool reads_what_it_stores(const source::Code& code, int line) {
  const source::PartLines function = source::part_around(code, line);
  const auto [begin, end] = code.lines(function.first, function.last);
  const auto is_element = [&](std::size_t name, source::VariableUse use) {
    return code.text(name + 1) == "[" && source::use_at(code, name) == use;
  };
  for (auto [i, last] = code.line(line); line > 0 && i < last; ++i)
    if (is_element(i, source::VariableUse::set) &&
        std::ranges::any_of(source::uses_between(code, code.text(i), begin, end),
                            [&](std::size_t use) { return is_element(use, source::VariableUse::read); }))
      return true;
  return false;
}

}  // namespace

void Runtime::note_unset_pattern(std::uintptr_t memory, std::size_t bytes) {
  if (is_watching() && !has_sent_unset_pattern_)
    has_sent_unset_pattern_ = first_unset_word(memory, bytes) < bytes;
}

// Looks for results of the last kernel that come from local variables without a value. A float whose bytes
// are 0xFE is so large that sums with it keep the pattern. Bytes of 254 are usual, as in images: in an array
// of other elements the finding stays only if the compiler has seen such a variable, too.
void Runtime::look_for_unset_values(std::uintptr_t from, std::size_t bytes, const char* call, Site site) {
  const Allocation* const memory = allocations_.containing(from);
  const bool has_reason = has_sent_unset_pattern_ || std::ranges::any_of(findings_, [](const auto& finding) {
                            return finding.pattern.starts_with("uninitialised");
                          });
  if (has_reason || !memory || memory->kind != MemoryKind::device || memory->is_written_by_thrust ||
      memory->element_bytes == 1)
    return;
  const std::size_t offset = first_unset_word(from, bytes);
  const int line = offset < bytes ? machine_->checked().line_of_store(from + offset) : 0;
  if (line == 0) return;
  add({.pattern = "unset-variable",
       .place = {"", line},
       .text = "the kernel stores in " + memory->name_of(from + offset) +
               " what a local variable, an array or a fragment held before it had a value",
       .correction =
           "a value for all of it before its first use: float sum = 0, or float sums[4] = {} for an array",
       .others = {{place_of(site), std::string(call) + " brings it to the host"}, allocated_at(*memory)},
       .premise = ProgramFinding::Premise::array_has_floats,
       .call = memory->call});
}

// Notes constant memory that the launch has read and nobody has set.
void Runtime::look_for_unset_constants(const Launched& launched) {
  if (device_count() > 1) return;
  for (const ModuleVariable& variable : variables_) {
    const auto* const bytes = reinterpret_cast<const char*>(variable.range.begin);
    const std::string name = variable.name.substr(variable.name.rfind(':') + 1);
    const auto found = bytes_set_.find(variable.range.begin);
    const std::size_t bytes_set = found == bytes_set_.end() ? 0 : found->second,
                      bytes_read = machine_->checked().bytes_read_of_constant(variable.range.begin);
    if (!variable.is_constant || bytes_read <= bytes_set || knows_address_of(variable) ||
        std::any_of(bytes + bytes_set, bytes + variable.range.bytes, [](char byte) { return byte != 0; }) ||
        source::has_initializer(code_, name))
      continue;
    ProgramFinding finding{
        .pattern = "constant-never-set",
        .is_note = true,
        .place = place_of(launched.site),
        .text = fmt::format("kernel {} reads {}, a __constant__ variable ", launched.kernel, name)};
    if (bytes_set == 0) {
      finding.text += "that has no value yet: all of it is 0";
      finding.correction =
          fmt::format("cudaMemcpyToSymbol({}, source, sizeof {}) before the launch", name, name);
    } else {
      finding.text +=
          fmt::format("of which only the first {} of {} bytes were set, up to byte {}: the rest is 0",
                      grouped(bytes_set), grouped(variable.range.bytes), grouped(bytes_read - 1));
    }
    add(std::move(finding));
  }
}

namespace {

// Says that no launch of the line reads what the one before has written, and corrects it if two pointers are
// its arguments. Launches that are timed may be meant to do the same.
void add_forgotten_swap(const Allocation::Launch& launch, const source::Code& code, ProgramFinding& finding) {
  const SourcePlace place = place_of(launch.site);
  std::vector<std::string_view> pointers;
  auto [i, end] = place.file.empty() ? code.line(place.line) : source::TokenRange();
  while (i < end && !source::is_operation(code, i, ">>>")) ++i;
  for (; i < end; ++i)
    if (source::declared_type(code, code.text(i), i).is_pointer) pointers.push_back(code.text(i));
  finding.text +=
      fmt::format(": all {} launches in {} have the same two arrays", launch.count, text_of(place));
  finding.correction.clear();
  if (pointers.size() == 2 && !source::has_word(code, "cudaEventElapsedTime", 0, code.size()) &&
      !source::has_word(code, "chrono", 0, code.size()))
    finding.correction =
        fmt::format("std::swap({}, {}) after the launch in {}", pointers[0], pointers[1], text_of(place));
}

}  // namespace

// Notes a kernel's result in this memory if nobody has read it when the memory is freed or the program ends.
// The kernel itself may have: its threads read what they have stored, where the host has set nothing.
void Runtime::look_for_unread_result(const Allocation& memory) {
  if (!is_watching() || memory.kind != MemoryKind::device || memory.is_copied_from || memory.has_reader)
    return;
  if (!machine_->checked().is_only_written({memory.begin, memory.bytes}) ||
      (memory.writes.empty() && reads_what_it_stores(code_, place_of(memory.store).line)))
    return;
  ProgramFinding finding{
      .pattern = "result-not-copied",
      .place = place_of(memory.launch ? memory.launch->site : memory.site),
      .text = fmt::format("{} has written to {}, and nothing copies them to the host",
                          memory.launch ? "kernel " + memory.launch->kernel : "a kernel", memory.name()),
      .correction =
          "cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) after the launch, if the host needs them"};
  for (const auto& [begin, other] : allocations_.all()) {
    if (!memory.launch || !other.launch || other.launch->site != memory.launch->site || !other.is_copied_from)
      continue;
    if (other.store.pc != 0) return;  // this is the launch's result, beside its work arrays
    if (other.bytes == memory.bytes && memory.store.pc != 0) {  // the arguments may be exchanged
      finding.text += ", which gets an array of that size that the kernel only reads";
      finding.correction = "the arguments in the order of the kernel's parameters";
      if (memory.launch->count > 1 && memory.launch->count == other.launch->count && !other.writes.empty())
        add_forgotten_swap(*memory.launch, code_, finding);
      finding.others.push_back(
          allocated_at(other, ": the host gets this, and the kernel does not store in it"));
      break;
    }
  }
  unread_results_.push_back(std::move(finding));
}

}  // namespace gpulab::program::runtime
