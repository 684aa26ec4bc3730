#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gpulab {

// --format text|json: text unless it is asked for otherwise. The string must outlive the parsing.
void add_format_option(CLI::App& command, std::string& format);

}  // namespace gpulab
