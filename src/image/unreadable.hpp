#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/error.hpp"

namespace gpulab {

// "cannot read sky.fits: WHY"; why also says what to do.
UsageError unreadable(const std::filesystem::path& file, const std::string& why);

// The file ends before its image does.
UsageError cut_short(const std::filesystem::path& file);

// Throws unless the image has a pixel, and at most as many as an int can index.
void require_possible_size(const std::filesystem::path& file, std::uint64_t width, std::uint64_t height);

}  // namespace gpulab
