#pragma once

#include <string>
#include <vector>

#include "lesson/handles.hpp"

// The parameters of a kernel that is known at run time only.

namespace gpulab::suites {

bool is_pointer(const std::string& type);
std::string pointee(const std::string& pointer);  // "float" of "float const*"

// The value as the machine holds it. Throws UsageError for a type that is no arithmetic one.
std::string bytes_of(const std::string& type, double value);

// How to call a kernel with these parameters. One signature is in use at a time: the last one that was made.
Signature signature_of_types(const std::vector<std::string>& types);

}  // namespace gpulab::suites
