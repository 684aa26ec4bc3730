#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/stream.hpp"
#include "device/host.hpp"
#include "cuda/support.hpp"
#include "yardsticks/yardstick.hpp"

namespace gpulab::cuda {

// One of the libraries in src/yardsticks/, opened: "cub" is libgpulab_cub.so, beside the program or in the
// folder lib next to the program's.
class YardstickLibrary {
 public:
  // Throws std::runtime_error with the loader's words when it is not there or lacks what it needs.
  explicit YardstickLibrary(const std::string& name);

  const char* version() const { return offered_.library; }
  // Null when it has no such call.
  const GpulabYardstick* find(const std::string& call) const;

 private:
  device::DynamicLibrary library_;
  GpulabYardsticks offered_{};
};

// A yardstick as the rest of the program sees it. Its stream's context is current when it is called.
class YardstickCall : public device::LibraryCall {
 public:
  // Throws LibraryRefusal.
  YardstickCall(const GpulabYardstick& yardstick, std::shared_ptr<const CudaContext> context,
                void* const* arguments, CUstream stream);
  ~YardstickCall() override;
  void before(device::Stream& stream) override;
  void enqueue(device::Stream& stream) override;

 private:
  const GpulabYardstick& yardstick_;
  std::shared_ptr<const CudaContext> context_;
  void* prepared_ = nullptr;
};

// The yardstick of that name, "cub-reduce": its library, named by what stands before the first hyphen, is
// opened when first asked for. Null where it is missing.
const GpulabYardstick* find_yardstick(const std::string& call);

// Each library that yardsticks can be built for, and what this machine has of it.
std::vector<LibraryStatus> yardstick_status();

}  // namespace gpulab::cuda
