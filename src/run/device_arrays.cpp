#include "run/device_arrays.hpp"

#include <algorithm>
#include <cstring>

namespace gpulab {
namespace {

constexpr std::size_t bytes_compared_at_once = std::size_t{16} << 20;

}  // namespace

DeviceArrays::DeviceArrays(Device& device, Stream& stream, const Parameters& parameters, const Arrays& inputs)
    : device_(device), stream_(stream), parameters_(parameters) {
  for (const Parameter& parameter : parameters_.list) {
    if (!parameter.is_array()) continue;
    DeviceMemory memory(device, parameter.bytes() + 2 * guard_bytes);
    const DevicePointer address = memory.address() + guard_bytes;
    buffers_.push_back({&parameter, std::move(memory), address, guard_pattern(buffers_.size())});
  }
  auto buffer = buffers_.begin();
  for (Parameter& parameter : parameters_.list)
    arguments_.push_back(parameter.is_array() ? static_cast<void*>(&(buffer++)->address)
                                              : static_cast<void*>(&parameter.bits));
  copy_inputs(inputs);
  reset();
  device.synchronize(stream);
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
    device_.set(buffer.memory.address(), pattern, guard_bytes, stream_);
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
  // A kernel that writes far past its output also hits the zone before somebody else's array, so outputs are
  // asked first.
  for (const Role role : {Role::output, Role::input}) {
    for (const Buffer& buffer : buffers_) {
      if (buffer.parameter->role != role) continue;
      const std::vector<std::byte> before = read_zone(buffer.memory.address());
      const std::vector<std::byte> after = read_zone(buffer.address + buffer.parameter->bytes());
      if (const auto hit = find_guard_hit(before, after, buffer.pattern, size_of(buffer.parameter->type)))
        return DamagedArray{buffer.parameter, *hit};
    }
  }
  return std::nullopt;
}

}  // namespace gpulab
