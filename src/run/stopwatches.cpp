#include "run/stopwatches.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "device/device.hpp"
#include "device/libraries.hpp"
#include "run/sampling.hpp"
#include "run/validate/evidence.hpp"

namespace gpulab::run {
namespace {

Timing time_reference(const Reference& reference, const Inputs& inputs, Outputs& outputs,
                      double time_budget_s) {
  HostStopwatch stopwatch([&] { reference(inputs, outputs); });
  // Needs no warm-up: each reference has already run once, to be checked.
  return sample(stopwatch, {.time_budget_s = time_budget_s, .warm_up_s = 0});
}

// Records in the result where the first output that is wrong differs from the expected one.
void judge(const Outputs& actual, const PreparedProblem& prepared, const Tolerance& tolerance,
           ReferenceResult& result) {
  for (std::size_t i = 0; i < actual.count(); ++i) {
    const Array& expected = prepared.expected.at(i);
    const validate::Comparison comparison = validate::compare(actual.at(i), expected, tolerance);
    if (comparison.right()) continue;
    result.observed = Outcome::wrong;
    result.explanation =
        validate::explain_difference(comparison, actual.at(i), expected,
                                     {.launch = {}, .element_name = prepared.problem.element})
            .text();
    return;
  }
}

}  // namespace

std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s) {
  const Problem& problem = prepared.problem;
  const References& references = problem.references;
  Outputs actual(problem.arrays);
  if (!references.openmp) return {};  // an instructor's exercise, whose reference is a program
  if (references.plain) references.openmp(prepared.inputs, actual);

  ReferenceResult openmp{.name = openmp_reference, .threads = omp_get_max_threads()};
  if (references.plain) judge(actual, prepared, tolerance, openmp);
  openmp.operations = references.operations_openmp;
  openmp.timing = time_reference(references.openmp, prepared.inputs, actual, time_budget_s);
  if (!references.plain) return {std::move(openmp)};

  ReferenceResult plain{.name = plain_reference, .threads = 1};
  plain.timing = time_reference(references.plain, prepared.inputs, actual, time_budget_s);
  return {std::move(plain), std::move(openmp)};
}

namespace {

// Returns the host address of an array, or the value of a scalar.
std::uint64_t host_value(const KernelArgument& passed, const PreparedProblem& prepared, Outputs& outputs) {
  if (!passed.is_array()) return passed.value ? *passed.value : prepared.problem.scalar(passed.name);
  const Array* array = prepared.inputs.find(passed.name);
  if (!array) array = outputs.find(passed.name);
  if (!array)
    throw std::logic_error("a library cannot be given " + passed.name + ", which only devices have");
  return reinterpret_cast<std::uintptr_t>(array->bytes().data());
}

// A library call, valid while its arguments exist. Throws Error with the library's message.
class HostLibraryCall {
 public:
  HostLibraryCall(const GpulabYardstick& yardstick, std::vector<std::uint64_t> values)
      : yardstick_(yardstick), values_(std::move(values)) {
    for (std::uint64_t& value : values_) arguments_.push_back(&value);
    const char* error = nullptr;
    prepared_ = yardstick_.prepare(arguments_.data(), nullptr, &error);
    if (!prepared_) check(error ? error : "it gives no reason");
  }
  ~HostLibraryCall() { yardstick_.release(prepared_); }
  HostLibraryCall(const HostLibraryCall&) = delete;
  HostLibraryCall& operator=(const HostLibraryCall&) = delete;

  void run() {
    check(yardstick_.reset(prepared_, nullptr));
    check(yardstick_.enqueue(prepared_, nullptr));
  }

 private:
  void check(const char* problem) const {
    if (problem) throw Error(ExitCode::device, std::string(yardstick_.name) + ": " + problem);
  }

  const GpulabYardstick& yardstick_;
  std::vector<std::uint64_t> values_;
  std::vector<void*> arguments_;
  void* prepared_ = nullptr;
};

}  // namespace

std::optional<ReferenceResult> time_host_library(const std::string& name, const Arguments& arguments,
                                                 const PreparedProblem& prepared, const Tolerance& tolerance,
                                                 double time_budget_s) {
  const GpulabYardstick* const yardstick = device::find_yardstick(name);
  if (!yardstick) return std::nullopt;
  if (arguments.signature().text() != yardstick->signature)
    throw std::logic_error(
        fmt::format("{} takes {}, not {}", name, yardstick->signature, arguments.signature().text()));
  Outputs outputs(prepared.problem.arrays);
  std::vector<std::uint64_t> values;
  for (const KernelArgument& passed : arguments.list())
    values.push_back(host_value(passed, prepared, outputs));
  HostLibraryCall call(*yardstick, std::move(values));
  ReferenceResult result{.name = device::library_of_yardstick(name)->version(),
                         .threads = omp_get_max_threads()};
  call.run();
  judge(outputs, prepared, tolerance, result);
  if (result.observed != Outcome::right) return result;
  HostStopwatch stopwatch([&] { call.run(); });
  result.timing = sample(stopwatch, {.time_budget_s = time_budget_s, .warm_up_s = 0});
  judge(outputs, prepared, tolerance, result);
  return result;
}

