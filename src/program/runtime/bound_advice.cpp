#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/text.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "source/bounds.hpp"
#include "source/shared_arrays.hpp"
#include "source/source_parts.hpp"

namespace gpulab::program::runtime {

bool Runtime::lacks_sizeof(Site allocation, Site call) const {
  const SourcePlace allocated = place_of(allocation), used = place_of(call);
  if (!allocated.file.empty() || !used.file.empty()) return false;
  const source::Code& code = code_;
  const auto find_in = [&](int line, std::string_view name) {
    auto [token, end] = code.line(line);
    while (token < end && !code.text(token).starts_with(name)) ++token;
    return token < end ? token : code.size();
  };
  const std::size_t copy = find_in(used.line, "cudaMemcpy"), copy_end = code.after_bracket(copy + 1);
  const std::size_t malloc_call = find_in(allocated.line, "cudaMalloc");
  const std::size_t closing_bracket = code.matching(malloc_call + 1);
  if (copy == code.size() || malloc_call == code.size() || closing_bracket == code.size()) return false;
  const std::string_view size = code.text(closing_bracket - 1);
  const auto variables = source::local_variables(code);
  const bool may_be_bytes = std::ranges::any_of(variables, [&](const source::LocalVariable& local) {
    return local.name == size && has_word(code, "sizeof", local.at, source::end_of_value(code, local.at + 1));
  });
  return code.text(closing_bracket - 2) == "," && !may_be_bytes && has_word(code, "sizeof", copy, copy_end) &&
         source::declared_type(code, size, malloc_call).type == "int";
}

namespace {

// Returns whether the element past the end, counted from `begin`, has the number of its thread in a grid of
// one row, as far as block and thread show it: whole warps are in the blocks before.
bool has_own_number(const Defect& defect, std::uintptr_t begin) {
  if (!defect.party.place) return false;
  const auto& [block, thread, warp, lane, axes] = *defect.party.place;
  const std::size_t element = (defect.address - begin) / defect.bytes;
  return block.x > 0 && block.y + block.z + thread.y + thread.z == 0 && element > thread.x &&
         (element - thread.x) % (std::size_t{32} * block.x) == 0;
}

// Returns whether the kernel around the line has an if or a loop, which may keep threads from elements.
bool has_branch(const source::Code& code, int line) {
  const source::PartLines kernel = source::kernel_around(code, line);
  for (auto [at, end] = code.lines(kernel.first, kernel.last); at < end; ++at) {
    const bool is_count = code.text(at + 5) == "0" && code.text(at + 6) == ";";  // for (int k = 0;
    if (is_one_of(code.text(at), {"if", "while", "?"}) || (code.text(at) == "for" && !is_count)) return true;
  }
  return !kernel.is_kernel;
}

// Names the pointer in the line that nothing has set, where the address is near that of such pointers.
void add_unset_pointer(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [begin, end] = code.line(defect.party.line);
  const auto is_set = [&](std::size_t use) {
    return code.text(use - 1) == "&" || (code.text(use + 1) == "=" && code.text(use - 1) != "*");
  };
  for (const source::LocalVariable& local : source::local_variables(code)) {
    const auto uses = source::uses_between(code, local.name, local.at + 1, std::min(end, local.scope_end));
    if (!local.is_pointer || local.is_array || local.has_initializer || uses.empty() || uses.back() < begin ||
        std::ranges::any_of(uses, is_set))
      continue;
    finding.pattern = "unset-variable";
    finding.text = fmt::format("'{}' is used before it has a value: {}", local.name, finding.text);
    return;
  }
}

}  // namespace

// Adds the missing size or condition as the correction, if an index is just outside of its array. Names the
// pointer that an address comes from, if it has no value.
void Runtime::add_bound(const Defect& defect, Site site, ProgramFinding& finding) const {
  using enum DefectKind;
  if (defect.address >> 40 == 0xFEFEFE && defect.party.file.empty())  // as the compiler fills variables
    return add_unset_pointer(defect, code_, finding);
  if ((defect.kind != array_index && defect.kind != shared_out_of_bounds && defect.kind != out_of_bounds) ||
      finding.pattern != name_of(defect.kind) || !finding.correction.empty() || !defect.party.file.empty())
    return;
  const source::Code& code = code_;
  const auto add_condition = [&](bool is_before, std::size_t outside, std::size_t length) {
    const std::string condition =
        source::missing_condition(code, defect.party.line, is_before, outside, length);
    if (!condition.empty())
      finding.correction = "if (" + condition + ") before " +
                           (defect.kind == array_index                  ? "the access"
                            : defect.party.access == DefectAccess::load ? "the read"
                                                                        : "the write") +
                           " in " + text_of(finding.place);
  };
  if (defect.kind == array_index) {
    // An unsigned index below 0 wraps round.
    const long long index = defect.index > INT32_MAX && defect.index <= UINT32_MAX
                                ? defect.index - (static_cast<long long>(UINT32_MAX) + 1)
                                : defect.index;
    for (const source::SharedArray& array : source::shared_arrays(code))
      if (array.name == defect.memory.variable && array.dimensions.size() == 1)
        return add_condition(index < 0,
                             static_cast<std::size_t>(
                                 index < 0 ? -index : index + 1 - static_cast<long long>(array.elements())),
                             array.elements());
    return;
  }
  if (defect.bytes == 0 || defect.memory.begin == 0) return;
  const SourcePlace launch = place_of(site);
  const Defect::Memory& memory = defect.memory;
  const std::uintptr_t end = memory.begin + memory.bytes;
  const bool is_before = defect.address < memory.begin;
  if (!is_before && defect.address < end) return;
  const bool fits_if_counted = defect.address + defect.bytes <= memory.begin + memory.bytes * defect.bytes;
  if (defect.kind == shared_out_of_bounds && !is_before && launch.file.empty() && fits_if_counted)
    finding.correction = source::launch_in_bytes(code, launch.line, memory.variable);
  const Allocation* const padded = defect.kind == out_of_bounds ? allocations_.near(defect.address) : nullptr;
  if (padded && padded->pitch > 0 && defect.bytes > 1 &&
      std::ranges::find(running_words_, padded->pitch) != running_words_.end())
    if (const std::string pitch = source::pitch_in_elements(code, defect.party.line); !pitch.empty()) {
      finding.correction = pitch + " in each index";
      finding.text += ": a pitch counts bytes, not elements";
      return;
    }
  if (!finding.correction.empty()) {
    finding.text += fmt::format(": the launch in {} gives {} bytes, not elements", text_of(launch),
                                grouped(memory.bytes));
    return;
  }
  const std::size_t outside =
      is_before ? (memory.begin - defect.address) / defect.bytes : (defect.address - end) / defect.bytes + 1;
  if (defect.kind == shared_out_of_bounds && !is_before && source::is_dynamic_array(code, memory.variable)) {
    finding.text += ": the launch in " + text_of(launch) + " gives that many";
    if (memory.bytes == 0)
      finding.correction =
          "<<<blocks, threads, bytes>>>, with the bytes of " + memory.variable + " as the third number";
    if (const std::size_t elements = memory.bytes / defect.bytes;
        elements > 0 && outside == 1 && defect.party.access != DefectAccess::load) {
      finding.text += fmt::format(", and index {} needs {}", grouped(elements), grouped(elements + 1));
      return;
    }
  }
  if (const auto wrong = source::wrong_row_length(code, defect.party.line, /*is_past_end=*/true);
      defect.kind == out_of_bounds && wrong) {
    finding.text += ": " + wrong->text;
    finding.correction = wrong->right;
    return;
  }
  if (const std::string elements = source::elements_of_offsets(code, defect.party.line);
      padded && !is_before && outside == 1 && !elements.empty()) {
    finding.correction =
        fmt::format("{} elements for {} in {}", elements, padded->call, text_of(place_of(padded->site)));
    return;
  }
  // A store past the end may be meant for the element before: with a condition, nothing would set the first.
  if (defect.kind != out_of_bounds || is_before || defect.party.access == DefectAccess::load)
    add_condition(is_before, outside, memory.dimensions.size() == 1 ? memory.dimensions.front() : 0);
  if (const std::string both = source::both_conditions(code, defect.party.line);
      defect.kind == out_of_bounds && !both.empty())
    finding.correction = both;
  if (finding.correction.empty() && defect.kind == out_of_bounds &&
      source::has_rows(code, defect.party.line) && !has_branch(code, defect.party.line))
    finding.correction =
        "if (x < width && y < height) before the access, where x and y are the thread's column and row";
  if (!finding.correction.empty() || defect.kind != out_of_bounds || is_before) return;
  const auto has_elements = [&](std::uintptr_t word) {
    return (word & 0xFFFFFFFFu) == memory.bytes / defect.bytes;
  };
  if (outside == 1 && std::ranges::any_of(running_words_, has_elements))
    if (const std::string condition = source::condition_without_end(code, defect.party.line);
        !condition.empty()) {
      finding.correction = condition + " in the condition of the loop";
      return;
    }
  const auto given = std::ranges::find_if(running_words_, [&](std::uintptr_t word) {
    return memory.begin <= word && word < end && has_own_number(defect, word);
  });
  if (given == running_words_.end()) return;
  const std::size_t left = (end - *given) / defect.bytes;
  const std::string kernel = source::kernel_around(code, defect.party.line).name;
  if (const auto part = source::launched_part(code, launch.line, defect.party.line, left)) {
    finding.text +=
        fmt::format(": the launch gives {} as the number of elements, and behind {} only {} {} left",
                    part->count, part->pointer, grouped(left), left == 1 ? "is" : "are");
    finding.correction = part->correction + " in " + text_of(launch);
  } else if (source::bound_of_guard(code, kernel, defect.party.line).empty() &&
             (std::ranges::find(running_words_, left,
                                [](std::uintptr_t word) { return word & 0xFFFFFFFFu; }) !=
                  running_words_.end() ||
              !has_branch(code, defect.party.line))) {
    finding.correction = fmt::format(
        "if (i < {}) before the access, where i is the thread's number in the grid: no "
        "thread from number {} on has an element",
        "n", grouped(left));
  }
}

}  // namespace gpulab::program::runtime
