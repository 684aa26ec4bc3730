#pragma once

#include "core/program.hpp"
#include "simulator/remote/wire.hpp"

// What the process of a program and the one that started it tell each other.

namespace gpulab::program {

constexpr int programs_socket = 200;  // out of the way of the files that the program opens
constexpr const char* programs_word = "--simulated-program";

// How a message of the program's process begins.
enum class FromProgram : unsigned char { asks_for_lines, reports };
constexpr FromProgram last_of(FromProgram) {
  return FromProgram::reports;
}

std::string written_report(const ProgramReport& report);
// Throws BadMessage for one that makes no sense.
ProgramReport read_report(simulator::remote::Reader& message);

}  // namespace gpulab::program
