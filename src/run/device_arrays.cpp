#include "run/device_arrays.hpp"

namespace gpulab {

DeviceArrays::DeviceArrays(Device& device, Stream& stream, const Parameters& parameters, const Arrays& inputs)
    : device_(device), stream_(stream), parameters_(parameters) {
  for (const Parameter& parameter : parameters_.list) {
    if (!parameter.is_array()) continue;
    const DevicePointer allocation = device.allocate(parameter.bytes() + 2 * guard_bytes);
    buffers_.push_back({&parameter, allocation, allocation + guard_bytes, guard_pattern(buffers_.size())});
  }
  auto buffer = buffers_.begin();
  for (Parameter& parameter : parameters_.list)
    arguments_.push_back(parameter.is_array() ? static_cast<void*>(&(buffer++)->address)
                                              : static_cast<void*>(&parameter.bits));
  copy_inputs(inputs);
  device.synchronize(stream);
}

DeviceArrays::~DeviceArrays() {
  for (const Buffer& buffer : buffers_) device_.free(buffer.allocation);
}

std::size_t DeviceArrays::bytes_with_guards(const Parameters& parameters) {
  std::size_t bytes = 0;
  for (const Parameter& parameter : parameters.list)
    if (parameter.is_array()) bytes += parameter.bytes() + 2 * guard_bytes;
  return bytes;
}

void DeviceArrays::reset() {
  for (const Buffer& buffer : buffers_) {
    const auto pattern = std::to_integer<unsigned char>(buffer.pattern);
    const std::size_t bytes = buffer.parameter->bytes();
    device_.set(buffer.allocation, pattern, guard_bytes, stream_);
    device_.set(buffer.address + bytes, pattern, guard_bytes, stream_);
    if (buffer.parameter->role == Role::output)
      device_.set(buffer.address, buffer.parameter->before == Before::cleared ? 0 : 0xFF, bytes, stream_);
  }
}

void DeviceArrays::clear_accumulators() {
  for (const Buffer& buffer : buffers_)
    if (buffer.parameter->role == Role::output && buffer.parameter->before == Before::cleared)
      device_.set(buffer.address, 0, buffer.parameter->bytes(), stream_);
}

void DeviceArrays::copy_inputs(const Arrays& inputs) {
  std::size_t next = 0;
  for (const Buffer& buffer : buffers_)
    if (buffer.parameter->role == Role::input)
      device_.copy_to_device(buffer.address, inputs[next++].bytes(), stream_);
}

void DeviceArrays::copy_outputs(Arrays& outputs) {
  auto output = outputs.begin();
  for (const Buffer& buffer : buffers_)
    if (buffer.parameter->role == Role::output)
      device_.copy_to_host((output++)->bytes(), buffer.address, stream_);
}

void DeviceArrays::read_outputs(Arrays& outputs) {
  copy_outputs(outputs);
  device_.synchronize(stream_);
}

std::vector<std::byte> DeviceArrays::read_zone(DevicePointer from) {
  std::vector<std::byte> zone(guard_bytes);
  device_.copy_to_host(zone, from, stream_);
  device_.synchronize(stream_);
  return zone;
}

std::optional<DeviceArrays::DamagedArray> DeviceArrays::damaged_array() {
  for (const Buffer& buffer : buffers_) {
    const std::vector<std::byte> before = read_zone(buffer.allocation);
    const std::vector<std::byte> after = read_zone(buffer.address + buffer.parameter->bytes());
    if (const auto hit = find_guard_hit(before, after, buffer.pattern, size_of(buffer.parameter->type)))
      return DamagedArray{buffer.parameter, *hit};
  }
  return std::nullopt;
}

}  // namespace gpulab
