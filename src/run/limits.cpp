#include "run/limits.hpp"

#include <algorithm>
#include <vector>

#include "core/inputs.hpp"
#include "core/launch.hpp"
#include "device/device.hpp"
#include "measure/host_ceilings.hpp"
#include "measure/sampling.hpp"
#include "run/kernel_files.hpp"
#include "run/run_lesson.hpp"
#include "run/stopwatches.hpp"
#include "run/variant_run.hpp"

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

}  // namespace

AccessMix mix_of(const Traffic& traffic) {
  const double read = traffic.bytes_read / (traffic.bytes_read + traffic.bytes_written);
  if (read > 5.0 / 6) return AccessMix::read;
  return read > 7.0 / 12 ? AccessMix::two_reads_one_write : AccessMix::copy;
}

DeviceCeilings::DeviceCeilings(device::Device& device, device::Stream& stream, double time_budget_s)
    : device_(device), stream_(stream), time_budget_s_(time_budget_s) {
  module_ = device.compile({"ceilings.cu", embedded_kernel_file("ceilings.cu")}, {});
}

Ceiling DeviceCeilings::of(const Traffic& traffic) {
  if (traffic.limited_by_operations) return {"multiply-add", operations_per_s()};
  const AccessMix mix = mix_of(traffic);
  return {name_of(mix), bytes_per_s(mix, traffic.bytes_read + traffic.bytes_written)};
}

double DeviceCeilings::bytes_per_s(AccessMix mix, double bytes) {
  double& known = bytes_per_s_[{mix, bytes}];
  if (known > 0) return known;
  const std::size_t length = static_cast<std::size_t>(bytes) / sizeof(float) / arrays_of(mix);
  std::vector<device::DeviceMemory> arrays;
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < std::max<std::size_t>(arrays_of(mix), 2); ++i) {
    arrays.emplace_back(device_, length * sizeof(float));
    fill(device_, stream_, arrays.back(), length * sizeof(float));
    values.push_back(arrays.back().address());
  }
  values.push_back(length);
  // A thread of stream_read has two loads of four floats, one of the others has one.
  const unsigned blocks = ceil_div(length, std::size_t{threads} * (mix == AccessMix::read ? 8 : 4)) + 1;
  const LaunchConfig config{.grid = {blocks}, .block = {threads}};
  const double seconds =
      mix == AccessMix::two_reads_one_write
          ? median_s("stream_add2", config, signature_of<const float*, const float*, float*, int>(), values)
          : median_s(mix == AccessMix::read ? "stream_read" : "stream_copy", config,
                     signature_of<const float*, float*, int>(), values);
  return known = static_cast<double>(arrays_of(mix) * length * sizeof(float)) / seconds;
}

double DeviceCeilings::operations_per_s() {
  if (operations_per_s_ > 0) return operations_per_s_;
  constexpr int rounds = 4096, chains = 8;
  const device::DeviceMemory sink(device_, sizeof(float));
  const Signature signature = signature_of<float*, float, float, int>();
  const auto kernel = module_->kernel("multiply_add", signature);
  const unsigned blocks = device_.resident_blocks(*kernel, threads, 0);
  const double seconds = median_s(
      "multiply_add", {.grid = {blocks}, .block = {threads}}, signature,
      {sink.address(), std::bit_cast<std::uint32_t>(0.999f), std::bit_cast<std::uint32_t>(0.001f), rounds});
  return operations_per_s_ = 2.0 * rounds * chains * threads * blocks / seconds;
}

double DeviceCeilings::median_s(const std::string& name, const LaunchConfig& config,
                                const Signature& signature, std::vector<std::uint64_t> values) {
  const auto kernel = module_->kernel(name, signature);
  std::vector<void*> arguments;
  for (std::uint64_t& value : values) arguments.push_back(&value);
  StreamStopwatch stopwatch(
      device_, stream_, [] {}, [&] { device_.launch(*kernel, config, arguments.data(), stream_); });
  return measure::sample(stopwatch, {.time_budget_s = time_budget_s_}).median_s;
}

