#include "run/device_arrays.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace gpulab::run {
namespace {

constexpr std::size_t bytes_compared_at_once = std::size_t{16} << 20;

constexpr unsigned char poison = 0xFF;

}  // namespace

DeviceArrays::DeviceArrays(device::Device& device, device::Stream& stream, std::vector<Parameter> arrays,
                           const Arrays& inputs)
    : device_(device), stream_(stream), parameters_(std::move(arrays)) {
  for (const Parameter& parameter : parameters_) {
    device::DeviceMemory memory(device, parameter.bytes() + 2 * validate::guard_bytes);
    const device::DevicePointer address = memory.address() + validate::guard_bytes;
    buffers_.push_back({&parameter, std::move(memory), address, validate::guard_pattern(buffers_.size())});
  }
  copy_inputs(inputs);
  reset();
  device.synchronize(stream);
}

std::size_t DeviceArrays::bytes_with_guards(const std::vector<Parameter>& arrays) {
  std::size_t bytes = 0;
  for (const Parameter& array : arrays) bytes += array.bytes() + 2 * validate::guard_bytes;
  return bytes;
}

const DeviceArrays::Buffer& DeviceArrays::buffer(const std::string& array) const {
  for (const Buffer& buffer : buffers_)
    if (buffer.parameter->name == array) return buffer;
  throw std::logic_error("the lesson has no array '" + array + "'");
}

device::DevicePointer DeviceArrays::address_of(const std::string& array) const {
  return buffer(array).address;
}

const Parameter& DeviceArrays::parameter(const std::string& array) const {
  return *buffer(array).parameter;
}

std::string DeviceArrays::element_at(device::DevicePointer address) const {
  for (const Buffer& buffer : buffers_) {
    const device::DevicePointer end = buffer.address + buffer.parameter->bytes();
    if (address < buffer.memory.address() || address >= end + validate::guard_bytes) continue;
    const auto distance = static_cast<std::ptrdiff_t>(address - buffer.address);
    const auto size = static_cast<std::ptrdiff_t>(size_of(buffer.parameter->type));
    const std::ptrdiff_t index = distance >= 0 ? distance / size : (distance - size + 1) / size;
    return buffer.parameter->name + "[" + std::to_string(index) + "]";
  }
  return "";
}

void DeviceArrays::set(const Buffer& buffer, unsigned char value) {
  device_.set(buffer.address, value, buffer.parameter->bytes(), stream_);
}

void DeviceArrays::reset() {
  device::Instruments* const instruments = device_.instruments();
  for (const Buffer& buffer : buffers_) {
    const auto pattern = std::to_integer<unsigned char>(buffer.pattern);
    for (const device::DevicePointer zone :
         {buffer.memory.address(), buffer.address + buffer.parameter->bytes()}) {
      device_.set(zone, pattern, validate::guard_bytes, stream_);
      if (instruments) instruments->mark_guard(zone, validate::guard_bytes, stream_);
    }
    if (buffer.parameter->role == Role::input) continue;
    set(buffer, buffer.parameter->before == Before::cleared ? 0 : poison);
    if (instruments && buffer.parameter->before != Before::cleared)
      instruments->mark_uninitialised(buffer.address, buffer.parameter->bytes(), stream_);
  }
}

void DeviceArrays::clear_accumulators() {
  for (const Buffer& buffer : buffers_)
    if (buffer.parameter->before == Before::cleared) set(buffer, 0);
}

void DeviceArrays::poison_inputs() {
  for (const Buffer& buffer : buffers_)
    if (buffer.parameter->role == Role::input) set(buffer, poison);
}

const Parameter* DeviceArrays::changed_input(const Arrays& inputs) {
  std::size_t next = 0;
  for (const Buffer& buffer : buffers_) {
    if (buffer.parameter->role != Role::input) continue;
    const std::span<const std::byte> expected = inputs[next++].bytes();
    std::vector<std::byte> piece(std::min(expected.size(), bytes_compared_at_once));
    for (std::size_t at = 0; at < expected.size(); at += piece.size()) {
      piece.resize(std::min(piece.size(), expected.size() - at));
      device_.copy_to_host(piece, buffer.address + at, stream_);
      device_.synchronize(stream_);
      if (std::memcmp(piece.data(), expected.data() + at, piece.size()) != 0) return buffer.parameter;
    }
  }
  return nullptr;
}

void DeviceArrays::copy_inputs(const Arrays& inputs) {
  for (const Array& input : inputs) copy_input(input);
}

void DeviceArrays::copy_input(const Array& input) {
  device_.copy_to_device(address_of(input.name()), input.bytes(), stream_);
}

void DeviceArrays::copy_output(Array& output) {
  device_.copy_to_host(output.bytes(), address_of(output.name()), stream_);
}

void DeviceArrays::read_outputs(Arrays& outputs) {
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
  // A kernel that writes far past its output also hits the zone before somebody else's array, so outputs are
  // asked first.
  for (const Role role : {Role::output, Role::scratch, Role::input}) {
    for (const Buffer& buffer : buffers_) {
      if (buffer.parameter->role != role) continue;
      const std::vector<std::byte> before = read_zone(buffer.memory.address());
      const std::vector<std::byte> after = read_zone(buffer.address + buffer.parameter->bytes());
      if (const auto hit =
              validate::find_guard_hit(before, after, buffer.pattern, size_of(buffer.parameter->type)))
        return DamagedArray{buffer.parameter, *hit};
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::run
