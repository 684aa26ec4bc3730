#include "run/estimated_run.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cuda/support.hpp"
#include "estimate/work.hpp"
#include "run/variant_execution.hpp"

namespace gpulab::run {
namespace {

// Enough that the blocks of a sample stand for the others, few enough to take some hundredths of a second.
constexpr std::uint64_t sampled_accesses = std::uint64_t{1} << 17;

// A kernel's registers and instructions where NVRTC is not there to tell.
constexpr int guessed_registers = 32;

// Counts each launch of a variant as if it ran on the GPU.
class Prediction : public LaunchObserver {
 public:
  Prediction(const RunContext& context, const Variant& variant, const estimate::Gpu& gpu)
      : context_(context), variant_(variant), gpu_(gpu) {
    context.device.instruments()->set_sampled_accesses(sampled_accesses);
  }
  ~Prediction() override { context_.device.instruments()->set_sampled_accesses(0); }

  unsigned resident_blocks(const std::string& kernel, const Arguments& arguments, unsigned block_size,
                           std::size_t dynamic_shared_bytes) override {
    const CompiledFor& compiled = compiled_for(kernel, arguments);
    const unsigned blocks =
        estimate::occupancy_of(gpu_, compiled.registers, compiled.static_shared_bytes + dynamic_shared_bytes,
                               block_size)
            .blocks;
    return blocks * static_cast<unsigned>(gpu_.multiprocessors);
  }

  void launched(const std::string& kernel, const LaunchConfig& config, const Arguments& arguments) override {
    context_.device.synchronize(context_.stream);
    const AccessCounts counts = context_.device.instruments()->take_access_counts();
    const CompiledFor& compiled = compiled_for(kernel, arguments);
    const std::size_t shared_bytes = compiled.static_shared_bytes + config.dynamic_shared_bytes;
    const estimate::Occupancy occupancy =
        estimate::occupancy_of(gpu_, compiled.registers, shared_bytes, config.block.volume());
    KernelWork work =
        estimate::work_of(counts, config, occupancy.blocks * gpu_.multiprocessors, compiled.ptx);
    work.kernel = kernel;
    work.registers = compiled.registers;
    work.shared_bytes = shared_bytes;
    launches_.push_back(std::move(work));
  }

  const std::vector<KernelWork>& launches() const { return launches_; }

 private:
  struct CompiledFor {
    int registers = guessed_registers;
    std::size_t static_shared_bytes = 0;
    std::optional<estimate::PtxKernel> ptx = {};
  };

  const CompiledFor& compiled_for(const std::string& kernel, const Arguments& arguments) {
    const auto known = compiled_.find(kernel);
    if (known != compiled_.end()) return known->second;
    CompiledFor& compiled = compiled_[kernel];
    Variant of_lesson = variant_;
    of_lesson.source.clear();
    for (const Variant* const variant : {&variant_, static_cast<const Variant*>(&of_lesson)}) {
      const device::KernelSource& source = context_.files.of(*variant);
      try {
        device::CompileCache cache;
        const auto found =
            cuda::support().kernel_for(gpu_.architecture, source, kernel, arguments.signature(), cache);
        if (!found) break;
        compiled.registers = found->attributes.registers_per_thread;
        compiled.static_shared_bytes = found->attributes.static_shared_bytes;
        compiled.ptx = estimate::read_ptx(found->ptx, found->symbol, source.name);
        break;
      } catch (const Error&) {  // another file has it, or the GPU lacks what it needs
      }
    }
    return compiled;
  }

  const RunContext& context_;
  const Variant& variant_;
  const estimate::Gpu& gpu_;
  std::map<std::string, CompiledFor> compiled_;
  std::vector<KernelWork> launches_;
};

}  // namespace

Estimate predicted(const RunContext& context, const Variant& variant, unsigned block_size,
                   std::size_t launches, const estimate::Gpu& gpu) {
  const auto refused = [&](const std::string& why) {
    return Estimate{.gpu = gpu.short_name, .why_not = why};
  };
  if (variant.copies_from) return refused("its time is that of copies");
  try {
    Prediction prediction(context, variant, gpu);
    VariantExecution execution(context, variant, block_size, device::Instrumentation::counted, &prediction);
    execution.reset();
    context.device.instruments()->take_access_counts();
    execution.run();
    context.device.synchronize(context.stream);
    context.device.instruments()->take_notes();
    const auto counted = static_cast<double>(std::max<std::size_t>(1, prediction.launches().size()));
    return estimate::estimate_of(gpu, prediction.launches(), static_cast<double>(launches) / counted);
  } catch (const Error& error) {
    context.device.instruments()->take_notes();
    return refused(error.what());
  }
}

}  // namespace gpulab::run
