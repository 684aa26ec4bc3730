#include <fmt/format.h>
#include <sys/resource.h>
#include <algorithm>

#include "base/text.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/copies.hpp"
#include "program/runtime/library_work.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "source/bounds.hpp"
#include "source/program_findings.hpp"

extern "C" void* __libc_stack_end;  // where the main thread's stack begins

// The host's side of a program: what it passes to kernels, its clocks, its end and its crashes.

namespace gpulab::program::runtime {

// ---- Arguments of kernels ---------------------------------------------------------------------------------

// Reports a device variable whose name is passed to a kernel.
void Runtime::look_for_variable_names(const char* kernel, std::span<const std::uintptr_t> words, Site site) {
  for (const std::uintptr_t word : words)
    for (const ModuleVariable& variable : variables_)
      if (variable.range.begin == word && !variable.is_managed && !knows_address_of(variable))
        add({.pattern = "device-variable-on-host",
             .place = place_of(site),
             .text = fmt::format(
                 "kernel {} is given the name of {}, a {} variable: on the host that name is not its address on the device",
                 kernel, variable.name, variable.is_constant ? "__constant__" : "__device__"),
             .correction = "use " + variable.name +
                           " in the kernel itself, or give it the address that cudaGetSymbolAddress finds"});
}

namespace {

// Takes the word as `nearest` if it is between `nearest` and `address`. Returns whether it is.
bool take_if_nearer(std::uintptr_t word, std::uintptr_t address, std::uintptr_t& nearest) {
  constexpr std::uintptr_t max_distance = std::uintptr_t{64} << 20;
  if (word > address || address - word >= max_distance || word <= nearest) return false;
  nearest = word;
  return true;
}

}  // namespace

// Explains an access before a large array, at most as far as an int reaches, by an index that has overflowed.
void Runtime::add_overflowed_index(const Defect& defect, ProgramFinding& finding) const {
  constexpr std::uintptr_t farthest = std::uintptr_t{1} << 31, large = farthest / 1024;  // in elements
  for (const std::uintptr_t word : running_words_) {
    const Allocation* const memory = allocations_.at(word);
    const bool is_before = word > defect.address && word - defect.address <= farthest * defect.bytes;
    if (!memory || memory->is_freed || !is_before || memory->bytes / defect.bytes <= large) continue;
    finding.pattern = name_of(DefectKind::out_of_bounds);
    const auto& place = defect.party.place;
    finding.text = (place ? text_of_block(*place) + " " + text_of_thread(*place) : "a thread") +
                   (defect.party.access == DefectAccess::load ? " reads" : " writes") + " in " +
                   text_of(finding.place) + ", " + grouped(word - defect.address) + " bytes before " +
                   memory->name() + "; its index has overflowed: an int holds 2 147 483 647 at most";
    finding.correction = "size_t in place of int, before the first multiplication of the index";
    finding.others.push_back(allocated_at(*memory));
    return;
  }
}

// Adds where the pointer came from: an argument of the launch, or memory that was copied from the host.
void Runtime::add_host_pointer(const Defect& defect, const std::string& kernel, Site site,
                               ProgramFinding& finding) const {
  const std::string verb = defect.party.access == DefectAccess::load ? "reads" : "writes";
  const std::string where = " in " + text_of(finding.place);
  std::uintptr_t nearest = 0;
  for (const std::uintptr_t word : running_words_) take_if_nearer(word, defect.address, nearest);
  if (nearest != 0) {
    finding.others.push_back({finding.place, "the kernel " + verb + " there"});
    finding.place = place_of(site);
    finding.text =
        fmt::format("kernel {} is given a pointer to host memory, which a GPU cannot access: it {} there{}",
                    kernel, verb, where);
    finding.correction = "a pointer that cudaMalloc gave, with the data copied to it by cudaMemcpy";
    return;
  }
  const Allocation::Write* copied = nullptr;
  for (const auto& [begin, allocation] : allocations_.all()) {
    constexpr std::size_t max_words = std::size_t{1} << 16;
    if (allocation.is_freed || begin % sizeof(std::uintptr_t) != 0) continue;
    const auto* const words = reinterpret_cast<const std::uintptr_t*>(begin);
    for (std::size_t i = 0; i < std::min(allocation.bytes / sizeof(std::uintptr_t), max_words); ++i) {
      if (!take_if_nearer(words[i], defect.address, nearest)) continue;
      const std::uintptr_t address = begin + i * sizeof(std::uintptr_t);
      for (const Allocation::Write& write : allocation.writes)
        if (address >= write.begin && address < write.end) copied = &write;
    }
  }
  if (!copied) return add_overflowed_index(defect, finding);
  finding.others.push_back({finding.place, "the kernel " + verb + " there"});
  finding.place = place_of(copied->site);
  if (virtual_tables_.is_of_host(defect.address)) {
    finding.text = fmt::format(
        "{} copies an object that the host has made: kernel {} calls a virtual function of it{}, and the object's table of virtual functions is the host's, which a GPU cannot access",
        copied->call, kernel, where);
    finding.correction = "new, or placement new, in a kernel, which gives the object the device's table";
    return;
  }
  finding.text = fmt::format(
      "{} copies pointers to host memory, but not what they point to: kernel {} follows one of them{}, and a GPU cannot access host memory",
      copied->call, kernel, where);
  finding.correction = "allocate and copy what the pointers point to, and copy pointers to that";
}

// Blames the launch that has written only the beginning of what a kernel reads. Later launches, or the kernel
// that reads, may have written more since.
void Runtime::add_partial_write(const Allocation& memory, ProgramFinding& finding) const {
  const Allocation::PartialWrite& write = *memory.partial_write;
  const auto unwritten =
      machine_->checked().unwritten_elements({memory.begin, memory.bytes}, memory.bytes / write.count);
  const bool is_one_launch = unwritten.count == 0 || unwritten.first <= write.elements;
  if (unwritten.count > 0 && unwritten.first + unwritten.count != write.count) {
    finding.text += "; other elements there were written";
    return;
  }
  const std::size_t elements = is_one_launch ? write.elements : unwritten.first;
  finding.others.push_back({finding.place, "the kernel reads it here"});
  finding.place = place_of(write.site);
  finding.text = (is_one_launch ? "kernel " + write.kernel : "the launches before") + " wrote only " +
                 (elements == 1 ? "element 0" : "elements 0 to " + grouped(elements - 1)) + " of " +
                 grouped(write.count) + ", and a later kernel reads more: " + finding.text;
  if (!is_one_launch) return;
  if (write.elements == write.blocks * write.threads_per_block)
    finding.correction =
        fmt::format("as many threads as elements: ({} + {}) / {} blocks, and if (i < n) in the kernel",
                    write.count, write.threads_per_block - 1, write.threads_per_block);
  else if (write.elements == write.blocks)
    finding.correction = "as many blocks as elements, or give the later kernel the number of blocks, " +
                         std::to_string(write.blocks) + ", to read";
}

namespace {

// Adds an earlier launch that was given host memory of the same size, perhaps by mistake.
void add_launch_with_host_memory(const Allocation& host, ProgramFinding& finding) {
  const SourcePlace launch = place_of(host.launch->site);
  finding.text += ", and " + host.launch->kernel + ", launched in line " + std::to_string(launch.line) +
                  ", was given as many bytes of host memory";
  finding.correction = "the pointer that cudaMalloc gave, in that launch, if it is to fill it";
}

// Says which elements of the memory kernels have written, if they have left out others, such as its border.
// Names the launch that has written them if it is the only one. Returns whether it says so.
bool add_written_elements(const Allocation& memory, simulator::watch::CheckedLaunches& checked,
                          ProgramFinding& finding) {
  if (memory.element_bytes == 0 || !memory.launch) return false;
  const std::size_t count = memory.bytes / memory.element_bytes;
  const auto unwritten = checked.unwritten_elements({memory.begin, memory.bytes}, memory.element_bytes);
  if (unwritten.count == 0 || unwritten.count == count) return false;
  const std::size_t first = unwritten.count / 2, written = count - unwritten.count;
  const std::uintptr_t middle = memory.begin + first * memory.element_bytes;
  const bool is_in_one_piece =
      unwritten.count % 2 == 0 && checked.was_written({middle, written * memory.element_bytes});
  const bool is_of_one_launch =
      is_in_one_piece && memory.launches_checked == 1 && checked.line_of_store(middle) == 0;
  finding.text += fmt::format(
      "; {} wrote only {} of {}, and nothing sets the others",
      is_of_one_launch
          ? fmt::format("{}, launched in {},", memory.launch->kernel, text_of(place_of(memory.launch->site)))
          : "kernels",
      is_in_one_piece ? fmt::format("elements {} to {}", grouped(first), grouped(first + written - 1))
                      : grouped(written),
      grouped(count));
  finding.correction =
      "cudaMemset or cudaMemcpy before the first launch, or a kernel that writes the others, too";
  return true;
}

// Asks whether two arguments of the launch are exchanged, if the kernel only reads memory that nothing has
// filled, and only stores, in its text, to as much memory that a copy from the host has filled. Returns
// whether it asks.
bool add_exchanged_arguments(const Allocation& read, const std::vector<std::uintptr_t>& words,
                             const Allocations& allocations, simulator::watch::CheckedLaunches& checked,
                             const source::Code& code, ProgramFinding& finding) {
  for (const std::uintptr_t word : words) {
    const Allocation* const other = allocations.at(word);
    if (!other || other->begin != word || other->begin == read.begin || other->bytes != read.bytes ||
        other->writes.empty() || checked.line_of_store(read.begin) > 0)
      continue;
    const Allocation::Write& filled = other->writes.back();
    const int store = checked.line_of_store(other->begin);
    if (filled.end - filled.begin != other->bytes || store == 0 || !source::stores_only(code, store) ||
        std::string_view(filled.call).find("Memcpy") == std::string_view::npos)
      continue;
    finding.others.push_back({place_of(filled.site), "this fills the array to which the kernel stores"});
    finding.text += "; nothing was copied or set there, and the kernel stores to the array that " +
                    text_of(place_of(filled.site)) + " fills: are the two arguments of the launch exchanged?";
    return true;
  }
  return false;
}

}  // namespace

// Adds the last write to the memory by a copy or a set, such as a partial copy, or that there was none.
void Runtime::add_what_was_written(const Defect& defect, ProgramFinding& finding) const {
  const Allocation& memory = *allocations_.near(defect.address);
  if (const Allocation::Write* const set = allocations_.unusual_set_at(defect.address)) {
    finding.others.push_back({finding.place, "the kernel reads it here"});
    ProgramFinding set_finding = finding_of_value(*set);
    set_finding.others = std::move(finding.others);
    finding = std::move(set_finding);
    return;
  }
  const SourcePlace line = finding.place;
  const ProgramFinding::Other allocation = allocated_at(memory, ", and not set to 0");
  if (memory.writes.empty()) {
    finding.others.push_back(allocation);
    if (add_size_query(memory, defect.address, finding)) return;
    if (memory.partial_write) return add_partial_write(memory, finding);
    if (const SourcePlace failed = place_of(memory.failed_copy); failed.line > 0) {
      finding.text += ": the copy in " + text_of(failed) + " was to write it, and has failed";
      return;
    }
    if (add_exchanged_arguments(memory, running_words_, allocations_, machine_->checked(), code_, finding))
      return;
    if (add_written_elements(memory, machine_->checked(), finding)) return;
    finding.text += "; nothing was copied or set there";
    if (std::ranges::none_of(findings_, [&](const ProgramFinding& known) {
          return known.pattern == name_of(DefectKind::global_race) &&
                 (known.place == line || source::names(known, line));
        }))
      finding.correction = "cudaMemcpy or cudaMemset before the launch";
    for (const auto& [begin, host] : allocations_.all())
      if (host.launch && host.is_of_host() && host.bytes == memory.bytes)
        return add_launch_with_host_memory(host, finding);
    return;
  }
  const Allocation::Write& last = memory.writes.back();
  const std::size_t bytes = last.end - last.begin;
  for (auto write = memory.writes.rbegin(); write != memory.writes.rend(); ++write)
    if (write->covers(defect.address))
      return finding.others.push_back(
          {place_of(write->site), write->at_call > calls_before_running_kernel_
                                      ? "this comes after the launch: move it before"
                                      : "copied here from memory that nobody has written"});
  const std::string cause =
      fmt::format("{} wrote only {} of the {} bytes", last.call, grouped(bytes), grouped(memory.bytes));
  finding.others.push_back({finding.place, "the kernel reads it here"});
  finding.text = cause + ", and the kernel reads more: " + finding.text;
  finding.place = place_of(last.site);
  const SourcePlace launch = place_of(running_site_);
  const bool counts_elements =
      finding.place.file.empty() && source::counts_elements(code_, last.call, finding.place.line);
  const auto part = counts_elements
                        ? std::nullopt
                        : source::launched_part(code_, launch.file.empty() ? launch.line : 0, line.line,
                                                bytes / std::max<std::size_t>(memory.element_bytes, 1));
  if (part) {
    finding.place = launch;
    finding.correction = part->correction;
    return;
  }
  if (memory.pitch > memory.width) {  // the rows have gaps, so a longer copy in one piece is no correction
    const std::string width = std::to_string(memory.width);
    const std::size_t rows = memory.bytes / memory.pitch;
    if (last.begin == memory.begin && bytes == rows * memory.width)
      finding.correction =
          fmt::format("cudaMemcpy2D(device, pitch, host, {}, {}, {}, kind)", width, width, rows);
    return;
  }
  const std::size_t wanted = bytes * memory.element_bytes;
  const bool is_count =
      memory.element_bytes > 1 &&
      (wanted == memory.bytes || (counts_elements && memory.begin + memory.bytes - last.begin >= wanted));
  if (std::ranges::any_of(findings_, [&](const ProgramFinding& known) {
        return known.pattern == "copy-size" && known.place == finding.place;
      }))
    return;  // which says what to write
  finding.correction =
      is_count ? std::string(last.call) + " takes bytes: count * sizeof(element), which is " + grouped(wanted)
               : "as many bytes as the kernel reads";
}

// ---- Clocks -----------------------------------------------------------------------------------------------

// Notes a host clock that is read after a launch without a wait: the time is only that of the launch's call.
void Runtime::on_clock(Site site) {
  const auto lock = take_lock();
  if (has_clock_ && launched_since_clock_.pc != 0)
    add({.pattern = "timing-without-waiting",
         .is_note = true,
         .place = place_of(site),
         .text = "the clock is read while the kernel that was launched in " +
                 text_of(place_of(launched_since_clock_)) +
                 " may still run: the time is that of the launch, which returns at once",
         .correction =
             "cudaDeviceSynchronize() before the clock is read, or time with cudaEventRecord and cudaEventElapsedTime",
         .others = {{place_of(launched_since_clock_), "this launch is not waited for"}}});
  has_clock_ = true;
  launched_since_clock_ = {};
}

// ---- When the program ends --------------------------------------------------------------------------------

// Runs the remaining work, which is watched too; its output is lost. A program that gives up needs no result.
void Runtime::end_all_work(int exit_status) {
  Site last_work;
  for (int device = 0; device < device_count(); ++device)
    for (Stream* const stream : streams_of(device))
      if (stream->queue->has_work() && stream->last_work.pc != 0) last_work = stream->last_work;
  while (run_one_operation()) {
  }
  if ((last_work.pc == 0 || exit_status != 0) && output_.empty()) return;
  const bool is_lost = !output_.empty();
  std::string text = "main() ends, and nothing has waited for the work of this line";
  if (is_lost) {
    constexpr std::size_t longest = 60;
    const auto lines = static_cast<std::size_t>(std::ranges::count(output_, '\n'));
    text += fmt::format(": what it prints may never appear, {}{}, the first of them \"{}\"", grouped(lines),
                        lines == 1 ? " line" : " lines",
                        output_.substr(0, std::min(output_.find('\n'), longest)));
  }
  add({.pattern = is_lost ? "output-lost" : "work-at-end",
       .is_note = !is_lost,
       .place = place_of(last_work),
       .text = text,
       .correction = "cudaDeviceSynchronize() before the end of main()"});
}

void Runtime::add_leaks_of_handles() {
  add_leaks_of_libraries(*this);
  const auto add_leaks = [&](const auto& objects, const char* pattern, const std::string& object,
                             const char* correction) {
    for (const auto& [handle, held] : objects)
      add({.pattern = pattern,
           .is_note = true,
           .place = place_of(held->created),
           .text = object + " that is created here is never destroyed",
           .correction = correction});
  };
  add_leaks(streams_.all(), "stream-leak", "a stream", "cudaStreamDestroy(stream) when its work is done");
  add_leaks(events_.all(), "event-leak", "an event", "cudaEventDestroy(event) after the last wait for it");
  add_leaks(graphs_.all(), "graph-leak", "a graph", "cudaGraphDestroy(graph) after its last instantiation");
  add_leaks(execs_.all(), "graph-leak", "an executable graph",
            "cudaGraphExecDestroy(exec) when its last launch is done");
}

// ---- Where the host crashes -------------------------------------------------------------------------------

namespace {

// Returns whether the main thread's stack would reach the address if it had no limit.
bool is_past_the_stack(std::uintptr_t address) {
  constexpr std::uintptr_t far = std::uintptr_t{256} << 20, environment_bytes = std::uintptr_t{1} << 20;
  rlimit limit{};
  const std::uintptr_t depth = address_of(__libc_stack_end) - address;
  return ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < far &&
         depth + environment_bytes > limit.rlim_cur && depth < limit.rlim_cur + far;
}

// Returns the likely cause of a crash at the address. `near` is an allocation near there, or null.
std::string text_of_crash(std::uintptr_t address, bool is_own, bool reads_words, const Allocation* near) {
  const bool is_null = address < 4096;  // in the page of a null pointer
  if (address == simulator::watch::no_address)
    return std::string(is_own ? "the host" : "a library's function") +
           " follows a pointer that is no address: it has no value, or was overwritten";
  if (!is_own && is_null)
    return std::string("a library's function follows a null pointer: is it given one") +
           (reads_words ? ", as atoi(argv[1]) is in a program that is run without arguments?" : "?");
  if (!is_own)
    return "a library's function, such as malloc, crashes in the host's code: has the program written past the "
           "end of an array of the host before?";
  if (is_null) return "the host follows a null pointer";
  if (is_past_the_stack(address))
    return "the host's stack is full: by a large local array, or by a function that calls itself without end";
  return "the host accesses an invalid address" + (near ? ", near " + near->name() : std::string());
}

// Returns whether the line has a word of the command line, or a function that reads a number.
bool reads_words(const source::Code& code, int line) {
  return std::ranges::any_of(code.tokens(), [&](const source::CodeToken& token) {
    return token.line == line &&
           (token.text == "argv" || token.text.starts_with("ato") || token.text.starts_with("strto"));
  });
}

// Returns what to write in a line in which the host follows a pointer to the device's memory.
std::string instead_of_host_access(const source::Code& code, const SourcePlace& place, bool is_store) {
  for (auto [i, end] = code.line(place.line); place.file.empty() && i < end; ++i) {
    if (code.text(i) == "memset") return "cudaMemset in place of memset";
    if (code.text(i) == "memcpy")
      return "cudaMemcpy in place of memcpy, with cudaMemcpyDefault as last argument";
  }
  if (is_store)
    return "a kernel that stores there; or store in an array of the host, then cudaMemcpy(device, host, bytes, "
           "cudaMemcpyHostToDevice)";
  return "cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), and read the copy";
}

}  // namespace

void Runtime::report_fault(std::uintptr_t address, const Site& site, bool is_own,
                           std::optional<bool> is_store) {
  const Allocation* const near = allocations_.near(address);
  if (near && near->contains(address) && near->is_freed && near->kind != MemoryKind::device) {
    add({.pattern = "use-after-free",
         .place = place_of(site),
         .text = "the host uses " + near->name() + " after they were freed",
         .correction = "free them after their last use",
         .others = {{place_of(near->freed), "they were freed here"}}});
    return;
  }
  if (near && near->contains(address) && near->kind == MemoryKind::device) {
    add_device_pointer(address, *near, site, is_store.value_or(false));
    return;
  }
  const SourcePlace place = place_of(site);
  if (failed_allocation_ && (address < 4096 || address == simulator::watch::no_address))
    return add({.pattern = "host-crash",
                .is_note = true,
                .place = place,
                .text = fmt::format("{} in {} failed because of the defect above, and gave no address",
                                    failed_allocation_->call, text_of(place_of(failed_allocation_->site)))});
  add({.pattern = "host-crash",
       .place = place,
       .text = text_of_crash(address, is_own, reads_words(code_, place.line), near)});
}

void Runtime::add_device_pointer(std::uintptr_t address, const Allocation& memory, Site site, bool is_store) {
  const auto function = module_ ? module_->function_at(site.pc - 1) : std::nullopt;
  const bool is_argument = function && function->symbol.starts_with("_Z18gpulab_call_kernel");
  ProgramFinding finding{
      .pattern = memory.is_freed ? "use-after-free" : "device-pointer-on-host",
      .place = place_of(site),
      .text =
          (is_argument
               ? "the array of arguments has a pointer to the device's memory, not the address of the pointer: byte "
           : memory.is_freed ? "the host follows a pointer to memory of the device that was freed: byte "
                             : "the host follows a pointer to the device's memory: byte ") +
          grouped(address - memory.begin) + " of " + memory.name(),
      .correction = is_argument ? "void* arguments[] = {&pointer, &count}, with the address of each argument"
                                : instead_of_host_access(code_, place_of(site), is_store),
      .others = {allocated_at(memory)}};
  if (memory.is_freed && !is_argument) finding.correction.clear();
  if (memory.is_freed) add_why_freed(memory, {}, "", finding);
  add(std::move(finding));
}

void Runtime::report_abort(const Site& site) {
  add({.pattern = "host-crash",
       .place = place_of(site),
       .text =
           "the program aborts: by abort() or assert(), by an index outside of a std::vector, by an exception "
           "that nobody catches, or because malloc finds its memory overwritten; what it printed says which"});
}

// Notes the kernel that runs while the program is interrupted: perhaps it never ends.
void Runtime::note_running_kernel() {
  if (running_kernel_.empty()) return;
  add({.pattern = std::string(name_of(DefectKind::time_limit)),
       .is_note = true,
       .place = place_of(running_site_),
       .text =
           "kernel " + running_kernel_ +
           ", launched here, was still running: if it never ends, GPULAB_TIME_LIMIT=5 gpulab run names its "
           "line after 5 s, instead of 60"});
}

void Runtime::report_stack_damage() {
  if (std::ranges::find(findings_, name_of(DefectKind::array_index), &ProgramFinding::pattern) !=
      findings_.end())
    return;  // which names the line
  add({.pattern = "host-crash",
       .text =
           "the program crashes, and its stack is overwritten, so nobody can say in which line: does the host "
           "write past the end of a local array?"});
}

void Runtime::report_refused_file(const std::string& what, const Site& site) {
  if (place_of(site).line == 0) return;  // opened by a library, which can do without the file
  add({.pattern = "refused-file",
       .is_note = true,
       .place = place_of(site),
       .text = "the sandbox kept the program from " + what + ", or allow all: --sandbox off"});
}

void Runtime::report_refused_call(const std::string& name, const Site& site) {
  add({.pattern = "host-crash",
       .place = place_of(site),
       .text = "the sandbox ended the program, which made the system call " + name +
               ": it reaches other processes or the machine's settings"});
}

void Runtime::report_host_defect(const simulator::watch::FoundDefect& defect) {
  const auto lock = take_lock();
  if (defect.kind == DefectKind::misaligned) return;  // this machine's CPU allows it
  if (defect.kind == DefectKind::other)
    return add({.pattern = "missing-return",
                .place = place_of({defect.party.pc}),
                .text = "the function in line " + std::to_string(defect.party.line) +
                        " has a result, but ends without a return"});
  add({.pattern = std::string(name_of(defect.kind)),
       .place = place_of({defect.party.pc}),
       .text = defect.kind == DefectKind::array_index
                   ? "the host's code has an index outside of its array: " +
                         text_of_index(defect.index, defect.detail)
                   : "the host's code divides an integer by 0"});
}

}  // namespace gpulab::program::runtime
