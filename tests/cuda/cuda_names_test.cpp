#include "kernels/cuda_names.hpp"

#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"
#include "simulator/device.hpp"
#include "test.hpp"

namespace gpulab::cuda {
namespace {

TEST(CudaNamesForNvrtc, CompileWithTheTypesOfTheList) {
  if (!cuda_status().nvrtc_found) GTEST_SKIP() << "this machine has no NVRTC";
  try {
    nvrtc().compile({"names.cu", kernel_with_types(cuda_names())}, "sm_80");
  } catch (const CompileError& error) {
    FAIL() << error.log();
  }
}

using Words = std::vector<std::uint64_t>;

constexpr unsigned threads = 4096;

// Returns four words for each function and thread: the bits of the result, and of up to three arguments.
Words results_on(device::Device& device, const std::string& text, std::size_t functions) {
  const Words cleared(4 * threads * functions);
  const auto stream = device.create_stream();
  device::DevicePointer out = device.allocate(cleared.size() * sizeof(std::uint64_t));
  device.copy_to_device(out, std::as_bytes(std::span(cleared)), *stream);
  const auto module = device.compile({"names.cu", text}, {});
  const auto kernel = module->kernel("results", signature_of<double*>());
  void* arguments[] = {&out, nullptr};
  device.launch(*kernel, {.grid = {threads / 128}, .block = {128}}, arguments, *stream);
  Words results(cleared.size());
  device.copy_to_host(std::as_writable_bytes(std::span(results)), out, *stream);
  device.synchronize(*stream);
  device.free(out);
  return results;
}

// Counts all differences, and prints the name, the arguments and both results of the first few.
void compare(const Prototype& prototype, const std::uint64_t* simulated, const std::uint64_t* real) {
  constexpr int shown = 4;
  int differences = 0;
  for (unsigned thread = 0; thread < threads; ++thread, simulated += 4, real += 4) {
    if (simulated[0] == real[0] || differences++ >= shown) continue;
    std::printf("%s of bits", prototype.text().c_str());
    for (std::size_t k = 1; k <= prototype.parameters.size(); ++k)
      std::printf(" %llx", static_cast<unsigned long long>(simulated[k]));
    std::printf(": GPU %llx, simulator %llx\n", static_cast<unsigned long long>(real[0]),
                static_cast<unsigned long long>(simulated[0]));
  }
  EXPECT_EQ(differences, 0) << prototype.text() << " of " << threads << " cases";
}

class CudaNamesOnGpu : public testing::Test {};

TEST_F(CudaNamesOnGpu, GiveTheSameBitsAsOnTheSimulatorWhereTheTableSaysExact) {
  const Status status = cuda_status();
  if (status.devices == 0 || !status.nvrtc_found) GTEST_SKIP() << status.driver_problem;
  std::vector<Prototype> exact;
  for (const Prototype& prototype : cuda_names())
    if (takes_only_numbers(prototype) && numbers_of(names_table(), prototype.name) == "exact")
      exact.push_back(prototype);
  device::CompileCache cache;
  const auto gpu = open_cuda_device(0, cache);
  const auto simulator = simulator::open_simulator(cache);
  constexpr std::size_t at_once = 60;
  for (std::size_t first = 0; first < exact.size(); first += at_once) {
    const std::vector<Prototype> some(
        exact.begin() + static_cast<std::ptrdiff_t>(first),
        exact.begin() + static_cast<std::ptrdiff_t>(std::min(first + at_once, exact.size())));
    const std::string text = kernel_with_results(some);
    const Words simulated = results_on(*simulator, text, some.size());
    const Words real = results_on(*gpu, text, some.size());
    for (std::size_t i = 0; i < some.size(); ++i)
      compare(some[i], &simulated[4 * threads * i], &real[4 * threads * i]);
  }
}

}  // namespace
}  // namespace gpulab::cuda
