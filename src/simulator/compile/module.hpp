#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/symbols.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "source/device_code.hpp"

namespace gpulab::simulator::compile {

class SimulatedKernel : public device::Kernel {
 public:
  device::KernelAttributes attributes() const override;

  std::string name;
  HostCall call = nullptr;
  void* function = nullptr;
  void (*loop)(void* const* arguments) = nullptr;  // as in SimulatedLaunch
  std::vector<std::size_t> argument_sizes;
  schedule::SharedMemory shared;  // without the dynamic bytes, which each launch chooses
  std::size_t constant_bytes = 0;
  device::Instrumentation instrumentation = device::Instrumentation::none;
  bool compares_and_swaps = false;                  // somewhere in the file
  std::vector<schedule::ModuleVariable> variables;  // of the file, in global and in constant memory
  std::vector<std::string> notes;                   // what the compiler suspects of the file
};

struct CompiledFile {
  std::filesystem::path shared_object;
  std::string file;  // that it was made of, as the user knows it
  device::Instrumentation instrumentation = device::Instrumentation::none;
  // What the file declares __global__: a kernel that is static, or in an anonymous namespace, looks like a
  // device function otherwise.
  std::vector<std::string> kernels;
  std::vector<std::string> notes;  // what the compiler suspects of the file
  // With its host's code, too: then only the variables that it says so of are the device's.
  bool is_program = false;
};

// A file without a name, with the content of another one.
class NamelessFile {
 public:
  explicit NamelessFile(const std::filesystem::path& original);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  int descriptor() const { return file_; }
  // For this process, as long as this lives.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

// A kernel file compiled into a shared object and loaded into this process.
class SimulatedModule : public device::Module {
 public:
  // A shared object is loaded once in a process, with one set of variables; each further device has a copy.
  enum class Load { as_it_is, a_copy };
  // Throws CompileError when the shared object breaks a rule that a GPU's compiler enforces.
  explicit SimulatedModule(CompiledFile compiled, Load load = Load::as_it_is);
  ~SimulatedModule() override;
  SimulatedModule(const SimulatedModule&) = delete;
  SimulatedModule& operator=(const SimulatedModule&) = delete;

  std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature& signature) override;
  device::DeviceSymbol symbol(const std::string& name) override;

  // Of a whole program, what runs in its own code at that address: a kernel's body, called with its
  // arguments' bytes. Null where the address is in no function of the file. The symbol is the function's.
  struct Function {
    std::string symbol;
    std::uintptr_t begin = 0;
  };
  std::optional<Function> function_at(std::uintptr_t address) const;
  std::unique_ptr<SimulatedKernel> kernel_of(const Function& function, const std::string& name) const;
  bool contains_code(std::uintptr_t address) const;
  // Calls main() if the file has one, else none.
  using Main = int (*)(int, char**, char**);
  Main main_function() const;
  // The __device__, __constant__ and __managed__ variable that is at that address; none if it is none.
  std::optional<schedule::ModuleVariable> variable_at(std::uintptr_t address) const;
  std::vector<schedule::ModuleVariable> variables() const { return module_variables(); }

 private:
  [[noreturn]] void refuse_to_load(const std::string& why) const;
  schedule::SharedMemory shared_memory_of(const std::string& symbol) const;
  std::vector<schedule::ModuleVariable> module_variables() const;
  void* address_of(const std::string& function) const;
  // What the addresses in its symbols count from.
  std::uintptr_t load_address() const;

  std::string file_;
  device::Instrumentation instrumentation_;
  bool is_program_;
  std::vector<std::string> notes_;
  std::vector<device::ElfSymbol> symbols_;
  std::optional<NamelessFile> copy_;
  watch::KernelCode code_;  // of a program
  void* handle_ = nullptr;
};

// Of any shared object: that it defines functions by which the compiler's hooks call the simulator.
std::optional<source::Refusal> refused_hook(const std::filesystem::path& shared_object);

// Of a kernel file's, before it is loaded: whether it needs functions that a GPU does not have, or would
// run code when it is loaded. The text is that of the kernel file, for the line.
std::optional<source::Refusal> refused_in_object(const std::filesystem::path& shared_object,
                                                 const source::Code& code);

// Whether the simulator, libm or the compiler has the function that a shared object needs.
bool is_provided(const std::string& name);

}  // namespace gpulab::simulator::compile
