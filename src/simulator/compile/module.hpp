#pragma once

#include <ffi.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "device/device.hpp"
#include "device/symbols.hpp"
#include "simulator/schedule/launch.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "source/device_code.hpp"

namespace gpulab::simulator::compile {

// A kernel's function and its parameters' types, with which libffi calls it.
struct BoundFunction {
  void* function;
  std::vector<ffi_type*> types;
  ffi_cif interface;
};

class SimulatedKernel : public device::Kernel {
 public:
  device::KernelAttributes attributes() const override;

  std::string name;
  HostCall call = nullptr;
  void* function = nullptr;
  std::shared_ptr<BoundFunction> bound;  // null if the signature has a host call
  schedule::ThreadLoop loop;
  std::vector<std::size_t> argument_sizes;
  WarpSize warp_size;
  schedule::SharedMemory shared;  // without the dynamic bytes, which each launch chooses
  std::size_t constant_bytes = 0;
  unsigned max_threads = max_threads_per_block;  // by its launch bounds, if a program states them
  device::Instrumentation instrumentation = device::Instrumentation::none;
  bool compares_and_swaps = false;                  // any function of the file does
  std::vector<schedule::ModuleVariable> variables;  // of the file: __device__ and __constant__
  std::vector<std::string> notes;                   // the compiler's warnings
};

struct CompiledFile {
  std::filesystem::path shared_object;
  std::string file;  // its source, by the user's name
  device::Instrumentation instrumentation = device::Instrumentation::none;
  // The functions that the file declares __global__. Without this list, a kernel that is static, or in an
  // anonymous namespace, would look like a device function.
  std::vector<std::string> kernels;
  std::vector<std::string> notes;  // the compiler's warnings
  std::string scope = {};          // as in KernelSource
  // Whether the file includes host code. Then only marked variables are the device's.
  bool is_program = false;
};

// A copy of a file. The copy has no name in the file system.
class NamelessFile {
 public:
  explicit NamelessFile(const std::filesystem::path& original);

  int descriptor() const { return file_.number(); }
  // A path that is valid in this process while the object lives.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.number()); }

 private:
  Descriptor file_;
};

// A kernel file compiled into a shared object and loaded into this process.
class SimulatedModule : public device::Module {
 public:
  // A process loads a shared object once, with one set of variables, so each further device loads a copy.
  enum class Load { original, copy };
  // Throws CompileError when the shared object breaks a rule that a GPU's compiler enforces.
  explicit SimulatedModule(CompiledFile compiled, Load load = Load::original);
  ~SimulatedModule() override;
  SimulatedModule(const SimulatedModule&) = delete;
  SimulatedModule& operator=(const SimulatedModule&) = delete;

  std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature& signature) override;
  device::DeviceSymbol symbol(const std::string& name) override;
  std::vector<device::DeviceSymbol> writable_variables() override;

  // A function of a whole program, such as the function into which a kernel's body was rewritten.
  struct Function {
    std::string symbol;
    std::uintptr_t begin = 0;
  };
  // Returns the function that contains the address; none if no function of the file does.
  std::optional<Function> function_at(std::uintptr_t address) const;
  std::unique_ptr<SimulatedKernel> kernel_of(const Function& function, const std::string& name) const;
  bool contains_code(std::uintptr_t address) const;
  // Returns the file's main(); null if it has none.
  using Main = int (*)(int, char**, char**);
  Main main_function() const;
  // Returns the __device__, __constant__ or __managed__ variable at that address, or none.
  std::optional<schedule::ModuleVariable> variable_at(std::uintptr_t address) const;
  std::vector<schedule::ModuleVariable> variables() const { return module_variables(); }
  // Returns the tables of virtual functions of the file's classes.
  std::vector<watch::AddressRange> virtual_tables() const;
  // Returns the warp size that the file was compiled for.
  WarpSize warp_size() const;

 private:
  [[noreturn]] void refuse_to_load(const std::string& why) const;
  // Returns the launch bound that a program's kernel states in its body (source::rewritten), or the device's.
  unsigned launch_bound_of(const std::string& symbol) const;
  schedule::SharedMemory shared_memory_of(const std::string& symbol) const;
  std::vector<schedule::ModuleVariable> module_variables() const;
  void* address_of(const std::string& function) const;
  // Returns the address to which the symbols' values are relative.
  std::uintptr_t load_address() const;

  std::string file_;
  device::Instrumentation instrumentation_;
  bool is_program_;
  std::string scope_;
  std::vector<std::string> notes_;
  std::vector<device::ElfSymbol> symbols_;
  std::optional<NamelessFile> copy_;
  watch::KernelCode code_;  // of a program only
  void* handle_ = nullptr;
};

// Refuses a shared object that defines functions by which the compiler's hooks call the simulator.
std::optional<source::Refusal> refused_hook(const std::filesystem::path& shared_object);

// Refuses a kernel file's shared object, before it is loaded, if it needs functions that a GPU does not have,
// or would run code while it is loaded. `code` is the text of the kernel file, to find the line.
std::optional<source::Refusal> refused_in_object(const std::filesystem::path& shared_object,
                                                 const source::Code& code);

// Returns whether the simulator, libm or the compiler provides the function.
bool is_provided(const std::string& name);

}  // namespace gpulab::simulator::compile
