#include "device/simulator/fault/kernel_code.hpp"

#include <link.h>

#include <algorithm>

namespace gpulab {
namespace {

struct Search {
  std::uintptr_t function;
  KernelCode found;
};

int look_in(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const KernelCode code{begin, begin + segment.p_memsz};
    if (!code.contains(search.function)) continue;
    search.found = code;
    return 1;
  }
  return 0;
}

int look_around(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (search.function < begin || search.function >= end) return 0;
  search.found = {begin, end};
  return 1;
}

}  // namespace

AddressRange image_around(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  ::dl_iterate_phdr(look_around, &search);
  return {search.found.begin, search.found.end - search.found.begin};
}

KernelCode code_around(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  ::dl_iterate_phdr(look_in, &search);
  return search.found;
}

}  // namespace gpulab