namespace {

class LimitsRun {
 public:
  LimitsRun(const LimitsOptions& options, device::Device& device)
      : options_(options),
        device_(device),
        stream_(device.create_stream()),
        ceilings_(device, *stream_, options.time_budget_s) {
    result_ = {.device = device.properties(), .seed = options.seed};
  }

  void add(const Lesson& lesson, const LimitCase& asked) {
    const Variant& rung = find_variant(lesson, asked.rung);
    if (const std::string lack = what_it_lacks(rung, device_); !lack.empty())
      return remark(lesson.name + " " + rung.name + " was left out: " + lack);
    result_.cases.push_back(measured(lesson, asked));
  }

  LimitsResult take() { return std::move(result_); }

 private:
  void remark(const std::string& text) {
    if (std::ranges::find(result_.remarks, text) == result_.remarks.end()) result_.remarks.push_back(text);
  }

  RunOptions run_options(const Lesson& lesson, const LimitCase& asked) {
    RunOptions run;
    run.settings = lesson.default_settings();
    run.settings.size = asked.size;
    run.settings.seed = options_.seed;
    for (const auto& [name, value] : asked.options) run.settings.options[name] = value;
    run.variants = {asked.rung};
    for (const Target& target : asked.targets)
      if (!target.rung.empty()) run.variants.push_back(target.rung);
    if (!asked.yardstick.empty()) {
      const std::string lack = what_it_lacks(find_variant(lesson, asked.yardstick), device_);
      if (lack.empty())
        run.variants.push_back(asked.yardstick);
      else
        remark(lesson.name + " has no yardstick: " + lack);
    }
    run.time_budget_s = options_.time_budget_s;
    run.measured = {.plain_reference = false, .transfers = false, .steady = true};
    run.progress = [this, &lesson](const std::string& what) { options_.progress(lesson.name + ", " + what); };
    return run;
  }

  LimitResult measured(const Lesson& lesson, const LimitCase& asked) {
    LessonResult lesson_result = run_lesson(lesson, run_options(lesson, asked), device_);
    LimitResult one{.lesson = lesson.name,
                    .asked = asked,
                    .problem = lesson_result.problem,
                    .traffic = lesson_result.traffic};
    for (VariantResult& variant : lesson_result.variants) {
      if (variant.name == asked.rung)
        one.rung = std::move(variant);
      else if (variant.name == asked.yardstick)
        one.yardstick = std::move(variant);
      else
        one.others.push_back(std::move(variant));
    }
    if (!lesson_result.references.empty()) one.reference = std::move(lesson_result.references.back());
    if (asked.limited_by == LimitedBy::memory) one.traffic.limited_by_operations = false;
    if (asked.limited_by != LimitedBy::units_unknown) {
      options_.progress(lesson.name + ", ceiling");
      one.ceiling = ceilings_.of(one.traffic);
    }
    if (one.reference) one.reference_of_ceiling = part_of_host_ceilings(lesson, one);
    one.targets = judge_targets(one);
    return one;
  }

  // Measured again for each case: what a machine allows that others use, too, changes from minute to minute.
  // None where nothing is stated that must be moved or computed.
  std::optional<double> part_of_host_ceilings(const Lesson& lesson, const LimitResult& one) {
    options_.progress(lesson.name + ", ceilings of the CPU");
    const double part = measure::fraction_of_ceilings(
        *one.reference, one.traffic, measure::measure_host_ceilings(options_.time_budget_s / 2));
    return part > 0 ? std::optional(part) : std::nullopt;
  }

  const LimitsOptions& options_;
  device::Device& device_;
  std::unique_ptr<device::Stream> stream_;
  DeviceCeilings ceilings_;
  LimitsResult result_;
};

}  // namespace

LimitsResult measure_limits(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                            device::Device& device) {
  LimitsRun run(options, device);
  for (const Lesson& lesson : lessons)
    for (const LimitCase& asked : lesson.limits) run.add(lesson, asked);
  return run.take();
}

}  // namespace gpulab::run
