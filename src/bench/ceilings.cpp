#include "bench/limits.hpp"

#include <unistd.h>
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>

#include "base/cpu_vectors.hpp"
#include "base/text.hpp"
#include "lesson/arrays.hpp"
#include "lesson/launch.hpp"
#include "run/run_options.hpp"
#include "run/sampling.hpp"
#include "run/stopwatches.hpp"

namespace gpulab::bench {
namespace {

constexpr std::size_t chunk_length = std::size_t{1} << 14;  // elements that a thread takes at a time

// Repeats `work` for this time. Each call returns how much it did, such as bytes that it moved. Returns the
// best amount per second.
double best_rate(double seconds, const std::function<double()>& work) {
  double best = 0;
  const double end = run::steady_now_s() + seconds;
  for (double start = run::steady_now_s(), now = start; best == 0 || now < end; start = now) {
    const double amount = work();
    now = run::steady_now_s();
    best = std::max(best, amount / std::max(now - start, 1e-9));
  }
  return best;
}

// Arrays whose chunks are first touched by the threads that will use them.
struct TwoArrays {
  std::size_t chunks;
  std::unique_ptr<float[]> from = std::make_unique_for_overwrite<float[]>(chunks * chunk_length);
  std::unique_ptr<float[]> to = std::make_unique_for_overwrite<float[]>(chunks * chunk_length);

  explicit TwoArrays(std::size_t bytes)
      : chunks(std::max<std::size_t>(1, bytes / (chunk_length * sizeof(float)))) {
#pragma omp parallel for schedule(static)
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      std::fill_n(&from[chunk * chunk_length], chunk_length, 1.0f);
      std::fill_n(&to[chunk * chunk_length], chunk_length, 2.0f);
    }
  }
  double bytes() const {
    return 2.0 * static_cast<double>(chunks * chunk_length * sizeof(float));
  }
};

// Returns whether anything but zeros was read. Adds the values up, which is the cheapest use of data.
bool read_chunk(const float* values) {
  bool any_not_zero = false;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    typename V::Floats sums[4] = {};
    for (std::size_t i = 0; i < chunk_length; i += 4 * V::lanes)
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) {
        typename V::Floats loaded;
        V::load(values + i + k * V::lanes, loaded);
        sums[k] += loaded;
      }
    const typename V::Floats sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::size_t lane = 0; lane < V::lanes; ++lane) any_not_zero |= sum[lane] != 0;
  });
  return any_not_zero;
}

// Returns the bytes it read.
double read_both(const TwoArrays& arrays) {
  std::size_t chunks_read = 0;
#pragma omp parallel for schedule(static) reduction(+ : chunks_read)
  for (std::size_t chunk = 0; chunk < arrays.chunks; ++chunk)
    chunks_read += std::size_t{read_chunk(&arrays.from[chunk * chunk_length])} +
                   read_chunk(&arrays.to[chunk * chunk_length]);
  if (chunks_read != 2 * arrays.chunks) throw std::logic_error("memory does not hold what was written to it");
  return arrays.bytes();
}

using Copy = void (*)(const float* from, std::size_t count, float* to);

void ordinary_copy(const float* from, std::size_t count, float* to) {
  std::copy_n(from, count, to);
}

// Returns the bytes it read and wrote.
double copy_array(TwoArrays& arrays, Copy copy) {
#pragma omp parallel for schedule(static)
  for (std::size_t chunk = 0; chunk < arrays.chunks; ++chunk)
    copy(&arrays.from[chunk * chunk_length], chunk_length, &arrays.to[chunk * chunk_length]);
  return arrays.bytes();
}

// Multiplies and adds in independent sums, enough of them to hide the latency of an addition. Adds them to
// `result`, so that no compiler can remove the work. Returns the number of operations.
double multiply_and_add(float factor, float& result) {
  constexpr std::size_t sums_at_a_time = 12, rounds = 20'000;
  double operations = 0;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    typename V::Floats sums[sums_at_a_time] = {};
    // Subtracting a zero vector copies the number to each lane.
    const typename V::Floats factors = factor - sums[0], terms = 1 - factors;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < sums_at_a_time; ++i) sums[i] += factor * static_cast<float>(i);
    for (std::size_t round = 0; round < rounds; ++round)
#pragma GCC unroll 16
      for (std::size_t i = 0; i < sums_at_a_time; ++i) sums[i] = sums[i] * factors + terms;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < sums_at_a_time; ++i) result += sums[i][0];
    operations = 2.0 * sums_at_a_time * rounds * V::lanes;
  });
  return operations;
}

// Schedules shares dynamically. Equal shares would measure the slowest thread, such as one that shares its
// core with another thread or with other people's work.
double multiply_and_add_on_all_threads() {
  constexpr int shares = 1024;
  double operations = 0;
  float result = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : operations, result)
  for (int share = 0; share < shares; ++share) operations += multiply_and_add(0.5f, result);
  if (!(result > 0)) throw std::logic_error("sums of positive numbers are not positive");
  return operations;
}

}  // namespace

