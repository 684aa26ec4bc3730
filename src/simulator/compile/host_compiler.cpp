#include "simulator/compile/compiler.hpp"

#include <unistd.h>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "device/device.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::simulator::compile {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return fs::absolute(name);  // it is run in another folder
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace

std::optional<HostCompiler> HostCompiler::find() {
  if (const char* wanted = std::getenv("GPULAB_CXX"); wanted && *wanted) {
    if (const auto path = in_path(wanted)) return HostCompiler(*path);
    return std::nullopt;
  }
  for (const char* name : {"g++", "clang++", "c++"})
    if (const auto path = in_path(name)) return HostCompiler(*path);
  return std::nullopt;
}

HostCompiler HostCompiler::find_or_error() {
  if (auto compiler = find()) return *compiler;
  const char* wanted = std::getenv("GPULAB_CXX");
  throw device::DeviceError(
      "compiling for the simulator", "CUDA_ERROR_NOT_FOUND",
      wanted && *wanted
          ? std::string("GPULAB_CXX names ") + wanted + ", which is no program"
          : "there is no C++ compiler in PATH; install one (apt-get install g++) or name one in GPULAB_CXX");
}

HostCompiler::HostCompiler(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const fs::path real = fs::canonical(path_, ignored);
  is_clang_ = real.filename().string().find("clang") != std::string::npos;
  identity_ = real.string() + " " + std::to_string(fs::file_size(real, ignored)) + " " +
              std::to_string(fs::last_write_time(real, ignored).time_since_epoch().count());
}

// Names by which a file could tell how, when or with what watching it is compiled: each is the same in all
// modes.
constexpr const char* the_same_in_all_modes[] = {"-U__OPTIMIZE__",
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
  std::vector<std::string> words{path_.string(), "-std=c++17", "-E",          "-w",
                                 "-x",           "c++",        "-fPIC",       "-fno-exceptions",
                                 "-fno-rtti",    "-nostdinc",  "-nostdinc++", "-fdiagnostics-color=never"};
  words.insert(words.end(), std::begin(the_same_in_all_modes), std::end(the_same_in_all_modes));
  words.insert(words.end(), {"-I", headers_folder, "-include", prelude, source});
  return words;
}

std::vector<std::string> HostCompiler::of_device_code() const {
  std::vector<std::string> words {
    path_.string(), "-std=c++17", "-O3", "-g1", "-fPIC", "-shared", "-x", "c++", "-I", headers_folder,
        // CUDA code reads float4s out of float arrays and lets integers wrap; NVRTC allows both.
        "-fno-strict-aliasing", "-fwrapv",
        // A loop without end is the learner's to find, not a compiler's to remove.
        "-fno-finite-loops",
        // After a few errors the rest is echo.
        is_clang_ ? "-ferror-limit=5" : "-fmax-errors=5",
        // Of the file's functions only the kernels are for others to see.
        "-fvisibility=hidden",
        // printf is the simulator's, and must stay a call to it.
        "-fno-builtin-printf",
        // A large frame is touched page by page, so that it meets the guard page instead of what lies behind
        // it.
        "-fstack-clash-protection",
        // Some systems' compilers guard frames unasked, by a function that ends the process.
        "-fno-stack-protector",
        // Calls of the simulator, and of what finds shared memory, go straight there.
        "-fno-plt",
#if defined(__x86_64__)
        // A thread that waits puts its place on the stack.
        "-mno-red-zone",
#endif
        "-Wno-unknown-pragmas", "-Wno-attributes", "-fdiagnostics-color=never"
  };
  // extern __shared__ arrays are defined below by the assembler, so the compiler need not look for a
  // constructor.
  if (!is_clang_) words.insert(words.end(), {"-fno-semantic-interposition", "-fno-extern-tls-init"});
  words.insert(words.end(), std::begin(the_same_in_all_modes), std::end(the_same_in_all_modes));
  return words;
}

void HostCompiler::add_hooks(device::Instrumentation instrumentation, std::vector<std::string>& words) const {
  // An index outside an array of known size ends the kernel at its own line, not the process somewhere else.
  if (instrumentation != device::Instrumentation::checked)
    words.insert(words.end(), {"-fsanitize=bounds",
                               is_clang_ ? "-fsanitize-trap=bounds" : "-fsanitize-undefined-trap-on-error"});
  if (instrumentation == device::Instrumentation::none) return;
  const std::vector<std::string> more = hooks(instrumentation);
  words.insert(words.end(), more.begin(), more.end());
}

std::vector<std::string> HostCompiler::command(const std::string& prelude, const std::string& source,
                                               device::Instrumentation instrumentation,
                                               const std::string& output) const {
  std::vector<std::string> words = of_device_code();
  words.insert(words.end(), {"-include", prelude,
                             // Of headers there are only ours.
                             "-nostdinc", "-nostdinc++",
                             // Device code has none.
                             "-fno-exceptions", "-fno-rtti",
                             // Arrays of a run-time size: g++ has them, CUDA does not.
                             "-Werror=vla",
                             // The simulator provides what the kernel calls; nothing else is needed but the C
                             // library.
                             "-nostartfiles", "-nodefaultlibs"});
  add_hooks(instrumentation, words);
  // A variable that is certain to be read before it is set is an error; what may be is a note.
  if (instrumentation == device::Instrumentation::checked)
    words.insert(words.end(), {"-Werror=uninitialized", is_clang_ ? "-Wno-error=sometimes-uninitialized"
                                                                  : "-Wno-error=maybe-uninitialized"});
  words.insert(words.end(), {source, "-o", output, "-lm", "-lc"});
  return words;
}

