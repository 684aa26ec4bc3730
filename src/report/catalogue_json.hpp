#pragma once

#include <string>
#include <vector>

#include "core/lesson.hpp"

namespace gpulab {

// The lessons in the order given, as one document with "schema": "gpulab.list".
std::string catalogue_json(const std::vector<Lesson>& lessons);

}  // namespace gpulab
