#include "run/device_arrays.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace gpulab::run {
namespace {

constexpr std::size_t bytes_compared_at_once = std::size_t{16} << 20;

constexpr unsigned char poison = 0xFF;

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

std::string DeviceArrays::element_at(device::DevicePointer address) const {
  for (const Buffer& buffer : buffers_) {
    const device::DevicePointer end = buffer.address + buffer.array->bytes();
    if (address < buffer.memory.address() || address >= end + validate::guard_bytes) continue;
    const auto distance = static_cast<std::ptrdiff_t>(address - buffer.address);
    const auto size = static_cast<std::ptrdiff_t>(size_of(buffer.array->type));
    const std::ptrdiff_t index = distance >= 0 ? distance / size : (distance - size + 1) / size;
    return buffer.array->name + "[" + std::to_string(index) + "]";
  }
  return "";
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
    set(buffer, buffer.array->before == Before::cleared ? 0 : poison);
    if (instruments && buffer.array->before != Before::cleared)
      instruments->mark_uninitialised(buffer.address, buffer.array->bytes(), stream_);
  }
}

void DeviceArrays::clear_accumulators() {
  for (const Buffer& buffer : buffers_)
    if (buffer.array->before == Before::cleared) set(buffer, 0);
}

void DeviceArrays::poison_inputs() {
  for (const Buffer& buffer : buffers_)
    if (buffer.array->role == Role::input) set(buffer, poison);
}

const SizedArray* DeviceArrays::changed_input(const Inputs& inputs) {
  std::size_t next = 0;
  for (const Buffer& buffer : buffers_) {
    if (buffer.array->role != Role::input) continue;
    const std::span<const std::byte> expected = inputs.at(next++).bytes();
    std::vector<std::byte> piece(std::min(expected.size(), bytes_compared_at_once));
    for (std::size_t at = 0; at < expected.size(); at += piece.size()) {
      piece.resize(std::min(piece.size(), expected.size() - at));
      device_.copy_to_host(piece, buffer.address + at, stream_);
      device_.synchronize(stream_);
      if (std::memcmp(piece.data(), expected.data() + at, piece.size()) != 0) return buffer.array;
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
  // A kernel that writes far past its output also hits the zone before somebody else's array, so outputs are
  // asked first.
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

}  // namespace gpulab::run
