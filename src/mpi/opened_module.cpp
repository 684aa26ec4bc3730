#include "mpi/opened_module.hpp"

#include <sched.h>
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "core/error.hpp"
#include "device/host.hpp"

namespace gpulab::mpi {

const GpulabMpi& opened_module() {
  static const device::DynamicLibrary* const library =
      new device::DynamicLibrary(device::places_of_module("mpi"));
  GpulabMpiOf* offered = nullptr;
  library->find(offered, "gpulab_mpi");
  return *offered();
}

void check(const char* error) {
  if (error) throw Error(ExitCode::device, std::string("MPI: ") + error);
}

GpulabMpiType type_of(ElementType type) {
  switch (type) {
    case ElementType::int32:
      return gpulab_mpi_int32;
    case ElementType::uint32:
      return gpulab_mpi_uint32;
    case ElementType::uint8:
      return gpulab_mpi_uint8;
    case ElementType::float32:
      return gpulab_mpi_float32;
    case ElementType::float64:
      break;
  }
  return gpulab_mpi_float64;
}

bool finish_transfers(Waiting waiting, double limit_s) {
  using Clock = std::chrono::steady_clock;
  constexpr auto short_wait = std::chrono::milliseconds(2);
  constexpr std::chrono::microseconds longest_nap{1000};
  const std::chrono::duration<double> limit(limit_s);
  std::chrono::microseconds nap{20};
  auto start = Clock::now();
  for (int left = 0, before = 0;; before = left) {
    check(opened_module().advance(&left));
    if (left == 0) return true;
    const auto now = Clock::now();
    if (waiting == Waiting::for_data && left != before) start = now;
    if (now - start > limit) return false;
    if (waiting == Waiting::for_data || now - start < short_wait) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(nap);
      nap = std::min(2 * nap, longest_nap);
    }
  }
}

}  // namespace gpulab::mpi
