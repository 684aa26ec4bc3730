#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "simulator/compile/device_code.hpp"

namespace gpulab::simulator::compile {

// Of any shared object: that it defines functions by which the compiler's hooks call the simulator.
std::optional<Refusal> refused_hook(const std::filesystem::path& shared_object);

// Of a kernel file's, before it is loaded: whether it needs functions that a GPU does not have, or would
// run code when it is loaded. The text is that of the kernel file, for the line.
std::optional<Refusal> refused_in_object(const std::filesystem::path& shared_object, const std::string& text);

// Whether the simulator, libm or the compiler has the function that a shared object needs.
bool is_provided(const std::string& name);

}  // namespace gpulab::simulator::compile
