#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "program/runtime/runtime.hpp"

// What the runtime has seen, for the report of the program.

namespace gpulab::program::runtime {

void Runtime::keep(std::string& kept, const void* bytes, std::size_t count) const {
  if (!keeps_copies_) return;
  const std::size_t most = most_kept_of_copies - std::min(kept.size(), most_kept_of_copies);
  kept.append(static_cast<const char*>(bytes), std::min(count, most));
  kept.append((8 - kept.size() % 8) % 8, '\xFF');
}

// What the host fills and a kernel then reads is sent before the first kernel that is given it, not what
// kernels left.
void Runtime::keep_shared(std::string& kept, const std::vector<std::uintptr_t>& words) {
  if (!keeps_copies_) return;
  const auto keep_one = [&](std::uintptr_t begin, std::size_t bytes) {
    const bool is_new = shared_before_.insert(begin).second;
    if (is_new || &kept == &brought_back_) keep(kept, reinterpret_cast<const void*>(begin), bytes);
  };
  for (const simulator::schedule::ModuleVariable& variable : variables_)
    if (variable.is_managed) keep_one(variable.range.begin, variable.range.bytes);
  for (const std::uintptr_t word : words)
    if (const Allocation* const memory = allocations_.at(word);
        memory && !memory->is_freed && memory->kind != MemoryKind::device)
      keep_one(memory->begin, memory->bytes);
}

void Runtime::add(ProgramFinding finding) {
  for (ProgramFinding& known : findings_)
    if (known.pattern == finding.pattern && known.place == finding.place &&
        known.is_note == finding.is_note) {
      known.count += finding.count;
      return;
    }
  findings_.push_back(std::move(finding));
}

void Runtime::collect(const std::string& kernel, Site site) {
  device::Instruments& instruments = *devices_.front()->instruments();
  output_ += instruments.take_output();
  for (const Defect& defect : instruments.take_defects()) add_kernel_defect(defect, kernel, site);
  for (Textures::Trouble& trouble : textures_.take_troubles())
    add({.pattern = trouble.pattern,
         .place = place_of({reinterpret_cast<std::uintptr_t>(trouble.code)}),
         .text = "kernel " + kernel + ": " + trouble.text,
         .instead = trouble.instead,
         .others = {{place_of(site), "kernel " + kernel + " was launched here"}}});
  for (const std::string& note : instruments.take_notes())
    add({.pattern = "note",
         .is_note = true,
         .place = place_of(site),
         .text = "kernel " + kernel + ": " + note});
  if (watch_ != ProgramWatch::accesses) return;
  KernelCounts& counts = counts_[kernel];
  counts.kernel = kernel;
  ++counts.launches;
  for (const LineAccesses& line : instruments.take_access_counts().lines) counts.counts.add(line);
}

void Runtime::add_kernel_defect(const Defect& defect, const std::string& kernel, Site site) {
  if (defect.is_with_host) return add_host_race(defect);
  const Allocation* const memory = defect.memory.begin != 0 && defect.memory.variable.empty()
                                       ? allocations_.near(defect.address)
                                       : nullptr;
  const ArrayElement element = [&](std::uintptr_t address) {
    return memory ? memory->name_of(address) : std::string();
  };
  ProgramFinding finding{.pattern = std::string(name_of(defect.kind)),
                         // GPUs since Volta let threads that have returned miss a barrier.
                         .is_note = defect.is_note || defect.kind == DefectKind::missed_barrier,
                         .place = {defect.party.file, defect.party.line},
                         .text = explanation_of(defect, element),
                         .count = defect.count};
  if (memory && memory->is_freed && memory->contains(defect.address)) {
    finding.pattern = "use-after-free";
    finding.text = "kernel " + kernel + " uses memory that was freed: " + words_for(defect, element).how;
    finding.others.push_back({place_of(memory->freed), "it was freed here"});
    if (!kernel.empty()) {
      finding.others.push_back({finding.place, "the kernel uses it here"});
      finding.place = place_of(site);
    }
  }
  if (memory && defect.kind == DefectKind::uninitialised) add_what_was_written(defect, finding);
  if (memory && defect.kind == DefectKind::out_of_bounds && !memory->is_freed) {
    add_counted_allocation(*memory, kernel, finding);
    if (finding.pattern != "allocation-size")
      finding.others.push_back({place_of(memory->site), std::string(memory->call) + " gave the memory here"});
  }
  if (defect.kind == DefectKind::host_pointer) add_host_pointer(defect, kernel, site, finding);
  if (defect.other && defect.other->line > 0 && defect.other->line != defect.party.line)
    finding.others.push_back({{defect.other->file, defect.other->line}, other_side_of(defect)});
  if (!kernel.empty() && finding.place != place_of(site))
    finding.others.push_back({place_of(site), "kernel " + kernel + " was launched here"});
  add(std::move(finding));
}

ProgramReport Runtime::take_report(int exit_status, bool is_regular_end) {
  if (is_regular_end && exit_status == 0 && sticky_ == cudaSuccess) end_all_work();
  if (is_regular_end) add_suspects(exit_status);
  add_errors(exit_status);
  forget_reads_before_swaps();
  if (is_regular_end && exit_status == 0 && sticky_ == cudaSuccess) {
    add_leaks_of_handles();
    for (const auto& [begin, allocation] : allocations_.all())
      if (!allocation.is_freed && allocation.kind != MemoryKind::registered)
        add({.pattern = "memory-leak",
             .place = place_of(allocation.site),
             .text = grouped(allocation.bytes) + " bytes that " + allocation.call + " gave are never freed",
             .instead = std::string(allocation.freed_by()) + "(...) when they are no longer needed"});
  }
  ProgramReport report{.findings = findings_,
                       .timeline = timeline_.entries(),
                       .launches = launches_,
                       .calls = calls_,
                       .sent = sent_,
                       .brought_back = brought_back_};
  for (const auto& [name, counts] : counts_) report.counts.push_back(counts);
  return report;
}

}  // namespace gpulab::program::runtime