namespace {

std::vector<Array*> copied_arrays(const Problem& problem, Arrays& arrays) {
  std::vector<Array*> copied;
  for (const SizedArray& array : problem.arrays)
    if (Array* host = arrays.find(array.name); host && problem.copies(array)) copied.push_back(host);
  return copied;
}

std::vector<device::PinnedMemory> pinned(device::Device& device, const std::vector<Array*>& arrays) {
  std::vector<device::PinnedMemory> pinned;
  for (Array* array : arrays) pinned.emplace_back(device, array->bytes());
  return pinned;
}

double bytes_of(const std::vector<Array*>& arrays) {
  double bytes = 0;
  for (const Array* array : arrays) bytes += static_cast<double>(array->bytes().size());
  return bytes;
}

}  // namespace

TransferResult time_transfers(device::Device& device, device::Stream& stream, DeviceArrays& arrays,
                              PreparedProblem& prepared, double time_budget_s) {
  Outputs outputs(prepared.problem.arrays);
  const auto sent = copied_arrays(prepared.problem, prepared.inputs),
             returned = copied_arrays(prepared.problem, outputs);
  const auto pinned_inputs = pinned(device, sent), pinned_outputs = pinned(device, returned);
  StreamStopwatch to_device(
      device, stream, [] {},
      [&] {
        for (const Array* array : sent) arrays.copy_input(*array);
      });
  StreamStopwatch to_host(
      device, stream, [] {},
      [&] {
        for (Array* array : returned) arrays.copy_output(*array);
      });
  const SamplingPlan plan{.time_budget_s = time_budget_s / 2, .warm_up_s = 0.02};
  return {.bytes_to_device = bytes_of(sent),
          .bytes_to_host = bytes_of(returned),
          .to_device = sample(to_device, plan),
          .to_host = sample(to_host, plan)};
}

void StreamStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t taken = 0; taken < count; taken += queued_at_once)
    take_queued(std::min(queued_at_once, count - taken), samples_s);
}

void StreamStopwatch::take_queued(std::size_t count, std::vector<double>& samples_s) {
  while (starts_.size() < count) {
    starts_.push_back(device_.create_event());
    stops_.push_back(device_.create_event());
  }
  for (std::size_t i = 0; i < count; ++i) {
    before_();
    device_.evict_caches(stream_);
    device_.record(*starts_[i], stream_);
    work_();
    device_.record(*stops_[i], stream_);
    after_();
  }
  device_.synchronize(stream_);
  for (std::size_t i = 0; i < count; ++i) samples_s.push_back(device_.elapsed(*starts_[i], *stops_[i]));
}

void WallStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    before_();
    device_.synchronize(stream_);
    const double start_s = now_s();
    work_();
    device_.synchronize(stream_);
    samples_s.push_back(now_s() - start_s);
    after_();
  }
}

GraphStopwatch::GraphStopwatch(device::Device& device, device::Stream& stream, std::size_t runs,
                               const std::function<void()>& work)
    : device_(device),
      stream_(stream),
      runs_(runs),
      start_(device.create_event()),
      stop_(device.create_event()) {
  graph_ = device.capture(stream, [&] {
    for (std::size_t i = 0; i < runs; ++i) work();
  });
}

void GraphStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    device_.record(*start_, stream_);
    device_.launch(*graph_, stream_);
    device_.record(*stop_, stream_);
    device_.synchronize(stream_);
    samples_s.push_back(device_.elapsed(*start_, *stop_) / static_cast<double>(runs_));
  }
}

TimelineRecorder::TimelineRecorder(device::Device& device, device::Stream& stream)
    : device_(device), origin_(device.create_event()) {
  device.record(*origin_, stream);
}

void TimelineRecorder::record(Span span, device::Stream& stream, const std::function<void()>& work) {
  RecordedSpan recorded{std::move(span), device_.create_event(), device_.create_event()};
  device_.record(*recorded.start, stream);
  work();
  device_.record(*recorded.stop, stream);
  recorded_.push_back(std::move(recorded));
}

Timeline TimelineRecorder::timeline() {
  Timeline timeline;
  for (RecordedSpan& recorded : recorded_) {
    recorded.span.start_s = device_.elapsed(*origin_, *recorded.start);
    recorded.span.end_s = device_.elapsed(*origin_, *recorded.stop);
    timeline.push_back(recorded.span);
  }
  return timeline;
}

}  // namespace gpulab::run
