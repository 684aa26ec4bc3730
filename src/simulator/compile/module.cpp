#include "simulator/compile/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "base/text.hpp"
#include "device/host.hpp"
#include "device/symbols.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "source/device_code.hpp"

namespace gpulab::simulator::compile {
namespace {

constexpr std::string_view dynamic_shared_symbol = "gpulab_dynamic_shared";

// Returns whether the symbol is a kernel: a function that the file exports, but not the simulator's own.
bool is_kernel(const device::ElfSymbol& symbol) {
  return symbol.kind == device::ElfSymbol::Kind::function && symbol.exported &&
         !symbol.name.starts_with("gpulab_") && !symbol.name.starts_with("_ZZ");  // inside a function
}

// Returns whether the symbol is a function of that name, in any namespace.
bool is_named(const device::ElfSymbol& symbol, const std::string& name) {
  if (symbol.kind != device::ElfSymbol::Kind::function || symbol.name.find(name) == std::string::npos)
    return false;
  std::string whole = device::demangled_name(symbol.name);
  if (whole.find("{lambda") != std::string::npos) return false;  // inside the function
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  if (whole.starts_with(anonymous)) whole.erase(0, anonymous.size());
  const std::string function = whole.substr(0, whole.find_first_of("(<"));
  return function == name || function.ends_with("::" + name) || function.ends_with(" " + name);
}

// Returns whether a variable belongs to a function. The Itanium C++ ABI calls it _ZZ <function> E <variable>.
// In a program it belongs to the function's closure, which is the body: _ZZZ <function> E ...
bool is_variable_of(const std::string& variable, const std::string& function) {
  const std::string name =
      function.starts_with("_Z") ? function.substr(2) : std::to_string(function.size()) + function;
  return variable.starts_with("_ZZ" + name + "E") || variable.starts_with("_ZZZ" + name + "E");
}

std::string without_scopes(const std::string& name) {
  const std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

// Returns "tile" for scale(float*)::tile.
std::string last_name(const std::string& symbol) {
  return without_scopes(device::demangled_name(symbol));
}

// Returns "f" for "f(int)" and for "inner::f".
std::string function_name_in(const std::string& symbol) {
  const std::string name = device::demangled_name(symbol);
  return without_scopes(name.substr(0, name.find('(')));
}

// A __device__ or __constant__ variable template. Compilers put it into no section, so a second variable
// marks it, such as gpulab_template_constant_weights.
struct TemplateVariable {
  std::string name;
  bool is_constant;
};
std::vector<TemplateVariable> template_variables(const std::vector<device::ElfSymbol>& symbols) {
  constexpr std::string_view mark = "gpulab_template_", constant = "constant_", device = "device_";
  std::vector<TemplateVariable> variables;
  for (const device::ElfSymbol& symbol : symbols) {
    if (symbol.name.find(mark) == std::string::npos || symbol.kind != device::ElfSymbol::Kind::object)
      continue;
    std::string name = last_name(symbol.name).substr(mark.size());
    const bool is_constant = name.starts_with(constant);
    variables.push_back({name.substr(is_constant ? constant.size() : device.size()), is_constant});
  }
  return variables;
}

// Returns whether the symbol is in one of the sections that language.cuh defines.
bool is_in_device_section(const device::ElfSymbol& symbol) {
  return symbol.section.starts_with("gpulab_");
}

}  // namespace

device::KernelAttributes SimulatedKernel::attributes() const {
  return {.static_shared_bytes = shared.static_bytes,
          .constant_bytes = constant_bytes,
          .max_threads_per_block = max_threads};
}

NamelessFile::NamelessFile(const std::filesystem::path& original) {
  std::ifstream stream(original, std::ios::binary);
  std::string content(std::filesystem::file_size(original), char{});
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!content.empty()) file_ = anonymous_file("kernel.so", content);
  if (!file_.is_open())
    throw Error(ExitCode::device, "cannot hand over the compiled kernels: is there memory left?");
}

SimulatedModule::SimulatedModule(CompiledFile compiled, Load load)
    : file_(std::move(compiled.file)),
      instrumentation_(compiled.instrumentation),
      is_program_(compiled.is_program),
      scope_(std::move(compiled.scope)),
      notes_(std::move(compiled.notes)),
      symbols_(device::elf_symbols(compiled.shared_object)) {
  if (const std::size_t bytes = device::constant_bytes(symbols_); bytes > device::max_constant_bytes)
    throw CompileError(device::too_much_constant(file_, bytes), "", {.kind = DefectKind::does_not_compile});
  for (device::ElfSymbol& symbol : symbols_)
    if (std::ranges::any_of(compiled.kernels,
                            [&](const std::string& name) { return is_named(symbol, name); }))
      symbol.exported = true;
  if (load == Load::copy) copy_.emplace(compiled.shared_object);
  handle_ = ::dlopen(copy_ ? copy_->path().c_str() : compiled.shared_object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) refuse_to_load(::dlerror());
  if (copy_) watch::set_origin(copy_->path(), compiled.shared_object);
  if (is_program_)
    for (const device::ElfSymbol& symbol : symbols_)
      if (symbol.kind == device::ElfSymbol::Kind::function && symbol.bytes > 0) {
        code_ = watch::code_around(reinterpret_cast<const void*>(load_address() + symbol.value));
        break;
      }
}

void SimulatedModule::refuse_to_load(const std::string& why) const {
  constexpr std::size_t max_plausible_bytes = std::size_t{1} << 30;
  std::size_t bytes = 0;
  for (const device::ElfSymbol& symbol : symbols_)
    if (symbol.kind == device::ElfSymbol::Kind::object) bytes += symbol.bytes;
  if (bytes < max_plausible_bytes)
    throw Error(ExitCode::device, fmt::format("cannot load the compiled {}: {}", file_, why));
  throw CompileError(fmt::format("{}: its variables take {} bytes, which is more than there is memory", file_,
                                 grouped(bytes)),
                     "", {.kind = DefectKind::does_not_compile});
}

SimulatedModule::~SimulatedModule() {
  if (handle_) ::dlclose(handle_);
  if (copy_) watch::set_origin(copy_->path(), "");
}

namespace {

ffi_type* type_called(const std::string& name) {
  if (name.ends_with('*')) return &ffi_type_pointer;
  if (name == name_of(ElementType::float32)) return &ffi_type_float;
  if (name == name_of(ElementType::float64)) return &ffi_type_double;
  if (name == name_of(ElementType::uint8)) return &ffi_type_uint8;
  return name == name_of(ElementType::uint32) ? &ffi_type_uint32 : &ffi_type_sint32;
}

std::shared_ptr<BoundFunction> bind_function(void* function, const Signature& signature) {
  auto bound = std::make_shared<BoundFunction>(BoundFunction{.function = function});
  for (const std::string& name : signature.types) bound->types.push_back(type_called(name));
  const auto count = static_cast<unsigned>(bound->types.size());
  if (ffi_prep_cif(&bound->interface, FFI_DEFAULT_ABI, count, &ffi_type_void, bound->types.data()) != FFI_OK)
    throw std::logic_error("libffi cannot call a kernel" + signature.text());
  return bound;
}

void call_bound(void* bound, void* const* arguments) {
  auto& [function, types, interface] = *static_cast<BoundFunction*>(bound);
  ffi_call(&interface, FFI_FN(function), nullptr, const_cast<void**>(arguments));
}

}  // namespace

std::unique_ptr<device::Kernel> SimulatedModule::kernel(const std::string& name, const Signature& signature) {
  std::vector<device::ElfSymbol> candidates;
  const std::string in_scope = scope_.empty() ? "" : std::to_string(scope_.size()) + scope_;  // as mangled
  for (const device::ElfSymbol& symbol : symbols_)
    if (!symbol.name.starts_with("gpulab_") && symbol.name.find(in_scope) != std::string::npos)
      candidates.push_back(symbol);
  const std::string symbol =
      device::find_kernel_symbol(candidates, file_, name, signature, device::LocalFunctions::are_not_kernels);

  auto kernel = kernel_of({symbol, reinterpret_cast<std::uintptr_t>(address_of(symbol))}, name);
  kernel->call = signature.host_call ? signature.host_call : call_bound;
  if (!signature.host_call) kernel->bound = bind_function(kernel->function, signature);
  kernel->argument_sizes = signature.sizes;
  return kernel;
}

WarpSize SimulatedModule::warp_size() const {
  void* const lanes_function = ::dlsym(handle_, "gpulab_warp_size");  // none in a file of the host alone
  return lanes_function ? WarpSize(reinterpret_cast<unsigned (*)()>(lanes_function)()) : WarpSize();
}

unsigned SimulatedModule::launch_bound_of(const std::string& symbol) const {
  const bool is_mangled = symbol.starts_with("_Z");  // else it is extern "C"
  const std::string function = is_mangled ? symbol.substr(2) : std::to_string(symbol.size()) + symbol;
  const std::string name = "_ZZ" + function + "E19gpulab_launch_bound";
  const auto found = std::ranges::find(symbols_, name, &device::ElfSymbol::name);
  if (found == symbols_.end()) return max_threads_per_block;
  return std::min(*reinterpret_cast<const unsigned*>(load_address() + found->value), max_threads_per_block);
}

std::unique_ptr<SimulatedKernel> SimulatedModule::kernel_of(const Function& function,
                                                            const std::string& name) const {
  auto kernel = std::make_unique<SimulatedKernel>();
  kernel->name = name;
  kernel->function = reinterpret_cast<void*>(function.begin);
  using LoopOf = schedule::ThreadLoop::Function (*)(void* kernel, int* runs_barriers);
  if (void* const loop_of = ::dlsym(handle_, "gpulab_loop_of")) {  // from loops_for()
    int runs_barriers = 0;
    kernel->loop.run = reinterpret_cast<LoopOf>(loop_of)(kernel->function, &runs_barriers);
    kernel->loop.runs_barriers = runs_barriers != 0;
  }
  kernel->warp_size = warp_size();
  kernel->shared = shared_memory_of(function.symbol);
  kernel->constant_bytes = device::constant_bytes(symbols_);
  kernel->max_threads = launch_bound_of(function.symbol);
  kernel->instrumentation = instrumentation_;
  kernel->variables = module_variables();
  kernel->compares_and_swaps = std::ranges::any_of(symbols_, [](const device::ElfSymbol& symbol) {
    return symbol.name.find("gpulab_compare_and_swap") != std::string::npos;  // in the prelude
  });
  kernel->notes = notes_;
  if (const std::size_t bytes = kernel->shared.static_bytes;
      bytes > device::max_static_shared_bytes && !is_program_)
    throw CompileError(device::too_much_static_shared(file_, name, bytes), "",
                       {.kind = DefectKind::does_not_compile});
  return kernel;
}

std::optional<SimulatedModule::Function> SimulatedModule::function_at(std::uintptr_t address) const {
  const std::uintptr_t offset = address - load_address();
  for (const device::ElfSymbol& symbol : symbols_)
    if (symbol.kind == device::ElfSymbol::Kind::function && offset - symbol.value < symbol.bytes)
      return Function{symbol.name.substr(0, symbol.name.find('.')),  // "_Z4copyPf.localalias"
                      load_address() + symbol.value};
  return std::nullopt;
}

bool SimulatedModule::contains_code(std::uintptr_t address) const {
  return code_.contains(address);
}

SimulatedModule::Main SimulatedModule::main_function() const {
  for (const device::ElfSymbol& symbol : symbols_)
    if (symbol.name == "main" && symbol.kind == device::ElfSymbol::Kind::function)
      return reinterpret_cast<Main>(load_address() + symbol.value);
  return nullptr;
}

std::optional<schedule::ModuleVariable> SimulatedModule::variable_at(std::uintptr_t address) const {
  for (const schedule::ModuleVariable& variable : module_variables())
    if (variable.range.contains(address)) return variable;
  return std::nullopt;
}

device::DeviceSymbol SimulatedModule::symbol(const std::string& name) {
  const device::ElfSymbol variable =
      device::find_variable(symbols_, file_, scope_.empty() ? name : scope_ + "::" + name);
  // The compiler may already have replaced a variable by its value if it is const, or static and never
  // written in the file.
  if (!variable.writable)
    throw device::DeviceError(
        "cuModuleGetGlobal", "CUDA_ERROR_NOT_FOUND",
        fmt::format("{}: {} cannot be copied to: it is const, or static and never written", file_, name));
  // dlsym does not find static or __device__ variables.
  return {.address = load_address() + variable.value, .bytes = variable.bytes};
}

std::vector<device::DeviceSymbol> SimulatedModule::writable_variables() {
  std::vector<device::DeviceSymbol> variables;
  for (const device::ElfSymbol& variable : device::writable_variables(symbols_))
    variables.push_back({.address = load_address() + variable.value, .bytes = variable.bytes});
  return variables;
}

std::vector<schedule::ModuleVariable> SimulatedModule::module_variables() const {
  std::vector<schedule::ModuleVariable> variables;
  for (const device::ElfSymbol& symbol : symbols_)
    if (symbol.kind == device::ElfSymbol::Kind::object && symbol.bytes > 0 &&
        (is_program_ ? is_in_device_section(symbol) : symbol.writable))
      variables.push_back({.name = last_name(symbol.name),
                           .range = {load_address() + symbol.value, symbol.bytes},
                           .is_constant = symbol.section.starts_with("gpulab_constant."),
                           .is_managed = symbol.section.starts_with("gpulab_managed.")});
  if (!is_program_) return variables;
  for (const auto& [name, is_constant] : template_variables(symbols_))
    for (const device::ElfSymbol& symbol : symbols_)
      if (symbol.kind == device::ElfSymbol::Kind::object && symbol.bytes > 0 &&
          last_name(symbol.name).starts_with(name + "<"))
        variables.push_back({.name = last_name(symbol.name),
                             .range = {load_address() + symbol.value, symbol.bytes},
                             .is_constant = is_constant});
  return variables;
}

std::vector<watch::AddressRange> SimulatedModule::virtual_tables() const {
  std::vector<watch::AddressRange> tables;
  for (const device::ElfSymbol& symbol : symbols_)
    if (symbol.kind == device::ElfSymbol::Kind::object && symbol.name.starts_with("_ZTV"))
      tables.push_back({load_address() + symbol.value, symbol.bytes});
  return tables;
}

// Returns the address of a function. dlsym does not find static ones.
void* SimulatedModule::address_of(const std::string& function) const {
  for (const device::ElfSymbol& symbol : symbols_)
    if (symbol.name == function && symbol.kind == device::ElfSymbol::Kind::function)
      return reinterpret_cast<void*>(load_address() + symbol.value);
  throw std::logic_error(function + " was found but has no address");
}

std::uintptr_t SimulatedModule::load_address() const {
  const link_map* loaded = nullptr;
  ::dlinfo(handle_, RTLD_DI_LINKMAP, &loaded);
  return loaded->l_addr;
}

schedule::SharedMemory SimulatedModule::shared_memory_of(const std::string& function) const {
  const std::string block_function = "gpulab_block_" + function_name_in(function);
  const std::string in_block_function = std::to_string(block_function.size()) + block_function;
  const auto belongs_to_another_kernel = [&](const std::string& variable) {
    if (variable.find("gpulab_block_") != std::string::npos)
      return variable.find(in_block_function) == std::string::npos;
    return std::ranges::any_of(symbols_, [&](const device::ElfSymbol& symbol) {
      return is_kernel(symbol) && symbol.name != function && is_variable_of(variable, symbol.name);
    });
  };
  schedule::SharedMemory shared;
  shared.dynamic_address = reinterpret_cast<char* (*)()>(::dlsym(handle_, "gpulab_dynamic_shared_address"));
  for (const device::ElfSymbol& symbol : symbols_) {
    if (symbol.kind != device::ElfSymbol::Kind::thread_local_object) continue;
    shared.module_bytes = std::max(shared.module_bytes, symbol.value + symbol.bytes);
    if (symbol.name == dynamic_shared_symbol) {
      shared.dynamic_offset = symbol.value;
      shared.module_bytes = std::max(shared.module_bytes, symbol.value + schedule::largest_shared_bytes);
    }
    // The labels of extern __shared__ arrays have no size of their own.
    if (symbol.bytes == 0 && symbol.name != dynamic_shared_symbol) shared.has_dynamic = true;
    if (symbol.name.find("gpulab_kept_") != std::string::npos) continue;
    const bool is_guard = symbol.name.starts_with("_ZGV");
    if (is_variable_of(symbol.name, function)) shared.static_bytes += symbol.bytes;
    if (symbol.bytes > 0 && !belongs_to_another_kernel(symbol.name))
      shared.statics.push_back({symbol.value, symbol.bytes, last_name(symbol.name), is_guard});
  }
  return shared;
}

namespace {

// Returns whether the library itself defines the function, rather than one of its dependencies.
bool defines(const char* library, const std::string& name) {
  void* const handle = ::dlopen(library, RTLD_LAZY);
  void* const function = handle ? ::dlsym(handle, name.c_str()) : nullptr;
  Dl_info info{};
  return function && ::dladdr(function, &info) &&
         std::string_view(info.dli_fname).ends_with(std::string("/") + library);
}

// Returns whether this is a function that compilers call instead of an instruction: "__popcountdi2",
// "__mulsc3".
bool is_compiler_arithmetic(const std::string& name) {
  const bool has_such_name =
      name.starts_with("__") && (name.ends_with("2") || name.ends_with("3") || name.ends_with("4"));
  return has_such_name && defines("libgcc_s.so.1", name);
}

// Clang refers to the constructor of a shared array, to call it if there is one; there never is.
constexpr std::string_view thread_local_constructor = "_ZTH";

}  // namespace

bool is_provided(const std::string& name) {
  // These functions of libm access memory unseen by hooks, or change the floating-point environment.
  if (begins_with_one_of(name, {"canonicalize", "getpayload", "setpayload", "totalorder", "lgamma_r",
                                "lgammaf_r", "lgammal_r", "fe"}))
    return false;
  // The simulator's own symbols, and functions that compilers call on their own.
  return begins_with_one_of(name, {"gpulab_", "__tsan_", "__ubsan_handle_", thread_local_constructor}) ||
         is_one_of(name, {"threadIdx", "blockIdx", "blockDim", "gridDim", "memcpy", "memmove", "memset",
                          "memcmp", "__wrap_memcpy", "__wrap_memmove", "__wrap_memset", "__tls_get_addr",
                          "__cxa_pure_virtual", "_GLOBAL_OFFSET_TABLE_"}) ||
         defines("libm.so.6", name) || is_compiler_arithmetic(name);
}

namespace {

bool is_called(const std::string& name, const source::Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == name && code.text(i + 1) == "(") return true;
  return false;
}

int line_with(const std::string& word, const source::Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == word) return code[i].line;
  return 0;
}

}  // namespace

