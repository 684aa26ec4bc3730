#pragma once

#include <string>
#include <vector>

#include "core/lesson.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// The lessons in the order given, for people: names and aliases, default size, title, and variants.
std::string catalogue_text(const std::vector<Lesson>& lessons, const TextStyle& style);

}  // namespace gpulab
