#include "exercise/nvrtc_check.hpp"

#include "device/cuda_support.hpp"
#include "exercise/defect_patterns.hpp"
#include "exercise/line_of_text.hpp"

namespace gpulab {
namespace {

std::string architecture() {
  const std::vector<DeviceProperties> devices = cuda_support().devices();
  return devices.empty() ? "sm_80" : devices.front().architecture();
}

}  // namespace

void check_by_nvrtc(const KernelSource& source, CheckResult& result) {
  const std::string for_architecture = architecture();
  try {
    CompileCache cache;
    cuda_support().compile_for(for_architecture, source, cache);
  } catch (const CompileError& error) {
    result.verdict = Verdict::does_not_compile;
    result.pattern = pattern_of(error.failure().kind);
    result.summary = error.what();
    result.line = error.failure().line;
    result.source = line_of(source.text, result.line);
    result.compiler_log = error.log();
    result.notes = {"NVRTC " + cuda_support().status().nvrtc_version +
                    ", which compiles for GPUs (here for " + for_architecture +
                    "), refuses what the simulator's compiler accepts"};
  } catch (const DeviceError&) {
    // An NVRTC that does not know the architecture has nothing to say of the file.
  }
}

}  // namespace gpulab
