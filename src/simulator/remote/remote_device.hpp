#pragma once

#include <memory>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "sandbox/sandbox.hpp"
#include "sandbox/stop_request.hpp"
#include "simulator/remote/device_gone.hpp"

namespace gpulab::simulator::remote {

struct Options {
  sandbox::Mode mode = sandbox::Mode::automatic;
  double time_limit_s = 60;        // for all that is asked of it
  double kernel_time_limit_s = 3;  // without a thread's return, unless GPULAB_TIME_LIMIT says another
  sandbox::StopRequest stop = {};
};

// The simulated device in a process of its own, which is confined before it sees a kernel: it has no file but
// this connection, and what it needs it is given. This process compiles (in a confined process, too), keeps
// what results are compared with, and judges. All else is as with the device in this process, but that copies
// to the device are read at once. Throws DeviceError when there is no C++ compiler, Error for Mode::require
// where this machine cannot confine; its calls throw DeviceGone and WorkStopped. The cache must outlive it.
std::unique_ptr<device::Device> open_confined(device::CompileCache& cache, const Options& options);

}  // namespace gpulab::simulator::remote