std::size_t default_ceiling_array_bytes() {
  constexpr std::size_t min_bytes = std::size_t{256} << 20;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);  // not positive where it is not known
  return std::max(min_bytes, 2 * static_cast<std::size_t>(std::max(cache, 0L)));
#else
  return min_bytes;
#endif
}

HostCeilings measure_host_ceilings(double seconds, std::size_t array_bytes) {
  TwoArrays arrays(array_bytes);
  // Tries ordinary stores, too: some CPUs see that they overwrite whole lines, and do not fetch these.
  const auto copy_rate = [&](Copy copy) {
    return best_rate(seconds / 2, [&] { return copy_array(arrays, copy); });
  };
  return {.read_bytes_per_s = best_rate(seconds, [&] { return read_both(arrays); }),
          .copy_bytes_per_s = std::max(copy_rate(streaming_copy), copy_rate(ordinary_copy)),
          .operations_per_s = best_rate(seconds, multiply_and_add_on_all_threads)};
}

double min_host_time_s(const Traffic& traffic, const HostCeilings& ceilings) {
  const double copied = std::min(traffic.bytes_read, traffic.bytes_written);
  const double more_read = traffic.bytes_read - copied, more_written = traffic.bytes_written - copied;
  const double memory_s =
      (2 * copied + more_written) / ceilings.copy_bytes_per_s + more_read / ceilings.read_bytes_per_s;
  return std::max(memory_s, traffic.operations / ceilings.operations_per_s);
}

double fraction_of_ceilings(const ReferenceResult& reference, const Traffic& traffic,
                            const HostCeilings& ceilings) {
  Traffic of_reference = traffic;  // the reference may need other operations than the kernels
  of_reference.operations = reference.operations.value_or(traffic.operations);
  return min_host_time_s(of_reference, ceilings) / reference.timing.median_s;
}

