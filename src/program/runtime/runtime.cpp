#include "program/runtime/runtime.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <string>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "device/host.hpp"
#include "device/symbols.hpp"
#include "program/compiler.hpp"
#include "program/nvcc.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/errors.hpp"
#include "simulator/device.hpp"
#include "source/bounds.hpp"
#include "source/branches.hpp"
#include "source/program_findings.hpp"
#include "source/quoted_statement.hpp"
#include "source/shared_arrays.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::program::runtime {

// Scope in which device memory is accessible, for work of the device. Outside of it, accesses by the host
// fault.
struct Runtime::OpenMemory {
  explicit OpenMemory(Runtime& runtime) : runtime_(runtime) {
    if (runtime_.open_scopes_++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  ~OpenMemory() {
    if (--runtime_.open_scopes_ == 0) protect(PROT_NONE);
  }
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;

 private:
  void protect(int access) const {
    if (runtime_.has_thrust_) return;
    for (const auto& [begin, allocation] : runtime_.allocations_.all())
      if (allocation.kind == MemoryKind::device && !allocation.is_freed)
        ::mprotect(reinterpret_cast<void*>(begin), allocation.bytes, access);
  }
  Runtime& runtime_;
};

Runtime::Runtime(ProgramWatch watch, bool reports_copied_data, WarpSize warp_size, int devices)
    : watch_(watch), reports_copied_data_(reports_copied_data) {
  instance_ = this;
  devices_.push_back(simulator::open_simulator(simulator::ModuleMaker{}, warp_size));
  machine_ = simulator::machine_of(*devices_.front());
  machine_->max_shared_bytes = max_shared_bytes_per_block;
  machine_->continues_after_block_failure = is_watching();  // other programs get no report of the failure
  if (watch_ == ProgramWatch::accesses) machine_->in_order = true;
  for (int index = 0; index < devices; ++index) {
    if (index > 0) devices_.push_back(devices_.front()->open_peer(index));
    Stream& stream = *default_streams_.emplace_back(std::make_unique<Stream>());
    stream.queue = std::make_unique<simulator::SimulatedStream>(machine_->order());
    stream.device = index;
    stream.is_default = true;
    if (index > 0) stream.number = ++streams_made_;
  }
  always_watched_ = machine_->checked().watch_token();
  watch_for_host();
}

void Runtime::set_text(std::string text) {
  code_ = std::move(text);
  has_signals_ = source::has_signals(code_);
}

void Runtime::set_module(std::unique_ptr<simulator::compile::SimulatedModule> module) {
  module_ = std::move(module);
  variables_ = module_->variables();
  if (is_watching()) virtual_tables_ = VirtualTables(*module_);
  watch_host_accesses();
  if (device_count() == 1) return;
  std::string values;
  for (const ModuleVariable& variable : variables_)
    if (!variable.is_managed)
      values.append(reinterpret_cast<const char*>(variable.range.begin), variable.range.bytes);
  kept_variables_.assign(devices_.size(), values);
}

// ---- Devices ----------------------------------------------------------------------------------------------

void Runtime::use_variables_of(int device) {
  if (kept_variables_.empty() || device == device_of_variables_) return;
  std::string& previous =
      kept_variables_[static_cast<std::size_t>(std::exchange(device_of_variables_, device))];
  const std::string& wanted = kept_variables_[static_cast<std::size_t>(device)];
  std::ptrdiff_t offset = 0;
  for (const ModuleVariable& variable : variables_) {
    if (variable.is_managed) continue;
    char* const value = reinterpret_cast<char*>(variable.range.begin);
    std::copy_n(value, variable.range.bytes, previous.begin() + offset);
    std::copy_n(wanted.begin() + offset, variable.range.bytes, value);
    offset += static_cast<std::ptrdiff_t>(variable.range.bytes);
  }
}

// ---- Work -------------------------------------------------------------------------------------------------

cudaError_t Runtime::run_device_work(const std::function<void()>& work) {
  wait_for_helper();
  const OpenMemory open(*this);
  try {
    work();
  } catch (const device::DeviceError& error) {
    const std::string kernel = std::exchange(running_kernel_, "");
    const Site site = running_site_;
    const std::size_t findings_before = findings_.size();
    const bool is_explained = collect_findings(kernel, site) || findings_.size() > findings_before;
    if (must_kernel_stop()) {
      running_kernel_ = kernel;
      for (has_stopped_kernel_ = true;;) ::pause();
    }
    if (sticky_ == cudaSuccess && error.leaves_device_unusable()) sticky_ = cuda_error_of(error.name());
    // A defect of one block does not explain that another one never ends.
    if (!is_explained || error.failure().kind == DefectKind::time_limit)
      add_failure(error.failure(), error.explanation(), kernel, site);
  }
  // A launch collects its own defects when it ends.
  if (running_kernel_.empty() && machine_->checked().has_defects()) collect_findings("", {});
  return sticky_;
}

void Runtime::add_failure(const Failure& failure, const std::string& explanation, const std::string& kernel,
                          Site site) {
  add({.pattern = std::string(name_of(failure.kind)),
       .place = failure.line > 0 ? SourcePlace{failure.file, failure.line} : place_of(site),
       .text =
           (kernel.empty() ? "" : "kernel " + kernel + ", launched in " + text_of(place_of(site)) + ": ") +
           explanation});
}

// ---- Data and findings for the report ---------------------------------------------------------------------

void Runtime::keep(std::string& kept, const void* bytes, std::size_t count) const {
  if (!reports_copied_data_) return;
  const std::size_t room = max_kept_copy_bytes - std::min(kept.size(), max_kept_copy_bytes);
  kept.append(static_cast<const char*>(bytes), std::min(count, room));
  kept.append((8 - kept.size() % 8) % 8, '\xFF');
}

// Keeps memory as sent only before the first launch that is given it, since kernels write what it has later.
void Runtime::keep_host_accessible(LaunchPhase phase, const std::vector<std::uintptr_t>& words) {
  if (!reports_copied_data_) return;
  const auto keep_memory = [&](std::uintptr_t begin, std::size_t bytes) {
    const bool is_new = given_before_.insert(begin).second;
    if (phase == LaunchPhase::before && !is_new) return;
    keep(phase == LaunchPhase::before ? sent_ : brought_back_, reinterpret_cast<const void*>(begin), bytes);
  };
  for (const ModuleVariable& variable : variables_)
    if (variable.is_managed) keep_memory(variable.range.begin, variable.range.bytes);
  for (const std::uintptr_t word : words)
    if (const Allocation* const memory = allocations_.at(word);
        memory && !memory->is_freed && memory->kind != MemoryKind::device)
      keep_memory(memory->begin, memory->bytes);
}

void Runtime::add(ProgramFinding finding) {
  const auto are_in_one_line = [](const SourcePlace& a, const SourcePlace& b) {
    return a.line == b.line && a.file == b.file;
  };
  // One correction may end several races of the same lines, accesses outside of a launch's shared memory, or
  // refused launches of a function with several callers.
  const auto shares_line = [&](const ProgramFinding& known) {
    if (!known.others.empty() && !finding.others.empty() &&
        known.others.front().place.line == finding.others.front().place.line)
      return true;
    return source::names(known, finding.place) ||
           std::ranges::any_of(finding.others, [&](const ProgramFinding::Other& other) {
             return are_in_one_line(other.place, known.place);
           });
  };
  const auto has_same_cause = [&](const ProgramFinding& known) {
    if (finding.correction.empty() || known.correction != finding.correction) return false;
    if (finding.pattern == "launch-failure") return are_in_one_line(known.place, finding.place);
    if (finding.pattern == name_of(DefectKind::shared_out_of_bounds))
      return !finding.others.empty() && !known.others.empty() &&
             finding.others.back().place == known.others.back().place;  // the launch
    return shares_line(known) &&
           (finding.pattern == name_of(DefectKind::shared_race) ||
            finding.pattern == name_of(DefectKind::global_race) || finding.pattern == "use-after-free");
  };
  const bool is_race = finding.pattern.starts_with("race-");
  if (is_race && finding.is_note && std::ranges::any_of(findings_, [&](const ProgramFinding& known) {
        return !known.is_note && known.pattern == finding.pattern && known.place == finding.place;
      }))
    return;
  for (ProgramFinding& known : findings_)
    if (known.pattern == finding.pattern && known.is_note == finding.is_note &&
        known.premise == finding.premise && (!is_race || known.call == finding.call) &&
        (known.place == finding.place || has_same_cause(known))) {
      known.count += finding.count;
      if (finding.place != known.place && !source::names(known, finding.place))
        known.others.insert(known.others.begin(), {finding.place, "the same in this line"});
      // Several operations may race with one line.
      for (ProgramFinding::Other& other : finding.others)
        if (finding.pattern == name_of(DefectKind::race_streams) && !source::names(known, other.place))
          known.others.push_back(std::move(other));
      return;
    }
  findings_.push_back(std::move(finding));
}

// Adds the line to a known race of the same copy and launch. Returns whether there is such a race.
bool Runtime::add_to_race_with_copy(const ProgramFinding& finding, const std::string& kernel,
                                    DefectAccess access) {
  for (ProgramFinding& known : findings_) {
    if (known.pattern != finding.pattern || known.place == finding.place || known.others.size() < 2 ||
        finding.others.size() < 2 || known.others[0].place != finding.others[0].place ||
        known.others[1].place != finding.others[1].place)
      continue;
    known.count += finding.count;
    if (!source::names(known, finding.place))
      known.others.push_back(
          {finding.place, kernel + (access == DefectAccess::load ? " reads" : " writes") + " here, too"});
    return true;
  }
  return false;
}

bool Runtime::is_in_destructor(Site site) const {
  const SourcePlace place = place_of(site);
  return place.file.empty() && source::is_in_destructor(code_, place.line);
}

void Runtime::drop_finding(std::string_view pattern, Site site) {
  std::erase_if(findings_, [&](const ProgramFinding& finding) {
    return finding.pattern == pattern && finding.place == place_of(site);
  });
}

void Runtime::mark_all_written() {
  for (const auto& [begin, allocation] : allocations_.all())
    if (!allocation.is_freed) machine_->checked().memory().mark_written({begin, allocation.bytes});
}

namespace {

// Joins accesses past the end of dynamic shared memory into one defect: the launch gives too little of it.
void join_overruns(std::vector<Defect>& defects, const source::Code& code, const SourcePlace& launch) {
  const auto is_overrun = [&](const Defect& defect) {
    return defect.kind == DefectKind::shared_out_of_bounds && !defect.is_note && defect.party.file.empty() &&
           defect.address >= defect.memory.begin + defect.memory.bytes &&
           source::is_dynamic_array(code, defect.memory.variable) &&
           (!launch.file.empty() ||
            source::launch_in_bytes(code, launch.line, defect.memory.variable).empty());
  };
  const auto first = std::ranges::find_if(defects, is_overrun);
  if (first == defects.end()) return;
  std::string lines;
  const auto rest = std::remove_if(first + 1, defects.end(), [&](const Defect& defect) {
    if (!is_overrun(defect) || defect.ends_launch != first->ends_launch) return false;
    first->count += defect.count;
    const std::string line = " line " + std::to_string(defect.party.line) + ",";
    if (defect.party.line != first->party.line && lines.find(line) == std::string::npos) lines += line;
    return true;
  });
  defects.erase(rest, defects.end());
  if (!lines.empty()) first->detail = "also in" + lines.substr(0, lines.size() - 1);
}

}  // namespace

bool Runtime::collect_findings(const std::string& kernel, Site site) {
  device::Instruments& instruments = *devices_.front()->instruments();
  output_ += instruments.take_output();
  std::vector<Defect> defects = instruments.take_defects();
  source::add_names_and_dimensions(defects, code_.whole());
  for (Defect& defect : defects)
    if (defect.memory.variable == SharedWriters::dynamic_memory)
      defect = source::with_dynamic_name(defect, code_);
  sort_by_severity(defects);
  // Freed memory is protected: an access to it ends the launch, and is recorded as out of bounds.
  const bool explains_end = std::ranges::any_of(defects, [](const Defect& defect) {
    return defect.ends_launch || defect.kind == DefectKind::out_of_bounds;
  });
  complete_races(defects);
  if (!defects.empty()) join_overruns(defects, code_, place_of(site));
  note_host_flags(defects);
  for (const Defect& defect : defects) add_kernel_defect(defect, kernel, site);
  for (Textures::KernelDefect& defect : textures_.take_defects())
    add({.pattern = defect.pattern,
         .place = place_of({address_of(defect.pc)}),
         .text = fmt::format("kernel {}: {}", kernel, defect.text),
         .correction = defect.correction,
         .others = {launched_at(kernel, site)}});
  for (const std::string& note : instruments.take_notes())
    add({.pattern = "note",
         .is_note = true,
         .place = place_of(site),
         .text = fmt::format("kernel {}: {}", kernel, note)});
  return explains_end;
}

const estimate::Gpu* Runtime::seen_gpu() const {
  const auto is_cooperative = [](const source::CodeToken& token) {
    return token.text.ends_with("LaunchCooperativeKernel") ||
           token.text == "cudaLaunchAttributeCooperative" || token.text == "this_grid";
  };
  return prediction_ && std::ranges::none_of(code_.tokens(), is_cooperative) ? &prediction_->gpu() : nullptr;
}

void Runtime::predict_on(estimate::Gpu gpu, GpuCode code) {
  timeline_.set_pinned_rate(gpu.host_bytes_per_s);
  machine_->records_footprints = true;
  prediction_.emplace(std::move(gpu), std::move(code));
}

namespace {

// Returns the line of an access, with the column of its statement if the line has several.
SourcePlace place_in_kernel(const Defect& defect, const Defect::Party& party, const source::Code& text) {
  SourcePlace place{party.file, party.line};
  if (defect.address != 0 && party.file.empty())
    place.column = source::column_of_access(text, party.line, defect.memory.variable, party.access);
  for (const Defect::Party::Caller& caller : party.callers)
    place.callers.push_back({caller.file, caller.line});
  return place;
}

// Names the elements of an allocation, if there is one.
ArrayElement names_in(const Allocation* memory) {
  return [memory](std::uintptr_t address) {
    return MemoryName{.where = memory ? memory->name_of(address) : std::string()};
  };
}

}  // namespace

// Drops findings of unwritten memory that is read in a line of the race, or in a kernel that races with an
// earlier one's write: this write came too late.
void Runtime::forget_reads_before(const Defect& race, const Allocation& memory) {
  std::erase_if(suspects_, [&](const Suspect& suspect) {
    return suspect.is_of_copy() && memory.contains(suspect.unreached.begin);
  });
  const auto is_in_line = [](const Defect::Party& party, const SourcePlace& place) {
    return party.line == place.line && party.file == place.file;
  };
  const auto is_in_kernel = [&](const Defect::Party& party, const source::LineRange& kernel) {
    return party.line > 0 && party.file.empty() && kernel.has(party.line);
  };
  const auto is_of_later_kernel = [&](const SourcePlace& read) {
    const source::LineRange kernel = source::kernel_around(code_, read.line);
    return read.file.empty() && is_in_kernel(race.party, kernel) && !is_in_kernel(*race.other, kernel) &&
           race.other->access != DefectAccess::load;
  };
  for (const UnwrittenRead& read : unwritten_reads_)
    if (read.memory == memory.begin && (is_in_line(race.party, read.line) ||
                                        is_in_line(*race.other, read.line) || is_of_later_kernel(read.line)))
      std::erase_if(findings_, [&](const ProgramFinding& finding) {
        return finding.pattern == name_of(DefectKind::uninitialised) && finding.place == read.reported_at;
      });
}

// Drops defects of a store if its index is an element that was read too early, as in out[offsets[i]].
void Runtime::drop_stores_at_element(const Defect::Party& reader, ProgramFinding& race) {
  if (!reader.file.empty() || !source::stores_at_element(code_, reader.line)) return;
  for (const DefectKind kind : {DefectKind::global_race, DefectKind::out_of_bounds}) {
    const auto is_at_reader = [&](const ProgramFinding& known) {
      return known.pattern == name_of(kind) && known.place.file.empty() && known.place.line == reader.line;
    };
    if (std::erase_if(findings_, is_at_reader) > 0)
      race.text += fmt::format("; likely a consequence: {} in line {}", name_of(kind), reader.line);
  }
}

// Completes a finding about a lane that reads from a lane which takes no part. Returns false if there is
// nothing to report. It is a defect once the value is stored. Until it is stored, it is one only if a branch
// keeps the lane from the operation: since Volta, the mask may name lanes that have returned.
bool Runtime::add_undefined_value(const Defect& defect, ProgramFinding& finding) {
  const bool is_used = defect.other && defect.other->line > 0;
  const auto is_same = [&](const ProgramFinding& known) {
    return known.pattern == finding.pattern && known.place == finding.place;
  };
  if (is_used && !defect.is_note) {
    finding.lanes_have_returned = true;
    finding.correction =
        "the operation outside of the branch, with all lanes in its mask; or no use of a value whose lane is "
        "not in the mask";
    std::erase_if(findings_, [&](const ProgramFinding& known) {
      return is_same(known) && known.premise == ProgramFinding::Premise::kernel_never_returns;
    });
    return true;
  }
  if (!defect.other || std::ranges::any_of(findings_, is_same)) return false;
  finding.is_note = false;
  if (is_used) {
    finding.correction = "a mask of the lanes that exist, or blocks of a multiple of 32 threads";
    return true;
  }
  finding.premise = ProgramFinding::Premise::kernel_never_returns;
  finding.correction = "the operation outside of the branch, where all lanes in its mask come to it";
  return true;
}

// Adds what is known about memory that the kernel uses wrongly.
void Runtime::add_about_memory(const Defect& defect, const Allocation& memory, const std::string& kernel,
                               Site site, ProgramFinding& finding) {
  if (memory.is_freed && memory.contains(defect.address)) {
    finding.text = fmt::format("kernel {} uses memory that was freed: {}", kernel,
                               text_in_parts(defect, names_in(&memory)).how);
    add_why_freed(memory, kernel.empty() ? Site() : site, "launched", finding);
    if (!kernel.empty()) {
      finding.others.push_back({finding.place, "the kernel uses it here"});
      finding.place = place_of(site);
    }
  }
  if (defect.kind == DefectKind::uninitialised) {
    const SourcePlace line = finding.place;
    add_what_was_written(defect, finding);
    unwritten_reads_.push_back({line, finding.place, memory.begin});
  }
  if (defect.kind == DefectKind::race_streams) {
    finding.call = memory.name();  // keeps the races of one line on two arrays apart
    forget_reads_before(defect, memory);
    for (const Defect::Party& party : {defect.party, *defect.other})
      if (party.access != DefectAccess::store) drop_stores_at_element(party, finding);
  }
  if (defect.kind == DefectKind::out_of_bounds && !memory.is_freed) {
    add_counted_allocation(memory, kernel, finding);
    if (finding.pattern != "allocation-size") finding.others.push_back(allocated_at(memory));
  }
  if (defect.kind == DefectKind::no_peer_access) {
    const std::string owner = std::to_string(memory.device);
    finding.text = "memory of another device: " + text_in_parts(defect, names_in(&memory)).how;
    finding.correction = "cudaDeviceEnablePeerAccess(" + owner +
                         ", 0) while the kernel's device is current, or cudaMemcpyPeer to memory of its own";
    finding.others.push_back(allocated_at(memory, ", on device " + owner));
  }
}

void Runtime::add_kernel_defect(const Defect& defect, const std::string& kernel, Site site) {
  if (defect.is_with_host) return add_host_race(defect);
  const Allocation* const memory = defect.memory.begin != 0 && defect.memory.variable.empty()
                                       ? allocations_.near(defect.address)
                                       : nullptr;
  ProgramFinding finding{.pattern = std::string(name_of(defect.kind)),
                         .is_note = defect.is_note,
                         .place = place_in_kernel(defect, defect.party, code_),
                         .text = explanation_of(with_advice_for_parts(defect), names_in(memory)),
                         .count = defect.count};
  // Since Volta, threads that have returned may miss a barrier. A branch must not keep threads from it.
  if (defect.kind == DefectKind::missed_barrier ||
      (defect.kind == DefectKind::absent_lanes && defect.is_note))
    finding.premise = ProgramFinding::Premise::kernel_never_returns;
  if (defect.kind == DefectKind::wrong_mask && !defect.ends_launch && !add_undefined_value(defect, finding))
    return;
  if (defect.kind == DefectKind::race_streams && finding.place.line == 0)
    finding.place = place_of({defect.host_at});  // a copy or a set has no line
  if (memory) add_about_memory(defect, *memory, kernel, site, finding);
  if (defect.kind == DefectKind::host_pointer) add_host_pointer(defect, kernel, site, finding);
  if (defect.kind == DefectKind::out_of_bounds && !memory) add_overflowed_index(defect, finding);
  if (!defect.is_note) add_bound(defect, site, finding);
  for (ProgramFinding& known : findings_) {  // the missing guard of an access is the cause of this one, too
    if (known.pattern != name_of(DefectKind::out_of_bounds) || known.correction.empty() ||
        !source::names(known, place_of(site)))
      continue;
    const bool is_same = known.place == finding.place;
    if (is_same && defect.kind == DefectKind::global_race && source::has_rows(code_, finding.place.line))
      return;
    if (is_same || defect.kind != DefectKind::out_of_bounds || known.correction != finding.correction)
      continue;
    if (!source::names(known, finding.place))
      known.others.push_back({finding.place, "the kernel passes the end here, too"});
    return;
  }
  if (defect.kind == DefectKind::shared_uninitialised)
    finding.text += source::condition_of_store(code_, defect.memory.variable, defect.party.line);
  if (const std::string text = text_of_other_party(defect); !text.empty())
    finding.others.push_back({place_in_kernel(defect, *defect.other, code_), text});
  if (defect.other) add_race_advice(defect, finding);
  if (defect.kind == DefectKind::race_streams)
    add_operations(defect, finding);
  else if (!kernel.empty() && finding.place != place_of(site))
    finding.others.push_back(launched_at(kernel, site));
  if (defect.kind == DefectKind::race_streams && defect.other->line == 0 &&
      add_to_race_with_copy(finding, defect.work, defect.party.access))
    return;
  add(std::move(finding));
}

ProgramReport Runtime::take_report(int exit_status, bool is_regular_end) {
  if (is_regular_end) record_access_runs();
  if (is_watching()) report_overrun_blocks(*this);
  if (is_regular_end && sticky_ == cudaSuccess) end_all_work(exit_status);
  if (is_regular_end) add_suspects(exit_status);
  add_errors(exit_status);
  if (sticky_ != cudaSuccess && !waiting_launches_.empty()) {
    dropped_launches_ += waiting_launches_.size();
    first_dropped_ = waiting_launches_.begin()->second;
  }
  if (dropped_launches_ > 0 && watch_ != ProgramWatch::nothing)
    add({.pattern = "launches-dropped",
         .is_note = true,
         .place = place_of(first_dropped_),
         .text = "from here on no kernel ran (launches: " + grouped(dropped_launches_) +
                 "): as on a GPU, the error of an earlier kernel is returned by every later call. "
                 "Correct that error first: gpulab may find more then"});
  forget_reads_before_swaps();
  if (is_regular_end && exit_status == 0 && sticky_ == cudaSuccess) {
    add_leaks_of_handles();
    for (const auto& [pc, bytes] : machine_->heap().unfreed())
      add({.pattern = "memory-leak",
           .place = place_of({pc}),
           .text = grouped(bytes) + " bytes that a kernel takes here are never freed",
           .correction = "free(pointer) or delete in a kernel, the last one that uses them"});
    add_leaks_of_memory();
  }
  ProgramReport report{.findings = findings_,
                       .timeline = timeline_.entries(),
                       .measured = timeline_.measured(),
                       .launches = launches_,
                       .calls = calls_,
                       .recorded_blocks = machine_->checked().sampled().recorded,
                       .sampled_blocks = machine_->checked().sampled().blocks,
                       .sent = sent_,
                       .brought_back = brought_back_};
  for (const auto& [name, counts] : counts_) report.counts.push_back(counts);
  return report;
}

}  // namespace gpulab::program::runtime
