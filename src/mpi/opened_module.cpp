#include "mpi/opened_module.hpp"

#include <sched.h>
#include <algorithm>
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

bool finish_transfers(Waiting waiting, Clock::time_point deadline) {
  constexpr auto short_wait = std::chrono::milliseconds(2);
  constexpr std::chrono::microseconds longest_nap{1000};
  const auto start = Clock::now();
  std::chrono::microseconds nap{20};
  for (;;) {
    int left = 0;
    check(opened_module().advance(&left));
    if (left == 0) return true;
    const auto now = Clock::now();
    if (now > deadline) return false;
    if (waiting == Waiting::for_data || now - start < short_wait) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(nap);
      nap = std::min(2 * nap, longest_nap);
    }
  }
}

}  // namespace gpulab::mpi
