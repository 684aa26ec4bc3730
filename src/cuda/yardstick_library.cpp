#include "cuda/yardstick_library.hpp"

#include <stdexcept>

namespace gpulab::cuda {
namespace {

struct Opened {
  std::unique_ptr<const YardstickLibrary> library;
  std::string problem;
};

// Once for each name; a library stays open to the end, because its calls do.
const Opened& opened(const std::string& name) {
  static std::map<std::string, Opened> all;
  const auto [entry, is_new] = all.try_emplace(name);
  if (!is_new) return entry->second;
  try {
    entry->second.library = std::make_unique<const YardstickLibrary>(name);
  } catch (const std::runtime_error& error) {
    entry->second.problem = error.what();
  }
  return entry->second;
}

}  // namespace

YardstickLibrary::YardstickLibrary(const std::string& name) : library_(device::places_of_module(name)) {
  GpulabYardsticksOf* offered = nullptr;
  library_.find(offered, "gpulab_yardsticks");
  offered_ = offered();
}

const GpulabYardstick* YardstickLibrary::find(const std::string& call) const {
  for (int i = 0; i < offered_.count; ++i)
    if (call == offered_.list[i].name) return &offered_.list[i];
  return nullptr;
}

YardstickCall::YardstickCall(const GpulabYardstick& yardstick, std::shared_ptr<const CudaContext> context,
                             void* const* arguments, CUstream stream)
    : yardstick_(yardstick), context_(std::move(context)) {
  context_->enter();
  const char* error = nullptr;
  prepared_ = yardstick_.prepare(arguments, stream, &error);
  if (!prepared_) throw device::LibraryRefusal(ExitCode::device, error ? error : "it gives no reason");
}

YardstickCall::~YardstickCall() {
  context_->enter();
  yardstick_.release(prepared_);
}

void YardstickCall::before(device::Stream& stream) {
  context_->enter();
  if (const char* error = yardstick_.before(prepared_, static_cast<CudaStream&>(stream).handle()))
    throw device::DeviceError(yardstick_.name, "CUDA_ERROR_UNKNOWN", error);
}

void YardstickCall::enqueue(device::Stream& stream) {
  context_->enter();
  if (const char* error = yardstick_.enqueue(prepared_, static_cast<CudaStream&>(stream).handle()))
    throw device::DeviceError(yardstick_.name, "CUDA_ERROR_UNKNOWN", error);
}

const GpulabYardstick* find_yardstick(const std::string& call) {
  const Opened& of = opened(call.substr(0, call.find('-')));
  return of.library ? of.library->find(call) : nullptr;
}

std::vector<LibraryStatus> yardstick_status() {
  std::vector<LibraryStatus> all;
  for (const char* name : {"cub", "cublas", "cudnn"}) {
    const Opened& of = opened(name);
    all.push_back({.name = name, .version = of.library ? of.library->version() : "", .problem = of.problem});
  }
  return all;
}

}  // namespace gpulab::cuda
