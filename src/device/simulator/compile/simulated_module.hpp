#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/elf_symbols.hpp"
#include "device/simulator/schedule/simulated_launch.hpp"

namespace gpulab {

class SimulatedKernel : public Kernel {
 public:
  KernelAttributes attributes() const override;

  HostCall call = nullptr;
  void* function = nullptr;
  std::vector<std::size_t> argument_sizes;
  SharedMemory shared;  // without the dynamic bytes, which each launch chooses
  std::size_t constant_bytes = 0;
  Schedule schedule = Schedule::forward;
  std::vector<ModuleVariable> variables;  // of the file, in global and in constant memory
};

// A kernel file compiled into a shared object and loaded into this process.
class SimulatedModule : public Module {
 public:
  // Throws CompileError when the shared object breaks a rule that a GPU's compiler enforces.
  SimulatedModule(const std::filesystem::path& shared_object, std::string file, Schedule schedule);
  ~SimulatedModule() override;
  SimulatedModule(const SimulatedModule&) = delete;
  SimulatedModule& operator=(const SimulatedModule&) = delete;

  std::unique_ptr<Kernel> kernel(const std::string& name, const Signature& signature) override;
  DeviceSymbol symbol(const std::string& name) override;

 private:
  SharedMemory shared_memory_of(const std::string& symbol) const;
  std::vector<ModuleVariable> module_variables() const;
  // What the addresses in its symbols count from.
  std::uintptr_t load_address() const;

  std::string file_;
  Schedule schedule_;
  std::vector<ElfSymbol> symbols_;
  void* handle_ = nullptr;
};

}  // namespace gpulab
