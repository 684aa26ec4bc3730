#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/error.hpp"
#include "base/output.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the file size limit then fails with an error
  // A compiler finds its linker by PATH, which a service or env -i may leave out.
  ::setenv("PATH", "/usr/local/bin:/usr/bin:/bin", /*overwrite=*/0);
  try {
    return static_cast<int>(gpulab::cli::run_command_line({argv, argv + argc}));
  } catch (const gpulab::Error& error) {
    gpulab::tell("gpulab: " + gpulab::printable_lines(error.what()) + "\n");
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fputs("gpulab: out of host memory: choose a smaller problem\n", stderr);
    return static_cast<int>(gpulab::ExitCode::usage);
  } catch (const std::filesystem::filesystem_error& error) {
    // std::filesystem names no path where it looks for the folder of temporary files.
    const char* const temporary = std::getenv("TMPDIR");
    const std::string file = error.path1().empty() && temporary
                                 ? std::string("the folder for temporary files, TMPDIR=") + temporary
                                 : error.path1().string();
    std::fprintf(stderr, "gpulab: cannot use %s: %s\n", gpulab::printable(file).c_str(),
                 error.code().message().c_str());
    return static_cast<int>(error.path1().empty() ? gpulab::ExitCode::device : gpulab::ExitCode::usage);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "gpulab: this machine refuses a thread or a process: %s (see ulimit -a)\n",
                 error.code().message().c_str());
    return static_cast<int>(gpulab::ExitCode::device);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpulab: %s (this is a defect of gpulab; please report it)\n",
                 gpulab::printable_lines(error.what()).c_str());
    return static_cast<int>(gpulab::ExitCode::device);
  }
}
