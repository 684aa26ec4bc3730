#include "run/problems.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <variant>

#include "base/text.hpp"
#include "device/host.hpp"

namespace gpulab::run {
namespace {

constexpr std::size_t bytes_compared_at_once = std::size_t{16} << 20;

}  // namespace

DeviceArrays::DeviceArrays(device::Device& device, device::Stream& stream, std::vector<SizedArray> arrays,
                           const Inputs& inputs)
    : device_(device), stream_(stream), sizes_(std::move(arrays)) {
  for (const SizedArray& array : sizes_) {
    device::DeviceMemory memory(device, array.bytes() + 2 * validate::guard_bytes);
    const device::DevicePointer address = memory.address() + validate::guard_bytes;
    buffers_.push_back({&array, std::move(memory), address, validate::guard_pattern(buffers_.size())});
  }
  copy_inputs(inputs);
  reset();
  device.synchronize(stream);
}

std::size_t DeviceArrays::bytes_with_guards(const std::vector<SizedArray>& arrays) {
  std::size_t bytes = 0;
  for (const SizedArray& array : arrays) bytes += array.bytes() + 2 * validate::guard_bytes;
  return bytes;
}

const DeviceArrays::Buffer& DeviceArrays::buffer(const std::string& array) const {
  for (const Buffer& buffer : buffers_)
    if (buffer.array->name == array) return buffer;
  throw std::logic_error("the lesson has no array '" + array + "'");
}

device::DevicePointer DeviceArrays::address_of(const std::string& array) const {
  return buffer(array).address;
}

const SizedArray& DeviceArrays::array(const std::string& array) const {
  return *buffer(array).array;
}

MemoryName DeviceArrays::element_at(device::DevicePointer address, device::DevicePointer near) const {
  for (const Buffer& buffer : buffers_) {
    const SizedArray& array = *buffer.array;
    const device::DevicePointer end = buffer.address + array.bytes();
    const bool is_inside = buffer.memory.address() <= address && address < end + validate::guard_bytes;
    if (!is_inside && near != buffer.address) continue;
    const auto distance = static_cast<std::ptrdiff_t>(address - buffer.address);
    const auto size = static_cast<std::ptrdiff_t>(size_of(array.type));
    const std::ptrdiff_t index = distance >= 0 ? distance / size : (distance - size + 1) / size;
    if (index >= 0 && static_cast<std::size_t>(index) < array.length)
      return {.element = array.name + index_text(static_cast<std::size_t>(index), array.row_length())};
    return {.element = fmt::format("{}[{}]", array.name, index),
            .where = index < 0 ? "before its first element"
                               : "past its " + grouped(array.length) +
                                     (array.length == 1 ? " element" : " elements")};
  }
  return {};
}

void DeviceArrays::set(const Buffer& buffer, unsigned char value) {
  device_.set(buffer.address, value, buffer.array->bytes(), stream_);
}

void DeviceArrays::reset() {
  device::Instruments* const instruments = device_.instruments();
  for (const Buffer& buffer : buffers_) {
    const auto pattern = std::to_integer<unsigned char>(buffer.pattern);
    for (const device::DevicePointer zone :
         {buffer.memory.address(), buffer.address + buffer.array->bytes()}) {
      device_.set(zone, pattern, validate::guard_bytes, stream_);
      if (instruments) instruments->mark_guard(zone, validate::guard_bytes, stream_);
    }
    if (buffer.array->role == Role::input) continue;
    set(buffer, buffer.array->initial_contents == InitialContents::cleared
                    ? 0
                    : validate::poison_of(buffer.array->type));
    if (instruments && buffer.array->initial_contents != InitialContents::cleared)
      instruments->mark_uninitialised(buffer.address, buffer.array->bytes(), stream_);
  }
}

void DeviceArrays::poison_inputs() {
  for (const Buffer& buffer : buffers_)
    if (buffer.array->role == Role::input) set(buffer, validate::poison_of(buffer.array->type));
}

const SizedArray* DeviceArrays::changed_input(const Inputs& inputs) {
  std::size_t next = 0;
  for (const Buffer& buffer : buffers_) {
    if (buffer.array->role != Role::input) continue;
    const std::span<const std::byte> expected = inputs.at(next++).bytes();
    std::vector<std::byte> piece(std::min(expected.size(), bytes_compared_at_once));
    for (std::size_t offset = 0; offset < expected.size(); offset += piece.size()) {
      piece.resize(std::min(piece.size(), expected.size() - offset));
      device_.copy_to_host(piece, buffer.address + offset, stream_);
      device_.synchronize(stream_);
      if (std::memcmp(piece.data(), expected.data() + offset, piece.size()) != 0) return buffer.array;
    }
  }
  return nullptr;
}

void DeviceArrays::copy_inputs(const Inputs& inputs) {
  for (const Array& input : inputs) copy_input(input);
}

void DeviceArrays::copy_input(const Array& input) {
  device_.copy_to_device(address_of(input.name()), input.bytes(), stream_);
}

void DeviceArrays::copy_output(Array& output) {
  device_.copy_to_host(output.bytes(), address_of(output.name()), stream_);
}

void DeviceArrays::read_outputs(Outputs& outputs) {
  for (Array& output : outputs) copy_output(output);
  device_.synchronize(stream_);
}

std::vector<std::byte> DeviceArrays::read_zone(device::DevicePointer from) {
  std::vector<std::byte> zone(validate::guard_bytes);
  device_.copy_to_host(zone, from, stream_);
  device_.synchronize(stream_);
  return zone;
}

std::optional<DeviceArrays::DamagedArray> DeviceArrays::damaged_array() {
  // Outputs come first: a kernel that writes far past its output also hits the guard zone before the next
  // array.
  for (const Role role : {Role::output, Role::scratch, Role::input}) {
    for (const Buffer& buffer : buffers_) {
      if (buffer.array->role != role) continue;
      const std::vector<std::byte> before = read_zone(buffer.memory.address());
      const std::vector<std::byte> after = read_zone(buffer.address + buffer.array->bytes());
      if (const auto hit =
              validate::find_guard_hit(before, after, buffer.pattern, size_of(buffer.array->type)))
        return DamagedArray{buffer.array, *hit};
    }
  }
  return std::nullopt;
}

namespace {

// Returns the problem with a part's arrays and scalars.
Problem problem_of(const PartOfProblem& part, Problem problem) {
  for (const auto& [handle, held, width] : part.arrays)
    for (SizedArray& array : problem.arrays)
      if (handle.is_called(array.name))
        array = width > 0 ? handle(width, held.count / width) : handle(held.count);
  for (const ScalarValue& own : part.scalars)
    for (ScalarValue& scalar : problem.scalars)
      if (scalar.name == own.name) scalar = own;
  return problem;
}

// Returns name and text: a learner's file may have the name of one of the course.
std::string identity_of(const device::KernelSource& source) {
  return source.name + "\n" + source.scope + "\n" + source.text;
}

}  // namespace

PreparedProblem::PreparedProblem(const Lesson& lesson, Problem made, const Settings& asked)
    : problem(std::move(made)), settings(asked), inputs(problem.arrays), expected(problem.arrays) {
  lesson.require_consistent(problem);
  if (problem.fill) problem.fill(inputs, settings.seed);
  if (problem.edges && settings.edge_inputs) problem.edges(inputs, settings.seed);
  const auto& [plain, openmp, operations, uses] = problem.references;
  const auto& reference = plain ? plain : openmp;
  reference(inputs, expected);
}

PreparedProblem::PreparedProblem(const PreparedProblem& whole, const PartOfProblem& part)
    : problem(problem_of(part, whole.problem)),
      settings(whole.settings),
      inputs(problem.arrays),
      expected({}) {
  for (Array& input : inputs) {
    const Array& all = *whole.inputs.find(input.name());
    const auto divided = std::ranges::find_if(
        part.arrays, [&](const HeldPart& held_part) { return held_part.array.is_called(input.name()); });
    const std::size_t first = divided == part.arrays.end() ? 0 : divided->held.first;
    std::memcpy(input.bytes().data(), all.bytes().data() + first * size_of(input.type()),
                input.bytes().size());
  }
}

device::Module& Modules::compiled(const device::KernelSource& source, const device::CompileOptions& options) {
  const Key key{identity_of(source), options.instrumentation, options.architecture_specific};
  auto& module = modules_[key];
  if (module) return *module;
  if (auto begun = begun_.extract(key))
    module = begun.mapped().get();
  else
    module = device_.compile(source, options);
  for (const device::DeviceSymbol& symbol : module->writable_variables()) {
    const auto stream = device_.create_stream();
    Variable& variable = variables_.emplace_back(symbol, std::vector<std::byte>(symbol.bytes));
    device_.copy_to_host(variable.initial, symbol.address, *stream);
    device_.synchronize(*stream);
  }
  return *module;
}

void Modules::forget() {
  begun_.clear();
  variables_.clear();
  modules_.clear();
}

void Modules::restore_variables(device::Stream& stream) {
  for (const Variable& variable : variables_)
    device_.copy_to_device(variable.symbol.address, variable.initial, stream);
}

bool Modules::has_changed_variable(device::Stream& stream) {
  return std::ranges::any_of(variables_, [&](const Variable& variable) {
    std::vector<std::byte> now(variable.initial.size());
    device_.copy_to_host(now, variable.symbol.address, stream);
    device_.synchronize(stream);
    return now != variable.initial;
  });
}

void Modules::begin_compiling(const device::KernelSource& source, const device::CompileOptions& options) {
  const Key key{identity_of(source), options.instrumentation, options.architecture_specific};
  if (begun_.contains(key) || modules_.contains(key)) return;
  begun_[key] =
      std::async(std::launch::async, [this, source, options] { return device_.compile(source, options); });
}

device::Instrumentation default_instrumentation(const Variant& variant) {
  return variant.races ? device::Instrumentation::interrupted : device::Instrumentation::none;
}

device::CompileOptions compile_options(const Variant& variant, device::Instrumentation instrumentation) {
  return {.architecture_specific = variant.needs && variant.needs->exactly,
          .instrumentation = instrumentation};
}

ProblemCache::ProblemCache(const Lesson& lesson, const KernelFiles& files, device::Device& device)
    : lesson_(lesson), files_(files), device_(device), stream_(device.create_stream()), modules_(device) {}

RunContext& ProblemCache::make(Problem problem, const Settings& settings,
                               const std::optional<Tolerance>& tolerance) {
  entries_.clear();
  tolerance_ = tolerance.value_or(problem.tolerance);
  return add(std::move(problem), settings);
}

void ProblemCache::begin_to_compile(const Variant& variant) {
  modules_.begin_compiling(files_.of(variant), compile_options(variant, default_instrumentation(variant)));
}

RunContext& ProblemCache::asked() {
  return *entries_.front()->context;
}

RunContext& ProblemCache::at_most(std::size_t size) {
  Settings smaller = asked().prepared.settings;
  if (size >= smaller.size) return asked();
  smaller.size = size;
  if (RunContext* known = find(smaller)) return *known;
  return add(lesson_.problem(smaller), smaller);
}

RunContext* ProblemCache::within(const ProblemLimit& limit) {
  if (limit.allows(asked().prepared.problem)) return &asked();
  std::optional<MadeProblem> smaller = smaller_problem(lesson_, asked().prepared.settings, limit);
  if (!smaller) return nullptr;
  if (RunContext* known = find(smaller->settings)) return known;
  return &add(std::move(smaller->problem), smaller->settings);
}

RunContext* ProblemCache::find(const Settings& settings) {
  for (const auto& entry : entries_) {
    if (entry->prepared.settings == settings) return entry->context.get();
  }
  return nullptr;
}

RunContext& ProblemCache::add(Problem problem, const Settings& settings) {
  auto entry = std::make_unique<Entry>(lesson_, std::move(problem), settings, device_, *stream_);
  entry->context.reset(new RunContext{lesson_, device_, *stream_, modules_, files_, entry->prepared,
                                      entry->arrays, tolerance_});
  entries_.push_back(std::move(entry));
  return *entries_.back()->context;
}

namespace {

// Halves the size or the largest count. Returns whether anything could be halved.
bool halve_the_largest(const Lesson& lesson, Settings& settings) {
  std::uint64_t* largest_count = nullptr;
  const auto is_larger = [&](std::uint64_t count) { return !largest_count || count > *largest_count; };
  for (const Option& option : lesson.options) {
    const auto* range = std::get_if<Count>(&option.kind);
    if (!range) continue;
    auto& count = std::get<std::uint64_t>(settings.options.at(option.name));
    if (count / 2 >= range->min && is_larger(count)) largest_count = &count;
  }
  if (settings.size >= 2 && is_larger(settings.size)) {
    settings.size /= 2;
    return true;
  }
  if (!largest_count) return false;
  *largest_count /= 2;
  return true;
}

}  // namespace

bool ProblemLimit::allows(const Problem& problem) const {
  return problem.work_items().volume() <= items && problem.traffic.operations <= operations;
}

std::optional<MadeProblem> smaller_problem(const Lesson& lesson, const Settings& asked, ProblemLimit limit) {
  Settings settings = asked;
  settings.size = std::min(settings.size, limit.items);
  while (true) {
    Problem problem = lesson.problem(settings);
    if (limit.allows(problem)) return MadeProblem{settings, std::move(problem)};
    if (!halve_the_largest(lesson, settings)) return std::nullopt;
  }
}

namespace {

// Counts inputs once and outputs four times: expected, as read from the device, as copied by a variant, and
// those of the last right variant.
std::size_t host_bytes(const std::vector<SizedArray>& arrays) {
  std::size_t bytes = 0;
  for (const SizedArray& array : arrays) {
    if (array.role == Role::input) bytes += array.bytes();
    if (array.role == Role::output) bytes += 4 * array.bytes();
  }
  return bytes;
}

std::string gibibytes(std::size_t bytes) {
  return with_decimals(static_cast<double>(bytes) / (1u << 30), 1) + " GiB";
}

std::string shortage(const Lesson& lesson, const Settings& settings, std::size_t needed,
                     const std::string& owner, std::size_t free) {
  const std::string what =
      lesson.has_size() ? fmt::format("--size {} of {}", settings.size, lesson.name) : lesson.name;
  return fmt::format("{} needs {} of {} memory, and {} are free: choose a smaller size", what,
                     gibibytes(needed), owner, gibibytes(free));
}

}  // namespace

void check_size(const Lesson& lesson, const Problem& problem, const Settings& settings,
                const DeviceProperties& device) {
  const bool simulated = device.simulated();
  const std::size_t on_device = DeviceArrays::bytes_with_guards(problem.arrays);
  const std::size_t on_host = host_bytes(problem.arrays) + (simulated ? on_device : 0);
  if (on_host > device::free_host_memory_bytes())
    throw UsageError(shortage(lesson, settings, on_host, "the host's", device::free_host_memory_bytes()));
  const std::size_t to_evict_caches = 2 * device.l2_bytes;
  if (!simulated && on_device + to_evict_caches > device.free_memory_bytes)
    throw Error(ExitCode::device,
                "CUDA_ERROR_OUT_OF_MEMORY: " +
                    shortage(lesson, settings, on_device, "the device's", device.free_memory_bytes));
}

}  // namespace gpulab::run
