#include "simulator/compile/compiler.hpp"

#include <sys/stat.h>

#include "base/text.hpp"
#include "check/folder_fixture.hpp"
#include "sandbox/sandbox.hpp"
#include "test.hpp"

namespace gpulab::simulator::compile {
namespace {

// Returns the command for a g++ of this version, which is a script here.
std::vector<std::string> command_of_version(const std::filesystem::path& folder, const std::string& version) {
  const std::filesystem::path program = folder / ("g++-" + version);
  std::ofstream(program) << "#!/bin/sh\necho " << version << "\n";
  ::chmod(program.c_str(), 0755);
  ::setenv("GPULAB_CXX", program.c_str(), 1);
  const auto compiler = HostCompiler::find();
  ::unsetenv("GPULAB_CXX");
  return compiler->command("prelude.cuh", "kernel.cu", device::Instrumentation::checked, "kernel.so");
}

class HostCompilerOfVersion : public check::FolderTest {};

TEST_F(HostCompilerOfVersion, IsNotGivenAnOptionThatItDoesNotHave) {
  const std::string option = "-ftrivial-auto-var-init=pattern";
  const auto eleven = command_of_version(folder, "11"), twelve = command_of_version(folder, "12");
  EXPECT_EQ(std::ranges::count(eleven, option), 0);
  EXPECT_EQ(std::ranges::count(twelve, option), 1);
}

TEST_F(HostCompilerOfVersion, TellsItsNameAndVersion) {
  command_of_version(folder, "12.3.1");
  ::setenv("GPULAB_CXX", (folder / "g++-12.3.1").c_str(), 1);
  EXPECT_EQ(HostCompiler::find()->name_and_version(), "g++ 12.3.1");
  ::unsetenv("GPULAB_CXX");
}

TEST_F(HostCompilerOfVersion, IsNoFolder) {
  ::setenv("GPULAB_CXX", folder.c_str(), 1);
  EXPECT_TRUE(contains(message_thrown<Error>([] { HostCompiler::find_or_error(); }, "it was found"),
                       "GPULAB_CXX names " + folder.string() + ", which is not a program"));
  ::unsetenv("GPULAB_CXX");
}

// Returns the macros that a compiler's command defines before the first line, without the simulator's own
// names, which no file may use.
std::set<std::string> macros_of(std::vector<std::string> command, const std::string& source) {
  const auto at = std::ranges::find(command, source);
  command.erase(at, command.end());
  command.insert(command.end(), {"-w", "-dM", "-E", "/dev/null"});
  if (const auto prelude = std::ranges::find(command, "-include"); prelude != command.end())
    command.erase(prelude, prelude + 2);
  std::set<std::string> macros;
  for (const std::string& line : lines_of(sandbox::run_command(command, "/tmp").output))
    if (line.find("GPULAB_") == std::string::npos) macros.insert(line);
  return macros;
}

TEST(HostCompiler, DefinesTheSameMacrosInEveryMode) {
  for (const char* name : {"g++", "clang++"}) {
    ::setenv("GPULAB_CXX", name, 1);
    const auto compiler = HostCompiler::find();
    ::unsetenv("GPULAB_CXX");
    if (!compiler) continue;
    using device::Instrumentation;
    const auto kernels = macros_of(compiler->command("p", "k.cu", Instrumentation::none, "k.so"), "k.cu");
    const auto program = macros_of(
        compiler->program_command({"k.cu"}, Instrumentation::none, "k.so", /*uses_openmp=*/false), "k.cu");
    EXPECT_GT(kernels.size(), 100u) << name;
    EXPECT_FALSE(kernels.contains("#define __OPTIMIZE__ 1"));
    for (const auto mode :
         {Instrumentation::interrupted, Instrumentation::counted, Instrumentation::checked}) {
      EXPECT_EQ(macros_of(compiler->command("p", "k.cu", mode, "k.so"), "k.cu"), kernels) << name;
      EXPECT_EQ(macros_of(compiler->program_command({"k.cu"}, mode, "k.so", /*uses_openmp=*/false), "k.cu"),
                program)
          << name;
    }
  }
}

}  // namespace
}  // namespace gpulab::simulator::compile
