#include "run/device_ceilings.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "core/inputs.hpp"
#include "core/launch.hpp"
#include "core/text.hpp"
#include "measure/sampling.hpp"
#include "run/kernel_files.hpp"
#include "run/stopwatches.hpp"

namespace gpulab::run {
namespace {

constexpr unsigned threads = 256;

std::string name_of(AccessMix mix) {
  if (mix == AccessMix::read) return "read";
  return mix == AccessMix::copy ? "copy" : "two reads, one write";
}

std::size_t arrays_of(AccessMix mix) {
  if (mix == AccessMix::read) return 1;
  return mix == AccessMix::copy ? 2 : 3;
}

// Not zeros, with which memory and multiprocessors can be faster than with data.
void fill(device::Device& device, device::Stream& stream, const device::DeviceMemory& memory,
          std::size_t bytes) {
  std::vector<float> some(std::size_t{1} << 20);
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = random_float(1, i);
  const auto first = std::as_bytes(std::span(some)).first(std::min(bytes, some.size() * sizeof(float)));
  device.copy_to_device(memory.address(), first, stream);
  for (std::size_t done = first.size(); done < bytes; done *= 2)
    device.copy_within(memory.address() + done, memory.address(), std::min(done, bytes - done), stream);
  device.synchronize(stream);
}

// A kernel of the ceilings, with the values of its arguments.
class CeilingKernel {
 public:
  CeilingKernel(device::Device& device, const std::string& file, const std::string& name,
                const Signature& signature, std::vector<std::uint64_t> values,
                const device::CompileOptions& options = {})
      : device_(device),
        module_(device.compile({file, embedded_kernel_file(file)}, options)),
        kernel_(module_->kernel(name, signature)),
        values_(std::move(values)) {
    for (std::uint64_t& value : values_) arguments_.push_back(&value);
  }

  unsigned resident_blocks() const { return device_.resident_blocks(*kernel_, threads, 0); }
  void launch(unsigned blocks, device::Stream& stream) {
    device_.launch(*kernel_, {.grid = {blocks}, .block = {threads}}, arguments_.data(), stream);
  }

 private:
  device::Device& device_;
  std::unique_ptr<device::Module> module_;
  std::unique_ptr<device::Kernel> kernel_;
  std::vector<std::uint64_t> values_;
  std::vector<void*> arguments_;
};

}  // namespace

AccessMix mix_of(const Traffic& traffic) {
  const double read = traffic.bytes_read / (traffic.bytes_read + traffic.bytes_written);
  if (read > 5.0 / 6) return AccessMix::read;
  return read > 7.0 / 12 ? AccessMix::two_reads_one_write : AccessMix::copy;
}

DeviceCeilings::DeviceCeilings(device::Device& device, device::Stream& stream, double time_budget_s)
    : device_(device), stream_(stream), time_budget_s_(time_budget_s) {}

Ceiling DeviceCeilings::of(const Traffic& traffic, LimitedBy limit) {
  const bool by_operations = limit == LimitedBy::as_the_lesson_says && traffic.limited_by_operations;
  const double bytes = traffic.bytes_read + traffic.bytes_written;
  if (by_operations) return once("multiply-add", 0, [&] { return multiply_adds_per_s(); });
  if (limit == LimitedBy::tensor_cores)
    return once("3xTF32 multiply-add", 0, [&] { return split_multiply_adds_per_s(); });
  if (limit == LimitedBy::host_link)
    return once("copies both ways at once", bytes, [&] { return copied_bytes_per_s(bytes / 2); });
  const AccessMix mix = mix_of(traffic);
  return once(name_of(mix), bytes, [&] { return moved_bytes_per_s(mix, bytes); });
}

Ceiling DeviceCeilings::once(const std::string& what, double bytes, const std::function<double()>& per_s) {
  double& known = known_[{what, bytes}];
  if (known == 0) known = per_s();
  return {what, known};
}

double DeviceCeilings::moved_bytes_per_s(AccessMix mix, double bytes) {
  const std::size_t length = static_cast<std::size_t>(bytes) / sizeof(float) / arrays_of(mix);
  std::vector<device::DeviceMemory> arrays;
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < std::max<std::size_t>(arrays_of(mix), 2); ++i) {
    arrays.emplace_back(device_, length * sizeof(float));
    fill(device_, stream_, arrays.back(), length * sizeof(float));
    values.push_back(arrays.back().address());
  }
  values.push_back(length);
  const bool has_two_inputs = mix == AccessMix::two_reads_one_write;
  CeilingKernel kernel(device_, "ceilings.cu",
                       has_two_inputs           ? "stream_add2"
                       : mix == AccessMix::read ? "stream_read"
                                                : "stream_copy",
                       has_two_inputs ? signature_of<const float*, const float*, float*, int>()
                                      : signature_of<const float*, float*, int>(),
                       values);
  // A thread of stream_read has two loads of four floats, one of the others has one.
  const unsigned blocks = ceil_div(length, std::size_t{threads} * (mix == AccessMix::read ? 8 : 4)) + 1;
  const double seconds = median_s([&] { kernel.launch(blocks, stream_); });
  return static_cast<double>(arrays_of(mix) * length * sizeof(float)) / seconds;
}

double DeviceCeilings::multiply_adds_per_s() {
  constexpr int rounds = 4096, chains = 8;
  const device::DeviceMemory sink(device_, sizeof(float));
  CeilingKernel kernel(
      device_, "ceilings.cu", "multiply_add", signature_of<float*, float, float, int>(),
      {sink.address(), std::bit_cast<std::uint32_t>(0.999f), std::bit_cast<std::uint32_t>(0.001f), rounds});
  const unsigned blocks = kernel.resident_blocks();
  return 2.0 * rounds * chains * threads * blocks / median_s([&] { kernel.launch(blocks, stream_); });
}

double DeviceCeilings::split_multiply_adds_per_s() {
  constexpr int rounds = 1024;
  constexpr double products = 128 * 128 * 32;  // of a block in a round, each by three in TF32
  const device::DeviceMemory sink(device_, sizeof(float));
  CeilingKernel kernel(device_, "matmul_warpgroups.cu", "multiply_add_warpgroups",
                       signature_of<float*, int>(), {sink.address(), rounds}, {.own_instructions = true});
  const unsigned blocks = kernel.resident_blocks();
  return 2 * products * rounds * blocks / median_s([&] { kernel.launch(blocks, stream_); });
}

double DeviceCeilings::copied_bytes_per_s(double bytes_each_way) {
  const auto bytes = static_cast<std::size_t>(bytes_each_way);
  std::vector<std::byte> sent(bytes), returned(bytes);
  const device::PinnedMemory pinned_sent(device_, sent), pinned_returned(device_, returned);
  const device::DeviceMemory to(device_, bytes), from(device_, bytes);
  const auto other = device_.create_stream();
  const auto begin = device_.create_event(), end = device_.create_event();
  const double seconds = median_s([&] {
    device_.record(*begin, stream_);
    device_.wait(*other, *begin);
    device_.copy_to_device(to.address(), sent, stream_);
    device_.copy_to_host(returned, from.address(), *other);
    device_.record(*end, *other);
    device_.wait(stream_, *end);
  });
  return 2 * static_cast<double>(bytes) / seconds;
}

double DeviceCeilings::median_s(const std::function<void()>& work) {
  StreamStopwatch stopwatch(
      device_, stream_, [] {}, work);
  return measure::sample(stopwatch, {.time_budget_s = time_budget_s_}).median_s;
}

}  // namespace gpulab::run
