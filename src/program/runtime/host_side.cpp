#include <chrono>
#include <thread>

#include "core/text.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/schedule/host_accesses.hpp"

// What the runtime sees of the host's own code, between the calls: which memory it touches, and that it is silent.

namespace gpulab::program::runtime {
namespace {

using simulator::count::MemoryAccess;
using simulator::schedule::host_accesses;
using simulator::schedule::HostAccesses;

DefectAccess access_of(MemoryAccess::Operation operation) {
  return operation == MemoryAccess::Operation::load ? DefectAccess::load : DefectAccess::store;
}

const char* does(DefectAccess access) {
  return access == DefectAccess::load ? "reads" : "writes";
}

}  // namespace

void Runtime::begin_call(Site site) {
  ++calls_;
  ++steps_;
  machine_->order()->set_asked_at(site.code);
}

void Runtime::end_call() {
  ++steps_;
  if (is_watching()) host_accesses.set_pending(!machine_->order()->has_host_waited());
}

void Runtime::watch_host_accesses() {
  if (!is_watching()) return;
  host_accesses.forget_all();
  host_accesses.set_handler([](const MemoryAccess& access) { instance().at_host_access(access); });
  for (const auto& [begin, allocation] : allocations_.all())
    if (allocation.kind != MemoryKind::device && !allocation.is_freed)
      host_accesses.watch(begin, allocation.bytes, HostAccesses::while_work_is_pending);
  for (const simulator::schedule::ModuleVariable& variable : variables_)
    host_accesses.watch(variable.range.begin, variable.range.bytes,
                        variable.is_managed ? HostAccesses::while_work_is_pending : HostAccesses::always);
}

// A flag may be what a kernel waits for that runs in another thread of this process: whoever looks at it must not wait.
void Runtime::at_host_access(const MemoryAccess& access) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!access.is_volatile) lock.lock();
  else if (!lock.try_lock()) return;
  if (open_ > 0) return;  // a function that a stream calls: a part of its work
  for (const simulator::schedule::ModuleVariable& variable : variables_)
    if (variable.range.contains(access.address) && !variable.is_managed)
      return add_variable_of_device(variable, access_of(access.operation), {access.code});
  const simulator::Piece* const seen =
      machine_->checked().at_host({.address = access.address,
                                   .bytes = access.bytes,
                                   .access = access_of(access.operation),
                                   .is_strong = access.is_volatile,
                                   .code = access.code});
  if (seen) machine_->order()->host_waits_for(simulator::WorkClock(seen->before));
  if (machine_->checked().has_defects()) collect("", {});
}

void Runtime::add_variable_of_device(const simulator::schedule::ModuleVariable& variable, DefectAccess access,
                                     Site site) {
  const bool is_read = access == DefectAccess::load;
  add({.pattern = "device-variable-on-host",
       .place = place_of(site),
       .text = std::string("the host ") + does(access) + " " + variable.name + ", a " +
               (variable.is_constant ? "__constant__" : "__device__") +
               " variable: on the host the name stands for a copy that the device never " +
               (is_read ? "writes" : "reads"),
       .instead = is_read ? "cudaMemcpyFromSymbol(&copy, " + variable.name + ", sizeof copy), and read the copy"
                          : "cudaMemcpyToSymbol(" + variable.name + ", &value, sizeof value)"});
}

void Runtime::add_host_race(const Defect& defect) {
  const Allocation* const memory = allocations_.at(defect.address);
  const SourcePlace asked = place_of({defect.asked_at});
  const bool does_host_read = defect.party.access == DefectAccess::load;
  const std::string what = memory ? memory->name() : "a __managed__ variable";
  std::string text = std::string("the host ") + does(defect.party.access) + " " + what + " while " + defect.other_work +
                     (asked.line > 0 ? ", asked for in " + text_of(asked) + "," : "") + " may still be " +
                     (defect.other->access == DefectAccess::load ? "reading" : "writing") +
                     " them: that call returns at once, and nobody has waited since";
  if (!does_host_read)
    text += defect.other->access == DefectAccess::load ? ", so it may find the new values" : ", so what is written last stays";
  ProgramFinding finding{.pattern = "race-host",
                         .place = {defect.party.file, defect.party.line},
                         .text = text,
                         .instead = "cudaDeviceSynchronize() before " + text_of(SourcePlace{defect.party.file, defect.party.line}) +
                                    ", or cudaStreamSynchronize(stream) for its stream"};
  if (asked.line > 0) finding.others.push_back({asked, defect.other_work + " is asked for here"});
  if (defect.other->line > 0)
    finding.others.push_back({{defect.other->file, defect.other->line},
                              defect.other_work + (defect.other->access == DefectAccess::load ? " reads" : " writes") +
                                  " it here"});
  add(std::move(finding));
}

// ---- While the host is silent --------------------------------------------------------------------------------

bool Runtime::run_one_piece() {
  for (const auto& stream : default_streams_)
    if (make_progress(*stream)) return true;
  for (const auto& [handle, stream] : streams_)
    if (make_progress(*stream)) return true;
  return false;
}

void Runtime::work_while_host_is_silent() {
  constexpr std::chrono::milliseconds silence(20);
  for (std::size_t before = 0;; std::this_thread::sleep_for(silence)) {
    if (before != steps_) {
      before = steps_;
      continue;
    }
    while (has_work_ && before == steps_) {
      const std::lock_guard lock(mutex_);
      if (before == steps_) has_work_ = run_one_piece();
    }
  }
}

// ---- Where the host crashes ------------------------------------------------------------------------------------

void Runtime::host_fault(std::uintptr_t address, std::uintptr_t instruction) {
  const Site site = site_in_program(instruction);
  const Allocation* const near = allocations_.near(address);
  if (near && near->contains(address) && near->kind == MemoryKind::device) {
    add({.pattern = near->is_freed ? "use-after-free" : "device-pointer-on-host",
         .place = place_of(site),
         .text = "the host follows a pointer to the device's memory: byte " + grouped(address - near->begin) + " of " +
                 near->name(),
         .instead = "cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), and read the copy",
         .others = {{place_of(near->site), std::string(near->call) + " gave it here"}}});
    return;
  }
  add({.pattern = "host-crash",
       .place = place_of(site),
       .text = address < 4096 ? "the host follows a null pointer" : "the host's code touches an address that it does not have" +
               (near ? ", near " + near->name() : std::string())});
}

void Runtime::host_defect(const simulator::check::FoundDefect& defect) {
  const std::lock_guard lock(mutex_);
  if (defect.kind == DefectKind::misaligned) return;  // which this machine's CPU does not mind
  add({.pattern = std::string(name_of(defect.kind)),
       .place = place_of({defect.party.code}),
       .text = defect.kind == DefectKind::array_index
                   ? std::string("the host's code has an index outside of its array: ") + defect.detail
                   : "the host's code divides an integer by 0"});
}

}  // namespace gpulab::program::runtime