// Functions of the C library that do something else in a kernel than on the host. The simulator provides
// them, and asks who calls.
constexpr const char* of_both_sides[] = {"printf",
                                         "malloc",
                                         "calloc",
                                         "realloc",
                                         "free",
                                         "memcpy",
                                         "memmove",
                                         "memset",
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
  std::vector<std::string> words = of_device_code();
  words.insert(words.end(), {"-w", "-pthread", "-DGPULAB_PROGRAM"});
  if (uses_openmp) words.emplace_back("-fopenmp");
  // The host's code has no fault of its own to end with, so a plain program is not stopped at an index.
  if (instrumentation != device::Instrumentation::none) add_hooks(instrumentation, words);
  if (instrumentation != device::Instrumentation::none)
    words.insert(words.end(), {"-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"});
  for (const char* function : of_both_sides) words.push_back(std::string("-Wl,--wrap=") + function);
  words.insert(words.end(), sources.begin(), sources.end());
  // The run-time library of the hooks is the simulator.
  words.insert(words.end(), {"-o", output, "-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"});
  if (uses_openmp) words.emplace_back(is_clang_ ? "-lomp" : "-lgomp");
  return words;
}

// GCC has had the option since version 12; its own answer is asked for once.
bool HostCompiler::can_fill_variables() const {
  if (is_clang_) return true;
  static std::mutex mutex;
  static std::map<std::string, bool> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace(identity_, true);
  if (is_new) {
    const auto said = sandbox::run_command({path_.string(), "-dumpversion"}, fs::temp_directory_path());
    const int version = std::atoi(said.output.c_str());
    at->second = said.exit_status != 0 || version == 0 || version >= 12;
  }
  return at->second;
}

// Optimisers merge accesses, even the stores of two branches into one behind them, and each in its own way.
// Without them every compiler has the accesses of the text; with the least of them, a kernel that is checked
// has those that matter, at their own lines.
std::vector<std::string> HostCompiler::hooks(device::Instrumentation instrumentation) const {
  std::vector<std::string> words{"-DGPULAB_HOOKED", "-fsanitize=thread"};
  // GCC has to inline its copies of structures; Clang passes a structure by value without one where it
  // optimises.
  const char* const least = is_clang_ ? "-O0" : "-Og";
  words.emplace_back(instrumentation == device::Instrumentation::interrupted ? "-O2" : least);
  // These call the simulator, which explains what is wrong; the rest of Clang's "bounds" can only trap.
  if (instrumentation == device::Instrumentation::checked)
    words.insert(words.end(), {is_clang_ ? "-fsanitize=array-bounds,alignment,integer-divide-by-zero"
                                         : "-fsanitize=bounds,alignment,integer-divide-by-zero",
                               "-fno-optimize-sibling-calls"});
  // A variable that nobody set holds garbage on a GPU; by chance it is 0 here.
  if (instrumentation == device::Instrumentation::checked && can_fill_variables())
    words.emplace_back("-ftrivial-auto-var-init=pattern");
  if (!is_clang_) {
    // GCC instruments assignments, and no arguments of a class that are passed by value: it has to copy them
    // first, and in the line that passes them.
    words.insert(words.end(),
                 {"--param", "tsan-instrument-func-entry-exit=0", "-Wno-tsan", "-fno-elide-constructors"});
    // These take a value that only some paths set for the value of those paths.
    if (instrumentation == device::Instrumentation::checked)
      words.insert(words.end(), {"-fno-tree-ccp", "-fno-tree-fre"});
    if (instrumentation == device::Instrumentation::checked)
      words.insert(words.end(), {"--param", "tsan-distinguish-volatile=1"});
    // Without optimisation it reads an index out of memory a second time to check it.
    if (instrumentation == device::Instrumentation::counted)
      words.insert(words.end(), {"-fno-sanitize=bounds", "-fno-tree-ccp", "-fno-tree-fre", "-fno-tree-dce",
                                 "-fno-tree-copy-prop"});
    return words;
  }
  for (const char* option : {"-tsan-instrument-func-entry-exit=0", "-tsan-instrument-atomics=0",
                             "-tsan-instrument-read-before-write=1"})
    words.insert(words.end(), {"-mllvm", option});
  if (instrumentation == device::Instrumentation::checked)
    for (const char* option :
         {"-sink-common-insts=false", "-hoist-common-insts=false", "-tsan-distinguish-volatile=1"})
      words.insert(words.end(), {"-mllvm", option});
  // Before version 15, structures are copied and cleared by plain calls of these.
  words.insert(words.end(), {"-fno-sanitize-link-runtime", "-Wl,--wrap=memcpy", "-Wl,--wrap=memmove",
                             "-Wl,--wrap=memset"});
  return words;
}

}  // namespace gpulab::simulator::compile