std::optional<source::Refusal> refused_hook(const std::filesystem::path& shared_object) {
  for (const device::ElfSymbol& symbol : device::elf_symbols(shared_object))
    if (begins_with_one_of(symbol.name, {"__tsan_", "__ubsan_", "__asan_", "__sanitizer_"}))
      return source::Refusal{0, source::reason_to_refuse(symbol.name)};
  return std::nullopt;
}

std::optional<source::Refusal> refused_in_object(const std::filesystem::path& shared_object,
                                                 const source::Code& code) {
  if (auto refusal = refused_hook(shared_object)) return refusal;
  const device::ElfNeeds needs = device::elf_needs(shared_object);
  // A hooked shared object has a constructor that the compiler adds, which calls __tsan_init.
  const std::size_t compilers_constructors = std::ranges::count(needs.symbols, "__tsan_init");
  if (needs.run_when_loaded > compilers_constructors)
    return source::Refusal{
        0,
        "a variable's first value is computed when the program starts, which a GPU does not do: give it a constant, or compute it in the kernel"};
  for (const std::string& symbol : needs.symbols) {
    if (is_provided(symbol)) continue;
    const std::string name = function_name_in(symbol);
    if (name.starts_with("__cxa_guard"))
      return source::Refusal{line_with("static", code),
                             "a static variable in a function needs a constant as its first value"};
    const int line = line_with(name, code);
    const auto is_extern = [&](const source::CodeToken& token) {
      return token.line == line && token.text == "extern";
    };
    if (std::ranges::any_of(code.tokens(), is_extern) && !is_called(name, code))
      return source::Refusal{
          line,
          name + " is extern, but nothing defines it: shared memory of the launch is extern __shared__"};
    return source::Refusal{line,
                           name + "() is not a function that a GPU has, and it is not defined in the file"};
  }
  return std::nullopt;
}

}  // namespace gpulab::simulator::compile
