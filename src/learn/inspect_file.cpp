#include "learn/inspect_file.hpp"

#include "run/inspect_lesson.hpp"
#include "simulator/remote/remote_device.hpp"

namespace gpulab::learn {

Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners) try {
  device::CompileCache cache;
  const auto simulator = simulator::remote::open_confined(cache, {});
  return run::inspect_replaced(lesson, options, learners, *simulator);
} catch (const simulator::remote::DeviceGone& end) {
  throw Error(ExitCode::device,
              learners.name + ": " + end.what() + (end.is_out_of_time ? ": ask for a smaller problem" : ""));
}

}  // namespace gpulab::learn
