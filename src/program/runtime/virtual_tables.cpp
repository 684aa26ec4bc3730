#include "program/runtime/virtual_tables.hpp"

#include <algorithm>
#include <cstdlib>

#include "program/runtime/errors.hpp"
#include "simulator/schedule/hooks.hpp"

namespace gpulab::program::runtime {
namespace {

// Replaces every virtual function of an object that the host has made. With GCC, a hook has already reported
// the load from the table; Clang has no such hook.
void end_with_table_of_host(const void* object) {
  simulator::schedule::BlockScheduler* const scheduler = simulator::schedule::scheduler_of_this_thread();
  if (!scheduler) std::abort();  // on the host, the object is a copy that bring_to_host() has missed
  simulator::watch::FoundDefect defect{.kind = DefectKind::host_pointer,
                                       .address = *static_cast<const std::uintptr_t*>(object),
                                       .bytes = sizeof(void*)};
  defect.party.pc = address_of(__builtin_return_address(0));
  scheduler->fail_with(defect, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

// Calls the function for each aligned word in the memory.
void for_each_word(std::uintptr_t begin, std::size_t bytes, const auto& function) {
  constexpr std::size_t size = sizeof(std::uintptr_t);
  const std::uintptr_t first = (begin + size - 1) / size * size;
  for (std::uintptr_t address = first; address + size <= begin + bytes; address += size)
    function(*reinterpret_cast<std::uintptr_t*>(address));
}

}  // namespace

VirtualTables::VirtualTables(const simulator::compile::SimulatedModule& module) {
  for (const simulator::watch::AddressRange& range : module.virtual_tables()) {
    const auto* const words = reinterpret_cast<const std::uintptr_t*>(range.begin);
    Table table{range.begin, range.bytes / sizeof(std::uintptr_t)};
    table.of_device = {words, words + table.words};
    table.of_host = table.of_device;
    for (std::uintptr_t& word : table.of_host)
      if (module.contains_code(word)) word = reinterpret_cast<std::uintptr_t>(&end_with_table_of_host);
    tables_.push_back(std::move(table));
  }
}

// Makes pointers to original tables point to the copy `to`, and pointers to the copy `back` to the originals.
void VirtualTables::replace(std::uintptr_t begin, std::size_t bytes, TableCopy to, TableCopy back) const {
  for (const Table& table : tables_) {
    const std::uintptr_t replacement = address_of((table.*to).data()),
                         other = address_of((table.*back).data());
    for_each_word(begin, bytes, [&](std::uintptr_t& word) {
      if (word - table.original < table.bytes())
        word += replacement - table.original;
      else if (word - other < table.bytes())
        word += table.original - other;
    });
  }
}

void VirtualTables::bring_to_device(std::uintptr_t begin, std::size_t bytes) const {
  replace(begin, bytes, &Table::of_host, &Table::of_device);
}

void VirtualTables::bring_to_host(std::uintptr_t begin, std::size_t bytes) const {
  replace(begin, bytes, &Table::of_device, &Table::of_host);
}

bool VirtualTables::is_of_host(std::uintptr_t address) const {
  return std::ranges::any_of(tables_, [&](const Table& table) {
    return address - address_of(table.of_host.data()) < table.bytes();
  });
}

}  // namespace gpulab::program::runtime