namespace {

constexpr unsigned threads_per_block = 256;

std::string name_of(AccessMix mix) {
  if (mix == AccessMix::read) return "read";
  return mix == AccessMix::copy ? "copy" : "two reads, one write";
}

std::size_t array_count_of(AccessMix mix) {
  if (mix == AccessMix::read) return 1;
  return mix == AccessMix::copy ? 2 : 3;
}

// Fills memory with data: with zeros, memory and multiprocessors can be faster.
void fill(device::Device& device, device::Stream& stream, const device::DeviceMemory& memory,
          std::size_t bytes) {
  std::vector<float> values(std::size_t{1} << 20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_float(1, i);
  const auto pattern = std::as_bytes(std::span(values)).first(std::min(bytes, values.size() * sizeof(float)));
  device.copy_to_device(memory.address(), pattern, stream);
  for (std::size_t filled = pattern.size(); filled < bytes; filled *= 2)
    device.copy_within(memory.address() + filled, memory.address(), std::min(filled, bytes - filled), stream);
  device.synchronize(stream);
}

// Kernel of the ceilings, with the values of its arguments.
class CeilingKernel {
 public:
  CeilingKernel(device::Device& device, const std::string& file, const std::string& name,
                const Signature& signature, std::vector<std::uint64_t> values,
                const device::CompileOptions& options = {})
      : device_(device),
        module_(device.compile({file, run::embedded_kernel_file(file)}, options)),
        kernel_(module_->kernel(name, signature)),
        values_(std::move(values)) {
    for (std::uint64_t& value : values_) arguments_.push_back(&value);
  }

  unsigned resident_blocks() const { return device_.resident_blocks(*kernel_, threads_per_block, 0); }
  void launch(unsigned blocks, device::Stream& stream) {
    device_.launch(*kernel_, {.grid = {blocks}, .block = {threads_per_block}}, arguments_.data(), stream);
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
  // Halfway between the mixes' fractions of reads: 1, 2/3 and 1/2.
  if (read > 5.0 / 6) return AccessMix::read;
  return read > 7.0 / 12 ? AccessMix::two_reads_one_write : AccessMix::copy;
}

DeviceCeilings::DeviceCeilings(device::Device& device, device::Stream& stream, double time_budget_s)
    : device_(device), stream_(stream), time_budget_s_(time_budget_s) {}

Ceiling DeviceCeilings::of(const Traffic& traffic, LimitedBy limit) {
  const bool by_operations = limit == LimitedBy::as_the_lesson_says && traffic.limited_by_operations;
  const double bytes = traffic.bytes_read + traffic.bytes_written;
  if (by_operations)
    return measured_once(Ceiling::multiply_add, /*bytes=*/0, [&] { return multiply_adds_per_s(); });
  if (limit == LimitedBy::tensor_cores)
    return measured_once(Ceiling::split_multiply_add, /*bytes=*/0, [&] {
      constexpr double products = 128 * 128 * 32;  // of float32 numbers; each becomes three products in TF32
      return tensor_multiply_adds_per_s("matmul_warpgroups.cu", "multiply_add_warpgroups", products);
    });
  if (limit == LimitedBy::half_precision)
    return measured_once(Ceiling::half_multiply_add, /*bytes=*/0, [&] {
      constexpr double products = 128 * 256 * 64;
      return tensor_multiply_adds_per_s("matmul_half.cu", "multiply_add_half", products);
    });
  if (limit == LimitedBy::host_link)
    return measured_once("copies both ways at once", bytes, [&] { return copied_bytes_per_s(bytes / 2); });
  const AccessMix mix = mix_of(traffic);
  return measured_once(name_of(mix), bytes, [&] { return moved_bytes_per_s(mix, bytes); });
}

Ceiling DeviceCeilings::measured_once(const std::string& what, double bytes,
                                      const std::function<double()>& measure_per_s) {
  double& rate_per_s = rates_per_s_[{what, bytes}];
  if (rate_per_s == 0) rate_per_s = measure_per_s();
  return {what, rate_per_s};
}

double DeviceCeilings::moved_bytes_per_s(AccessMix mix, double bytes) {
  const std::size_t length = static_cast<std::size_t>(bytes) / sizeof(float) / array_count_of(mix);
  std::vector<device::DeviceMemory> arrays;
  std::vector<std::uint64_t> values;
  // Each kernel takes at least an input and an output, even stream_read.
  for (std::size_t i = 0; i < std::max<std::size_t>(array_count_of(mix), 2); ++i) {
    arrays.emplace_back(device_, length * sizeof(float));
    fill(device_, stream_, arrays.back(), length * sizeof(float));
    values.push_back(arrays.back().address());
  }
  values.push_back(length);
  const bool has_two_inputs = mix == AccessMix::two_reads_one_write;
  const char* const one_input_kernel = mix == AccessMix::read ? "stream_read" : "stream_copy";
  CeilingKernel kernel(device_, "ceilings.cu", has_two_inputs ? "stream_add2" : one_input_kernel,
                       has_two_inputs ? signature_of<const float*, const float*, float*, int>()
                                      : signature_of<const float*, float*, int>(),
                       values);
  // A thread of stream_read loads four floats twice; a thread of the other kernels loads four of each input.
  // One more block is launched, which has nothing to do: a launch needs a block even for empty arrays.
  const std::size_t floats_per_thread = mix == AccessMix::read ? 8 : 4;
  const unsigned blocks = ceil_div(length, threads_per_block * floats_per_thread) + 1;
  const double seconds = median_s([&] { kernel.launch(blocks, stream_); });
  return static_cast<double>(array_count_of(mix) * length * sizeof(float)) / seconds;
}

double DeviceCeilings::multiply_adds_per_s() {
  constexpr int rounds = 4096;
  constexpr int chains = 8;  // independent sums of a thread, as in kernels/ceilings.cu
  const device::DeviceMemory sink(device_, sizeof(float));
  CeilingKernel kernel(
      device_, "ceilings.cu", "multiply_add", signature_of<float*, float, float, int>(),
      {sink.address(), std::bit_cast<std::uint32_t>(0.999f), std::bit_cast<std::uint32_t>(0.001f), rounds});
  const unsigned blocks = kernel.resident_blocks();
  return 2.0 * rounds * chains * threads_per_block * blocks /
         median_s([&] { kernel.launch(blocks, stream_); });
}

double DeviceCeilings::tensor_multiply_adds_per_s(const char* file, const char* name, double products) {
  constexpr int rounds = 1024;
  const device::DeviceMemory sink(device_, sizeof(float));
  CeilingKernel kernel(device_, file, name, signature_of<float*, int>(), {sink.address(), rounds},
                       {.architecture_specific = true});
  const unsigned blocks = kernel.resident_blocks();
  return 2 * products * rounds * blocks / median_s([&] { kernel.launch(blocks, stream_); });
}

double DeviceCeilings::copied_bytes_per_s(double bytes_each_way) {
  const auto bytes = static_cast<std::size_t>(bytes_each_way);
  std::vector<std::byte> sent(bytes), returned(bytes);
  const device::PinnedMemory pinned_sent(device_, sent), pinned_returned(device_, returned);
  const device::DeviceMemory to(device_, bytes), from(device_, bytes);
  const auto return_stream = device_.create_stream();
  const auto begin = device_.create_event(), end = device_.create_event();
  const double seconds = median_s([&] {
    device_.record(*begin, stream_);
    device_.wait(*return_stream, *begin);
    device_.copy_to_device(to.address(), sent, stream_);
    device_.copy_to_host(returned, from.address(), *return_stream);
    device_.record(*end, *return_stream);
    device_.wait(stream_, *end);
  });
  return 2 * static_cast<double>(bytes) / seconds;
}

double DeviceCeilings::median_s(const std::function<void()>& work) {
  run::StreamStopwatch stopwatch(
      device_, stream_, [] {}, work);
  return run::sample(stopwatch, {.time_budget_s = time_budget_s_}).median_s;
}

}  // namespace gpulab::bench
