#pragma once

#include <string>
#include <vector>

#include "lesson/handles.hpp"

// The parameters of a kernel that is known only at run time.

namespace gpulab::suites {

bool is_pointer(const std::string& type);
std::string pointee(const std::string& pointer);  // "float" of "float const*"

// Returns the bytes of the value in memory. Throws UsageError if the type is not arithmetic.
std::string bytes_of(const std::string& type, double value);

// Returns the way to call a kernel with these parameters. Only the signature made last can be used.
Signature signature_of_types(const std::vector<std::string>& types);

}  // namespace gpulab::suites
