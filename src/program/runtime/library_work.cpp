#include "program/runtime/library_work.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "program/runtime/copies.hpp"

namespace gpulab::program::runtime {
namespace {

using simulator::StreamOp;

struct OpenLibrary {
  std::unique_ptr<gpulab_library> state;
  const char* opening_call;  // "cublasCreate"
  const char* closing_call;  // "cublasDestroy"
  Site site;
  std::shared_ptr<void> cached = {};  // such as a random generator
};

std::vector<OpenLibrary>& open_libraries() {
  // Never destroyed, since the report at the end of the program reads it.
  static auto& all = *new std::vector<OpenLibrary>;
  return all;
}

// Returns the memory from the operand's first to its last element.
AddressRange span_of(const Operand& operand) {
  const AddressRange &first = operand.pieces.front(), &last = operand.pieces.back();
  const std::uintptr_t begin = std::min(first.begin, last.begin);  // a stride may be negative
  return {begin, std::max(first.begin + first.bytes, last.begin + last.bytes) - begin};
}

// Reports the first element of an operand that nobody has written.
void report_unwritten(Runtime& runtime, const char* call, Site site, const Operand& operand) {
  const auto was_written = [&](const AddressRange& range) {
    return runtime.machine().checked().was_written(range);
  };
  const auto piece = std::ranges::find_if_not(operand.pieces, was_written);
  if (piece == operand.pieces.end()) return;
  std::uintptr_t address = piece->begin;
  while (was_written({address, operand.element_bytes})) address += operand.element_bytes;
  const Allocation* const memory = runtime.allocations().at(address);
  ProgramFinding finding{
      .pattern = "uninitialised-global",
      .place = place_of(site),
      .text = std::string(call) + " reads memory that nobody has written, in its " + operand.name,
      .correction = "cudaMemcpy, cudaMemset or a kernel that writes it before"};
  if (memory) {
    finding.text += ": " + memory->name_of(address);
    finding.others = {allocated_at(*memory)};
    add_size_query(*memory, address, finding);
  }
  runtime.add(finding);
}

void mark_written(Runtime& runtime, const Operand& operand) {
  for (const AddressRange& piece : operand.pieces) runtime.machine().checked().memory().mark_written(piece);
}

// Returns the operands that a header of a library describes.
std::vector<Operand> operands_of(const gpulab_operand* operands, int count) {
  std::vector<Operand> all;
  for (const gpulab_operand& operand : std::span(operands, static_cast<std::size_t>(count))) {
    all.push_back({operand.name, operand.element_bytes, operand.is_read, operand.is_written});
    if (operand.address && operand.count)
      all.back().pieces.push_back({address_of(operand.address), operand.element_bytes * operand.count});
  }
  return all;
}

// Computes, with the checks of memory around that. Is called when the operation's turn in the stream comes.
void run_work(Runtime& runtime, const StreamOp& op, const char* name, Site site,
              const std::vector<Operand>& operands, const std::function<void()>& compute) {
  std::vector<MemoryUse> uses;
  for (const Operand& operand : operands)
    for (const AddressRange& piece : operand.pieces) {
      if (operand.is_read) uses.push_back({piece, DefectAccess::load});
      if (operand.is_written) uses.push_back({piece, DefectAccess::store});
    }
  runtime.machine().begin_work(op, name, uses);
  for (const Operand& operand : operands)
    if (operand.is_read && runtime.is_watching()) report_unwritten(runtime, name, site, operand);
  compute();
  for (const Operand& operand : operands)
    if (operand.is_written) mark_written(runtime, operand);
}

}  // namespace

void Operand::add(std::uintptr_t begin) {
  if (!pieces.empty() && pieces.back().begin + pieces.back().bytes == begin)
    pieces.back().bytes += element_bytes;
  else
    pieces.push_back({begin, element_bytes});
}

bool report_unusable(const Call& call, const Operand& operand) {
  if (operand.pieces.empty()) return false;
  const AddressRange span = span_of(operand);
  // A copy from the operand, which is checked and never made.
  Copy copy{call, CopyEndpoint{}, endpoint_at(call, reinterpret_cast<const void*>(span.begin))};
  copy.from.operand = operand.name;
  if (check_endpoint(copy, copy.from)) return true;
  if (!copy.from.can_be_device())
    return call.defect(
        cudaErrorInvalidValue, "host-pointer",
        fmt::format("{} is given a pointer to host memory as its {}, which a GPU cannot access", call.name(),
                    operand.name),
        "a pointer that cudaMalloc gave, with the data copied to it");
  return check_endpoint_size(copy, copy.from, span.bytes);
}

gpulab_status queue_work(const Call& call, cudaStream_t handle, const std::vector<Operand>& operands,
                         const std::function<void()>& compute) {
  for (const Operand& operand : operands) {
    if (!report_unusable(call, operand)) continue;
    for (const Operand& result : operands)  // so that this finding alone tells what is missing there
      if (&result != &operand && result.is_written) mark_written(call.runtime(), result);
    return gpulab_not_done;
  }
  const cudaError_t error = call.with(handle, [&](Stream& stream) {
    Runtime& runtime = call.runtime();
    for (const Operand& operand : operands)
      if (Allocation* const memory =
              operand.pieces.empty() ? nullptr : runtime.allocations().containing(span_of(operand).begin)) {
        if (operand.is_read) memory->is_copied_from = true;
        if (operand.is_written) memory->size_query.reset();
      }
    runtime.begin_node(stream, cudaGraphNodeTypeKernel);
    runtime.put(stream, call.site(),
                [&runtime, name = call.name(), site = call.site(), operands, compute](const StreamOp& op) {
                  run_work(runtime, op, name, site, operands, compute);
                });
    runtime.timeline().add_work({TimelineEntry::Kind::kernel, call.name(), stream.number}, call.site());
    return cudaSuccess;
  });
  return error ? gpulab_not_done : gpulab_done;
}

bool add_size_query(const Allocation& memory, std::uintptr_t address, ProgramFinding& finding) {
  const std::optional<Allocation::Write>& query = memory.size_query;
  if (!query || address < query->begin || address >= query->end) return false;
  const SourcePlace asked = place_of(query->site);
  finding.text +=
      fmt::format("; {} in {} was called with d_temp_storage == nullptr, which only asks for the size",
                  query->call, text_of(asked));
  finding.correction = "cudaMalloc(&d_temp_storage, temp_storage_bytes) between the two calls";
  finding.others.push_back({asked, "this call writes nothing"});
  return true;
}

bool report_device_pointer(const Call& call, const void* pointer, const std::string& name,
                           const std::string& correction) {
  const Allocation* const memory = call.runtime().allocations().at(address_of(pointer));
  if (!memory || memory->kind != MemoryKind::device) return false;
  call.defect(
      cudaErrorInvalidValue, "device-pointer-on-host",
      fmt::format(
          "{} is given a pointer to the device's memory as its {}, which the handle's settings expect on the host",
          call.name(), name),
      correction);
  return true;
}

gpulab_status not_supported(const Call& call, const std::string& why) {
  call.runtime().add({.pattern = "not-supported",
                      .is_note = true,
                      .place = place_of(call.site()),
                      .text = std::string(call.name()) + " does nothing on the simulated device: " + why});
  return gpulab_not_supported;
}

std::shared_ptr<void>& cached_for(const gpulab_library& library) {
  const auto state = [](const OpenLibrary& open) { return open.state.get(); };
  return std::ranges::find(open_libraries(), &library, state)->cached;
}

gpulab_library* library_at(const Call& call, const void* handle) {
  for (const OpenLibrary& library : open_libraries())
    if (library.state.get() == handle) return library.state.get();
  call.defect(cudaErrorInvalidResourceHandle, "invalid-handle",
              std::string(call.name()) + " is given a handle that was never created, or was destroyed");
  return nullptr;
}

void add_leaks_of_libraries(Runtime& runtime) {
  for (const OpenLibrary& library : open_libraries())
    runtime.add({.pattern = "handle-leak",
                 .is_note = true,
                 .place = place_of(library.site),
                 .text = std::string("what ") + library.opening_call + " creates here is never destroyed",
                 .correction = std::string(library.closing_call) + "(...) after its last use"});
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t gpulab_queue_work(const char* name, const gpulab_operand* operands, int count,
                              cudaStream_t stream, void (*compute)(void*), void (*destroy)(void*),
                              void* state) {
  const std::shared_ptr<void> owned(state, destroy);
  Call call(name, __builtin_return_address(0), __builtin_frame_address(0));
  if (const cudaError_t pending_error = call.pending_error()) return pending_error;
  const gpulab_status status =
      queue_work(call, stream, operands_of(operands, count), [compute, owned] { compute(owned.get()); });
  return call.finish(status == gpulab_done ? cudaSuccess : cudaErrorInvalidValue);
}

void gpulab_note_size_query(const char* name, const gpulab_operand* operands, int count) {
  const Call call("", __builtin_return_address(0));
  for (const Operand& operand : operands_of(operands, count))
    for (const auto& [begin, bytes] : operand.pieces)
      if (Allocation* const memory =
              operand.is_written ? call.runtime().allocations().containing(begin) : nullptr)
        memory->size_query = {begin, begin + bytes, name, site_of_call(__builtin_return_address(0))};
}

cudaError_t gpulab_refuse_storage(const char* name, const gpulab_operand* operands, int count,
                                  std::size_t bytes, std::size_t needed) {
  const Call call(name, __builtin_return_address(0), __builtin_frame_address(0));
  for (const Operand& operand : operands_of(operands, count))
    if (operand.is_written)
      mark_written(call.runtime(), operand);  // this finding alone tells what is missing
  return call.defect(cudaErrorInvalidValue, "invalid-argument",
                     fmt::format("{} writes nothing: it needs {} bytes of temporary memory, and has {}", name,
                                 gpulab::grouped(needed), gpulab::grouped(bytes)),
                     "the size that the first call, with d_temp_storage == nullptr, has stored");
}

gpulab_library* gpulab_open_library(const char* name, const char* closing_call) {
  const Call call(name, __builtin_return_address(0), __builtin_frame_address(0));
  open_libraries().push_back({std::make_unique<gpulab_library>(), name, closing_call, call.site()});
  return open_libraries().back().state.get();
}

gpulab_library* gpulab_library_at(const void* handle, const char* name) {
  return library_at(Call(name, __builtin_return_address(0), __builtin_frame_address(0)), handle);
}

gpulab_status gpulab_close_library(const void* handle, const char* name) {
  const Call call(name, __builtin_return_address(0), __builtin_frame_address(0));
  const gpulab_library* const state = library_at(call, handle);
  if (!state) return gpulab_no_handle;
  call.runtime().synchronize_all(call.runtime().current_device());  // as the libraries do
  std::erase_if(open_libraries(), [&](const OpenLibrary& library) { return library.state.get() == state; });
  return gpulab_done;
}

gpulab_status gpulab_copy_matrix(const char* name, int rows, int columns, int bytes, const void* from,
                                 int from_ld, void* to, int to_ld, cudaMemcpyKind kind, int is_asynchronous,
                                 cudaStream_t stream) {
  Call call(name, __builtin_return_address(0), __builtin_frame_address(0));
  if (call.pending_error()) return gpulab_not_done;
  if (rows < 0 || columns < 0 || bytes <= 0 || std::min(from_ld, to_ld) < std::max(rows, 1)) {
    call.fail(cudaErrorInvalidValue, "a size is negative, or a leading dimension is too small");
    return gpulab_bad_value;
  }
  const auto in_bytes = [&](int elements) {
    return static_cast<std::size_t>(elements) * static_cast<std::size_t>(bytes);
  };
  const bool is_whole = from_ld == rows && to_ld == rows;
  const Copy copy =
      is_whole ? describe_copy(call, to, from, in_bytes(rows) * static_cast<std::size_t>(columns), kind)
               : describe_row_copy(call, to, in_bytes(to_ld), from, in_bytes(from_ld), in_bytes(rows),
                                   static_cast<std::size_t>(columns), kind);
  return call.finish(queue_copy(copy, stream, is_asynchronous != 0)) ? gpulab_not_done : gpulab_done;
}

}  // extern "C"
#pragma GCC visibility pop
