#include <cstdio>
#include <exception>
#include <new>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

int main(int argc, char** argv) {
  try {
    return static_cast<int>(gpulab::cli::run_command_line({argv, argv + argc}));
  } catch (const gpulab::Error& error) {
    std::fprintf(stderr, "gpulab: %s\n", gpulab::printable_lines(error.what()).c_str());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fputs("gpulab: out of host memory: choose a smaller problem\n", stderr);
    return static_cast<int>(gpulab::ExitCode::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpulab: %s (this is a defect of gpulab; please report it)\n",
                 gpulab::printable_lines(error.what()).c_str());
    return static_cast<int>(gpulab::ExitCode::device);
  }
}
