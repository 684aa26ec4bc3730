#include "simulator/compile/compiler.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "base/text.hpp"
#include "device/device.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::simulator::compile {
namespace fs = std::filesystem;

namespace {

// Returns whether it is a program; a folder has the same permission.
bool is_program(const fs::path& file) {
  std::error_code failed;
  return fs::is_regular_file(file, failed) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) return fs::absolute(name);  // absolute, since it runs in another folder
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

std::optional<HostCompiler> HostCompiler::find() {
  if (const char* wanted = std::getenv("GPULAB_CXX"); wanted && *wanted) {
    if (const auto path = find_program(wanted)) return HostCompiler(*path);
    return std::nullopt;
  }
  for (const char* name : {"g++", "clang++", "c++"})
    if (const auto path = find_program(name)) return HostCompiler(*path);
  return std::nullopt;
}

HostCompiler HostCompiler::find_or_error() {
  if (auto compiler = find()) return *compiler;
  const char* wanted = std::getenv("GPULAB_CXX");
  throw device::DeviceError(
      "compiling for the simulator", "CUDA_ERROR_NOT_FOUND",
      wanted && *wanted
          ? std::string("GPULAB_CXX names ") + wanted + ", which is not a program"
          : "there is no C++ compiler in PATH; install one (apt-get install g++) or name one in GPULAB_CXX");
}

HostCompiler::HostCompiler(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const fs::path real = fs::canonical(path_, ignored);
  is_clang_ = real.filename().string().find("clang") != std::string::npos;
  identity_ = fmt::format("{} {} {}", real.string(), fs::file_size(real, ignored),
                          fs::last_write_time(real, ignored).time_since_epoch().count());
}

// Options for macros that would reveal how, when or with which instrumentation a file is compiled: the macros
// are undefined, or the same in all modes.
constexpr const char* fixed_macros[] = {"-U__OPTIMIZE__",
                                        "-U__OPTIMIZE_SIZE__",
                                        "-U__NO_INLINE__",
                                        "-U__SANITIZE_THREAD__",
                                        "-U__SANITIZE_ADDRESS__",
                                        "-U_FORTIFY_SOURCE",
                                        "-U__SSP__",
                                        "-U__SSP_STRONG__",
                                        "-Wno-builtin-macro-redefined",
                                        "-D__TIME__=\"00:00:00\"",
                                        "-D__DATE__=\"Jan  1 2000\"",
                                        "-D__TIMESTAMP__=\"Sat Jan  1 00:00:00 2000\""};

std::vector<std::string> HostCompiler::preprocess_command(const std::string& prelude,
                                                          const std::string& source) const {
  std::vector<std::string> options{path_.string(), "-std=c++17", "-E",          "-w",
                                   "-x",           "c++",        "-fPIC",       "-fno-exceptions",
                                   "-fno-rtti",    "-nostdinc",  "-nostdinc++", "-fdiagnostics-color=never"};
  options.insert(options.end(), std::begin(fixed_macros), std::end(fixed_macros));
  options.insert(options.end(), {"-I", headers_folder, "-include", prelude, source});
  return options;
}

std::vector<std::string> HostCompiler::device_code_options() const {
  std::vector<std::string> options {
    path_.string(), "-std=c++17", "-O3", "-fPIC", "-shared", "-x", "c++", "-I", headers_folder,
        // addr2line 2.40 confuses the lines of an included file with those of the source file in DWARF 5.
        "-gdwarf-4", "-g1",
        // CUDA code reads float4s out of float arrays and lets integers wrap; NVRTC allows both.
        "-fno-strict-aliasing", "-fwrapv",
        // An infinite loop is the learner's mistake to find, so the compiler must not remove it.
        "-fno-finite-loops",
        // After a few errors the rest are consequences.
        is_clang_ ? "-ferror-limit=5" : "-fmax-errors=5",
        // Only the kernels are exported.
        "-fvisibility=hidden",
        // Calls of printf must stay calls of the simulator's.
        "-fno-builtin-printf",
        // Touches a large stack frame page by page, so that an overflow meets the guard page, and not the
        // memory behind it.
        "-fstack-clash-protection",
        // Some compilers protect stack frames by default, with a function that ends the process.
        "-fno-stack-protector",
        // Calls of the simulator, and of the function that finds shared memory, are direct.
        "-fno-plt",
#if defined(__x86_64__)
        // A context switch pushes the resume address onto the stack.
        "-mno-red-zone",
#endif
        "-Wno-unknown-pragmas", "-Wno-attributes", "-fdiagnostics-color=never"
  };
  // The assembler defines extern __shared__ arrays, so the compiler need not look for a constructor.
  if (!is_clang_) options.insert(options.end(), {"-fno-semantic-interposition", "-fno-extern-tls-init"});
  options.insert(options.end(), std::begin(fixed_macros), std::end(fixed_macros));
  return options;
}

void HostCompiler::add_hooks(device::Instrumentation instrumentation,
                             std::vector<std::string>& options) const {
  // In a kernel that is not checked, an index outside an array of known size traps, so the kernel ends at
  // that line. A checked kernel reports the index instead, by an option in hook_options().
  if (instrumentation != device::Instrumentation::checked)
    options.insert(options.end(), {"-fsanitize=bounds", is_clang_ ? "-fsanitize-trap=bounds"
                                                                  : "-fsanitize-undefined-trap-on-error"});
  if (instrumentation == device::Instrumentation::none) return;
  const std::vector<std::string> more = hook_options(instrumentation);
  options.insert(options.end(), more.begin(), more.end());
}

std::vector<std::string> HostCompiler::command(const std::string& prelude, const std::string& source,
                                               device::Instrumentation instrumentation,
                                               const std::string& output) const {
  std::vector<std::string> options = device_code_options();
  options.insert(options.end(), {"-include", prelude,
                                 // Only gpulab's own headers are found.
                                 "-nostdinc", "-nostdinc++",
                                 // Device code has neither exceptions nor run-time type information.
                                 "-fno-exceptions", "-fno-rtti",
                                 // CUDA has no variable-length arrays.
                                 "-Werror=vla",
                                 // The simulator provides the functions that kernels call; only the C library
                                 // is needed besides.
                                 "-nostartfiles", "-nodefaultlibs"});
  add_hooks(instrumentation, options);
  // A read of a variable that is certainly unset is an error; of one that is possibly unset, a note.
  if (instrumentation == device::Instrumentation::checked)
    options.insert(options.end(), {"-Werror=uninitialized", is_clang_ ? "-Wno-error=sometimes-uninitialized"
                                                                      : "-Wno-error=maybe-uninitialized"});
  options.insert(options.end(), {source, "-o", output, "-lm", "-lc"});
  return options;
}

std::vector<std::string> HostCompiler::options_for_loops() const {
  std::vector<std::string> options{"-DGPULAB_LOOPS"};
  // The other optimisations of -O3 take long for nested loops, and gain nothing for the course's kernels.
  if (!is_clang_) options.insert(options.end(), {"-O2", "-fpeel-loops", "-finline-functions"});
  return options;
}

// Functions of the C library that behave differently in kernels. The simulator provides them: in a kernel the
// device's version, else the library's.
constexpr const char* wrapped_functions[] = {"printf",
                                             "malloc",
                                             "calloc",
                                             "realloc",
                                             "free",
                                             "memcpy",
                                             "memmove",
                                             "memset",
                                             "memcmp",
                                             "fwrite",
                                             "fread",
                                             "_ZNSo5writeEPKcl",
                                             "clock",
                                             "__assert_fail",
                                             "clock_gettime",
                                             "gettimeofday",
                                             "_ZNSt6chrono3_V212steady_clock3nowEv",
                                             "_ZNSt6chrono3_V212system_clock3nowEv",
                                             "_Znwm",
                                             "_Znam",
                                             "_ZdlPv",
                                             "_ZdaPv",
                                             "_ZdlPvm",
                                             "_ZdaPvm"};

std::vector<std::string> HostCompiler::program_command(const std::vector<std::string>& sources,
                                                       device::Instrumentation instrumentation,
                                                       const std::string& output, bool uses_openmp) const {
  std::vector<std::string> options = device_code_options();
  // Warnings about unset variables are notes of the report; no others are read.
  options.insert(options.end(),
                 {instrumentation == device::Instrumentation::checked ? "-Wuninitialized" : "-w", "-Wvla",
                  "-pthread", "-DGPULAB_PROGRAM"});
  if (uses_openmp) options.emplace_back("-fopenmp");
  // A wrong index in the host's code must not trap, so a plain program has no bounds checks.
  if (instrumentation != device::Instrumentation::none) {
    add_hooks(instrumentation, options);
    options.insert(options.end(), {"-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset",
                                   "-fno-builtin-memcmp"});
  }
  for (const char* function : wrapped_functions) options.push_back(std::string("-Wl,--wrap=") + function);
  options.insert(options.end(), sources.begin(), sources.end());
  // The simulator is the run-time library of the hooks.
  options.insert(options.end(),
                 {"-o", output, "-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"});
  if (uses_openmp) options.emplace_back(is_clang_ ? "-lomp" : "-lgomp");
  return options;
}

std::string HostCompiler::version() const {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(identity_);
  if (is_new) {
    // GCC's -dumpversion may be its major version alone.
    const char* const option = is_clang_ ? "-dumpversion" : "-dumpfullversion";
    const auto result = sandbox::run_command({path_.string(), option}, "/");
    if (result.exit_status == 0) entry->second = trimmed(result.output);
  }
  return entry->second;
}

std::string HostCompiler::name_and_version() const {
  return trimmed((is_clang_ ? "clang++ " : "g++ ") + version());
}

// GCC has had the option since version 12.
bool HostCompiler::can_fill_variables() const {
  if (is_clang_) return true;
  const int number = std::atoi(version().c_str());
  return number == 0 || number >= 12;
}

// Returns the options for hooks at accesses. Optimisers merge accesses, so counted and checked kernels are
// compiled at the lowest level, where a kernel makes the accesses that matter, at their own lines.
std::vector<std::string> HostCompiler::hook_options(device::Instrumentation instrumentation) const {
  std::vector<std::string> options{"-DGPULAB_HOOKED", "-fsanitize=thread"};
  // GCC inlines the copying of structures only if it optimises, so its lowest level is -Og. Clang passes a
  // structure by value without a copy if it optimises, so its lowest level is -O0.
  const char* const lowest_level = is_clang_ ? "-O0" : "-Og";
  options.emplace_back(instrumentation == device::Instrumentation::interrupted ? "-O2" : lowest_level);
  // These checks call the simulator, which explains the mistake; the rest of Clang's "bounds" can only trap.
  if (instrumentation == device::Instrumentation::checked)
    options.insert(options.end(),
                   {is_clang_ ? "-fsanitize=array-bounds,alignment,integer-divide-by-zero,return"
                              : "-fsanitize=bounds,alignment,integer-divide-by-zero,return",
                    "-fno-optimize-sibling-calls"});
  // An unset variable holds garbage on a GPU; here it could be 0 by chance.
  if (instrumentation == device::Instrumentation::checked && can_fill_variables())
    options.emplace_back("-ftrivial-auto-var-init=pattern");
  if (!is_clang_) {
    // GCC hooks assignments. It does not hook the reads for an argument of class type that is passed by
    // value, unless the option below makes it copy the argument first, in the line that passes it.
    options.insert(options.end(),
                   {"--param", "tsan-instrument-func-entry-exit=0", "-Wno-tsan", "-fno-elide-constructors"});
    // If only some paths set a variable, these passes assume its value on all paths, and hide that it is
    // unset.
    if (instrumentation == device::Instrumentation::checked)
      options.insert(options.end(),
                     {"-fno-tree-ccp", "-fno-tree-fre", "--param", "tsan-distinguish-volatile=1"});
    // Without optimisation, GCC would read an index from memory a second time to check it.
    if (instrumentation == device::Instrumentation::counted)
      options.insert(options.end(), {"-fno-sanitize=bounds", "-fno-tree-ccp", "-fno-tree-fre",
                                     "-fno-tree-dce", "-fno-tree-copy-prop"});
    return options;
  }
  for (const char* option : {"-tsan-instrument-func-entry-exit=0", "-tsan-instrument-atomics=0",
                             "-tsan-instrument-read-before-write=1"})
    options.insert(options.end(), {"-mllvm", option});
  if (instrumentation == device::Instrumentation::checked)
    for (const char* option :
         {"-sink-common-insts=false", "-hoist-common-insts=false", "-tsan-distinguish-volatile=1"})
      options.insert(options.end(), {"-mllvm", option});
  // Before version 15, Clang copies and clears structures by plain calls of these.
  options.insert(options.end(), {"-fno-sanitize-link-runtime", "-Wl,--wrap=memcpy", "-Wl,--wrap=memmove",
                                 "-Wl,--wrap=memset"});
  return options;
}

}  // namespace gpulab::simulator::compile
