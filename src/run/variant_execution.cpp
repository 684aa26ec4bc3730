#include "run/variant_execution.hpp"

#include <fmt/format.h>
#include <cstring>

#include "base/text.hpp"

namespace gpulab::run {
namespace {

constexpr int main_stream = 0;

std::vector<void*> addresses_of(std::vector<std::uint64_t>& values) {
  std::vector<void*> addresses;
  for (std::uint64_t& value : values) addresses.push_back(&value);
  return addresses;
}

}  // namespace

VariantExecution::VariantExecution(const RunContext& context, const Variant& variant, unsigned block_size,
                                   device::Instrumentation instrumentation, LaunchObserver* observer)
    : context_(context),
      variant_(variant),
      instrumentation_(instrumentation),
      observer_(observer),
      request_{context.launch_context(block_size)},
      host_outputs_(variant.copies_inputs_from ? context.prepared.problem.arrays : std::vector<SizedArray>{}),
      begin_(context.device.create_event()),
      end_(context.device.create_event()) {
  if (!variant.library.empty()) {
    prepare_library_call();
    return;
  }
  module_ = &context.modules.compiled(context.files.of(variant), compile_options(variant, instrumentation));
  request_.max_shared_bytes = context.device.properties().shared_bytes_per_block_optin;
  if (!variant.kernel.empty())
    request_.resident_blocks = resident_blocks(variant.kernel, arguments(), block_size, 0);
  fill_symbols();
  if (variant.copies_inputs_from == HostMemory::pinned) pin_host_memory();
}

VariantExecution::~VariantExecution() {
  // Steps that ended early may have left copies behind that still use memory freed here.
  const auto wait_for = [&](device::Stream& stream) {
    try {
      context_.device.synchronize(stream);
    } catch (const std::exception&) {  // reported already, or no longer relevant
    }
  };
  wait_for(context_.stream);
  for (const auto& [number, stream] : streams_) wait_for(*stream);
}

void VariantExecution::prepare_library_call() {
  std::vector<std::uint64_t> values = values_of(arguments());
  library_call_ = context_.device.prepare(variant_.library, arguments().signature(),
                                          addresses_of(values).data(), context_.stream);
}

void VariantExecution::fill_symbols() {
  for (const Symbol& filled : variant_.symbols) {
    const Array& array = context_.prepared.inputs.of(filled.array);
    const device::DeviceSymbol symbol = module_->symbol(filled.name);
    if (array.bytes().size() > symbol.bytes)
      throw device::LaunchError(
          "cudaMemcpyToSymbol", "CUDA_ERROR_INVALID_VALUE",
          fmt::format("{} values take {} bytes, and {} has {}{}", grouped(array.length()),
                      grouped(array.bytes().size()), filled.name, grouped(symbol.bytes),
                      symbol.bytes == 65536 ? ", which is all the constant memory there is" : ""),
          {.kind = DefectKind::constant_too_small});
    context_.device.copy_to_device(symbol.address, array.bytes(), context_.stream);
  }
}

void VariantExecution::pin_host_memory() {
  for (Arrays* arrays : std::initializer_list<Arrays*>{&context_.prepared.inputs, &host_outputs_})
    for (Array& array : *arrays) pinned_.emplace_back(context_.device, array.bytes());
}

void VariantExecution::reset() {
  for (Array& array : host_outputs_)
    std::memset(array.bytes().data(), validate::poison_of(array.type()), array.bytes().size());
  first_launch_.reset();
  launches_ = leaked_bytes_ = 0;
  copied_to_device_.clear();
}

void VariantExecution::prepare_run() {
  context_.arrays.reset();
  if (instrumentation_ != device::Instrumentation::checked)
    context_.modules.restore_variables(context_.stream);
  fill_symbols();
  if (library_call_) library_call_->reset(context_.stream);
}

void VariantExecution::run() {
  if (library_call_) return library_call_->enqueue(context_.stream);
  if (!variant_.steps) return launch(variant_.kernel, variant_.launch(request_), arguments(), main_stream);
  context_.device.record(*begin_, context_.stream);
  variant_.steps(*this);
  join();
  for (const auto& [number, allocation] : allocations_) {
    const auto& [memory, bytes] = allocation;
    leaked_bytes_ += bytes;
  }
  allocations_.clear();
}

Timeline VariantExecution::run_with_timeline() {
  recorder_.emplace(context_.device, context_.stream);
  run();
  context_.device.synchronize(context_.stream);
  Timeline timeline = recorder_->timeline();
  recorder_.reset();
  return timeline;
}

device::KernelAttributes VariantExecution::attributes() {
  return kernel(variant_.kernel, arguments().signature()).attributes();
}

device::Kernel& VariantExecution::kernel(const std::string& name, const Signature& signature) {
  auto& kernel = kernels_[name];
  if (!kernel) kernel = find_kernel(name, signature);
  return *kernel;
}

// Looks in the variant's own file, then in the lesson's: it may launch kernels of both.
std::unique_ptr<device::Kernel> VariantExecution::find_kernel(const std::string& name,
                                                              const Signature& signature) {
  try {
    return module_->kernel(name, signature);
  } catch (const CompileError&) {
    if (variant_.source.empty() || name == variant_.kernel) throw;
    Variant of_lesson = variant_;
    of_lesson.source.clear();
    return context_.modules
        .compiled(context_.files.of(of_lesson), compile_options(variant_, instrumentation_))
        .kernel(name, signature);
  }
}

// Returns the stream. Its first operation in a run waits for the start of the run.
device::Stream& VariantExecution::stream(int number) {
  if (number == main_stream) return context_.stream;
  auto& stream = streams_[number];
  if (!stream) stream = context_.device.create_stream();
  const bool is_first_use = forked_.insert(number).second;
  if (is_first_use) context_.device.wait(*stream, *begin_);
  return *stream;
}

// Waits for the stream with the highest number first. On the simulator a wait executes the stream's work, so
// streams that the variant does not order itself do not run in order by accident.
void VariantExecution::join() {
  for (auto number = forked_.rbegin(); number != forked_.rend(); ++number) {
    context_.device.record(*end_, *streams_.at(*number));
    context_.device.wait(context_.stream, *end_);
  }
  forked_.clear();
}

void VariantExecution::queue(const Span& span, const std::function<void(device::Stream&)>& work) {
  device::Stream& target = stream(span.stream);
  if (recorder_)
    recorder_->record(span, target, [&] { work(target); });
  else
    work(target);
}

device::DevicePointer VariantExecution::address_of(const KernelArgument& argument) const {
  const device::DevicePointer begin = argument.rank ? address_on_rank_(*argument.rank, argument.name)
                                                    : context_.arrays.address_of(argument.name);
  const std::size_t first_element = context_.prepared.settings.begins_at;  // at `begin`
  return begin + (argument.offset - first_element) * size_of(argument.type);
}

std::vector<std::uint64_t> VariantExecution::values_of(const Arguments& arguments) const {
  std::vector<std::uint64_t> values;
  for (const KernelArgument& argument : arguments.list()) {
    if (argument.is_array())
      values.push_back(address_of(argument));
    else
      values.push_back(argument.value ? *argument.value : context_.prepared.problem.scalar(argument.name));
  }
  return values;
}

void VariantExecution::launch(const std::string& name, const ChosenLaunch& chosen, const Arguments& arguments,
                              int number) {
  const device::Kernel& launched = kernel(name, arguments.signature());
  std::vector<std::uint64_t> values = values_of(arguments);
  std::vector<void*> addresses = addresses_of(values);
  LaunchConfig config = chosen.config;
  config.first_block = static_cast<unsigned>(context_.prepared.settings.begins_at / config.block.x);
  config.grid.x += config.first_block;  // includes the first blocks, which do not run
  if (!first_launch_) first_launch_ = chosen;
  ++launches_;
  if (observer_) observer_->launching(name, arguments);
  queue({.stream = number, .kind = Span::Kind::kernel, .what = name},
        [&](device::Stream& target) { context_.device.launch(launched, config, addresses.data(), target); });
  if (observer_) observer_->launched(name, config, arguments);
}

unsigned VariantExecution::resident_blocks(const std::string& name, const Arguments& arguments,
                                           unsigned block_size, std::size_t dynamic_shared_bytes) {
  if (observer_) return observer_->resident_blocks(name, arguments, block_size, dynamic_shared_bytes);
  unsigned& known = resident_blocks_[{name, block_size, dynamic_shared_bytes}];
  if (known == 0)
    known = context_.device.resident_blocks(kernel(name, arguments.signature()), block_size,
                                            dynamic_shared_bytes);
  return known;
}

void VariantExecution::clear(const ArrayHandle& array, int number) {
  const std::string name = array.name;
  queue({.stream = number, .kind = Span::Kind::other, .what = "clear " + name}, [&](device::Stream& target) {
    context_.device.set(context_.arrays.address_of(name), 0, context_.arrays.array(name).bytes(), target);
  });
}

void VariantExecution::copy_to_device(const AnyInput& array, std::size_t first, std::size_t count,
                                      int number) {
  const std::size_t element = size_of(array.type);
  const auto part = context_.prepared.inputs.of(array).bytes().subspan(first * element, count * element);
  copied_to_device_.insert(array.name);
  queue({.stream = number,
         .kind = Span::Kind::to_device,
         .what = array.name,
         .bytes = static_cast<double>(part.size())},
        [&](device::Stream& target) {
          context_.device.copy_to_device(context_.arrays.address_of(array.name) + first * element, part,
                                         target);
        });
}

void VariantExecution::copy_to_host(const AnyOutput& array, std::size_t first, std::size_t count,
                                    int number) {
  const std::size_t element = size_of(array.type);
  const auto part = host_outputs_.of(array).bytes().subspan(first * element, count * element);
  queue({.stream = number,
         .kind = Span::Kind::to_host,
         .what = array.name,
         .bytes = static_cast<double>(part.size())},
        [&](device::Stream& target) {
          context_.device.copy_to_host(part, context_.arrays.address_of(array.name) + first * element,
                                       target);
        });
}

device::Event& VariantExecution::event(int number) {
  auto& event = events_[number];
  if (!event) event = context_.device.create_event();
  return *event;
}

void VariantExecution::record(int number, int in_stream) {
  context_.device.record(event(number), stream(in_stream));
}

void VariantExecution::wait(int in_stream, int number) {
  context_.device.wait(stream(in_stream), event(number));
}

void VariantExecution::synchronize(int number) {
  context_.device.synchronize(stream(number));
}

int VariantExecution::allocate(std::size_t bytes) {
  const int number = allocations_.empty() ? 0 : allocations_.rbegin()->first + 1;
  allocations_.emplace(number, std::pair(device::DeviceMemory(context_.device, bytes), bytes));
  return number;
}

void VariantExecution::free(int allocation) {
  allocations_.erase(allocation);
}

void VariantExecution::read_bytes(const ArrayHandle& array, std::size_t offset, std::span<std::byte> to) {
  context_.device.copy_to_host(to, context_.arrays.address_of(array.name) + offset, context_.stream);
  context_.device.synchronize(context_.stream);
}

// Waits, because the caller may destroy its values when this returns.
void VariantExecution::write_bytes(const ArrayHandle& array, std::size_t offset,
                                   std::span<const std::byte> from) {
  context_.device.copy_to_device(context_.arrays.address_of(array.name) + offset, from, context_.stream);
  context_.device.synchronize(context_.stream);
}

}  // namespace gpulab::run
