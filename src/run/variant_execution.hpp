#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lesson/launch.hpp"
#include "run/problems.hpp"
#include "run/stopwatches.hpp"

namespace gpulab::run {

// Observes an execution's launches, and decides how many blocks count as resident.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  // Returns the number of blocks that are resident at once.
  virtual unsigned resident_blocks(const std::string& kernel, const Arguments& arguments, unsigned block_size,
                                   std::size_t dynamic_shared_bytes) = 0;
  // Called before each launch.
  virtual void launching(const std::string& kernel, const Arguments& arguments) = 0;
  // Called after each launch was queued.
  virtual void launched(const std::string& kernel, const LaunchConfig& config,
                        const Arguments& arguments) = 0;
};

// Executes a variant on the context's device: its steps or, without any, one launch of its kernel. Can be run
// repeatedly: to be checked, and to be timed.
class VariantExecution : public Execution {
 public:
  // Compiles the variant's file, finds its kernel, and fills its symbols. Throws CompileError, LaunchError.
  VariantExecution(const RunContext& context, const Variant& variant, unsigned block_size,
                   device::Instrumentation instrumentation, LaunchObserver* observer = nullptr);
  ~VariantExecution() override;

  // Queues all work and makes the context's stream wait for the others.
  void run();

  // Prepares a run, untimed. Resets the arrays and the kernel files' variables, and restores what a library
  // overwrites, so that judged and timed runs find the same memory. A watched kernel keeps its variables, so
  // that a check finds what outlives a launch.
  void prepare_run();

  // Runs, waits, and returns what ran when in which stream.
  Timeline run_with_timeline();

  // Prepares a run to be checked: poisons host copies of the outputs, forgets launches.
  void reset();

  // Returns the first launch since reset().
  const std::optional<ChosenLaunch>& first_launch() const { return first_launch_; }
  std::size_t launches() const { return launches_; }
  std::size_t leaked_bytes() const { return leaked_bytes_; }
  // Returns the host's copy of an output that the variant copies back itself.
  const Array& host_output(const std::string& array) { return *host_outputs_.find(array); }
  bool copied_to_device(const std::string& array) const { return copied_to_device_.contains(array); }

  // Returns the arguments of the variant's kernel, when it is launched alone.
  const Arguments& arguments() const { return context_.lesson.arguments_of(variant_); }
  device::KernelAttributes attributes();

  const LaunchRequest& request() const override { return request_; }
  void launch(const std::string& kernel, const ChosenLaunch& launch, const Arguments& arguments,
              int stream) override;
  unsigned resident_blocks(const std::string& kernel, const Arguments& arguments, unsigned block_size,
                           std::size_t dynamic_shared_bytes) override;
  void clear(const ArrayHandle& array, int stream) override;
  void copy_to_device(const AnyInput& array, std::size_t first, std::size_t count, int stream) override;
  void copy_to_host(const AnyOutput& array, std::size_t first, std::size_t count, int stream) override;
  void record(int event, int stream) override;
  void wait(int stream, int event) override;
  void synchronize(int stream) override;
  int allocate(std::size_t bytes) override;
  void free(int allocation) override;

  // Returns the stream for a number used in the steps.
  device::Stream& stream(int number);
  device::Event& event(int number);

  // Returns the address of another rank's array.
  using AddressOnRank = std::function<device::DevicePointer(int rank, const std::string& array)>;
  void set_address_on_rank(AddressOnRank address) { address_on_rank_ = std::move(address); }
  // Returns whether this is one of several ranks, with a part of the problem.
  bool is_of_rank() const { return address_on_rank_ != nullptr; }

 protected:
  void read_bytes(const ArrayHandle& array, std::size_t offset, std::span<std::byte> to) override;
  void write_bytes(const ArrayHandle& array, std::size_t offset, std::span<const std::byte> from) override;

 private:
  std::vector<std::uint64_t> values_of(const Arguments& arguments) const;
  void prepare_library_call();
  void fill_symbols();
  void pin_host_memory();
  device::Kernel& kernel(const std::string& name, const Signature& signature);
  std::unique_ptr<device::Kernel> find_kernel(const std::string& name, const Signature& signature);
  device::DevicePointer address_of(const KernelArgument& argument) const;
  void join();
  void queue(const Span& span, const std::function<void(device::Stream&)>& work);

  const RunContext& context_;
  const Variant& variant_;
  device::Instrumentation instrumentation_;
  LaunchObserver* observer_;  // may be null
  // Cached answers, since steps ask in each run, and the driver takes a microsecond.
  std::map<std::tuple<std::string, unsigned, std::size_t>, unsigned> resident_blocks_;
  device::Module* module_ = nullptr;  // none for a library call
  LaunchRequest request_;
  std::map<std::string, std::unique_ptr<device::Kernel>> kernels_;
  std::unique_ptr<device::LibraryCall> library_call_;
  Outputs host_outputs_;
  std::vector<device::PinnedMemory> pinned_;
  std::map<int, std::unique_ptr<device::Stream>> streams_;  // all but stream 0, which is the context's
  std::set<int> forked_;                                    // streams used in this run
  std::map<int, std::unique_ptr<device::Event>> events_;
  std::unique_ptr<device::Event> begin_, end_;
  std::map<int, std::pair<device::DeviceMemory, std::size_t>> allocations_;  // with their bytes
  std::optional<TimelineRecorder> recorder_;
  AddressOnRank address_on_rank_;  // none for a variant on one device

  std::optional<ChosenLaunch> first_launch_;
  std::size_t launches_ = 0;
  std::size_t leaked_bytes_ = 0;
  std::set<std::string> copied_to_device_;
};

}  // namespace gpulab::run
