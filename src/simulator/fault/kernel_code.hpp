#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulator/count/access_recorder.hpp"

namespace gpulab::simulator::fault {

// The machine code of the shared object that a kernel was compiled into. What lies outside is the C library's
// or the simulator's.
struct KernelCode {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t instruction) const { return begin <= instruction && instruction < end; }
};

// Empty when the function is in no loaded object.
KernelCode code_around(const void* function);

// All that the shared object takes in memory, its tables and variables included.
count::AddressRange image_around(const void* function);

// "shared_histogram.cu:21": the line that an instruction of a kernel was compiled from, by addr2line of the
// compiler's own package. Empty when it cannot be told.
std::string source_line(std::uintptr_t instruction);

// A shared object that was loaded from a copy has its lines where the original has them; empty when it goes.
void set_origin(const std::string& copy, const std::string& original);

// Of each of these instructions.
std::vector<std::string> source_lines(std::span<const std::uintptr_t> instructions);

// How the lines of instructions are found, at these places of a shared object.
using LineFinder =
    std::function<std::vector<std::string>(const std::string& file, std::span<const std::uintptr_t> offsets)>;

// For a process that may not run addr2line itself. Returns the one before.
LineFinder set_line_finder(LineFinder finder);
std::vector<std::string> found_lines(const std::string& file, std::span<const std::uintptr_t> offsets);

// Of a whole program, the file that a report is about first: places in it are told by their line alone.
void set_main_file(std::string name);
// "kernels.cuh" of "kernels.cuh:21"; empty where that is the main file, or there is none.
std::string other_file(const std::string& source_line);

// 21 of "shared_histogram.cu:21"; 0 when there is none.
int line_number(const std::string& source_line);

}  // namespace gpulab::simulator::fault
