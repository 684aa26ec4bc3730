#include "base/error.hpp"
#include "program/process.hpp"
#include "run/devices.hpp"
#include "run/ranks/as_rank.hpp"
#include "test.hpp"

namespace {

int as_rank(const char* test_case) {
  try {
    gpulab::run::ranks::act_as_rank(test_case);
    return 0;
  } catch (const gpulab::Error& error) {
    std::fprintf(stderr, "gpulab: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpulab_tests: %s\n", error.what());
    return 77;
  }
}

}  // namespace

// A confined device or program runs in a new process of the program that asks for it, here the tests. The
// processes that mpirun and srun start are the tests, too.
int main(int argc, char** argv) {
  if (const auto served = gpulab::run::serve_device_if_asked({argv, argv + argc})) return *served;
  if (const auto ended = gpulab::program::run_program_if_asked({argv, argv + argc})) return *ended;
  if (argc == 3 && argv[1] == std::string_view("--as-rank")) return as_rank(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
