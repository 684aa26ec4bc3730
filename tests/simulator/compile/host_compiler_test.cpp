#include "simulator/compile/host_compiler.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "learn/folder_fixture.hpp"

namespace gpulab::simulator::compile {
namespace {

// Stands for a g++ of another version.
std::vector<std::string> command_of_version(const std::filesystem::path& folder, const std::string& version) {
  const std::filesystem::path program = folder / ("g++-" + version);
  std::ofstream(program) << "#!/bin/sh\necho " << version << "\n";
  ::chmod(program.c_str(), 0755);
  ::setenv("GPULAB_CXX", program.c_str(), 1);
  const auto compiler = HostCompiler::find();
  ::unsetenv("GPULAB_CXX");
  return compiler->command("prelude.cuh", "kernel.cu", device::Instrumentation::checked, "kernel.so");
}

class HostCompilerOfVersion : public learn::FolderTest {};

TEST_F(HostCompilerOfVersion, IsNotGivenAnOptionThatItDoesNotHave) {
  const std::string option = "-ftrivial-auto-var-init=pattern";
  const auto eleven = command_of_version(folder, "11"), twelve = command_of_version(folder, "12");
  EXPECT_EQ(std::ranges::count(eleven, option), 0);
  EXPECT_EQ(std::ranges::count(twelve, option), 1);
}

}  // namespace
}  // namespace gpulab::simulator::compile
