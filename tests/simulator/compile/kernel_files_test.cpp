#include "kernels/kernel_files.hpp"

#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::compile {
namespace {

class KernelFileForSimulator : public testing::TestWithParam<std::tuple<KernelFileCase, std::string>> {};

TEST_P(KernelFileForSimulator, CompilesUnlessALessonSaysItDoesNot) {
  const auto& [file, compiler] = GetParam();
  if (file.needs) GTEST_SKIP() << "for " << file.needs->text();
  device::Device* device = simulator_with(compiler);
  if (!device) GTEST_SKIP() << compiler << " is not installed";
  for (const device::Schedule schedule : {device::Schedule::forward, device::Schedule::preemptive}) {
    if (file.must_compile) {
      EXPECT_NO_THROW(device->compile(file.source, {.schedule = schedule}));
    } else {
      EXPECT_THROW(device->compile(file.source, {.schedule = schedule}), CompileError);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KernelFileForSimulator,
                         testing::Combine(testing::ValuesIn(all_kernel_files()),
                                          testing::Values("g++", "clang++")),
                         [](const auto& instance) {
                           const std::string compiler = std::get<1>(instance.param);
                           return test_name(std::get<0>(instance.param).source) + "_" +
                                  compiler.substr(0, compiler.find('+'));
                         });

}  // namespace
}  // namespace gpulab::simulator::compile
