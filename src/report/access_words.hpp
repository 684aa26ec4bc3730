#pragma once

#include <string>

#include "core/costly_access.hpp"

namespace gpulab {

// A sum over requests divided by them, in three digits where it is no whole number: "4", "17.3".
std::string mean_text(std::uint64_t sum, std::uint64_t requests);

// What happens in that line, and what a well-formed access would take, in one or two sentences.
std::string costly_access_text(const CostlyAccess& costly);

}  // namespace gpulab
