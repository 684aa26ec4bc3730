#include "hip/hiprtc.hpp"

#include <fmt/format.h>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "base/files.hpp"
#include "base/text.hpp"
#include "device/host.hpp"
#include "device/libraries.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::hip {
namespace {

namespace fs = std::filesystem;

// Definitions of CUDA's names that HIP lacks or has only in some versions. A macro avoids HIP's own name.
//
// The type of a mask says how wide the kernel's warps are. With 32 bits a warp has 32 lanes, and a wavefront
// of 64 lanes is two warps. With 64 bits, as __activemask() returns, a warp is the whole wavefront.
//
// __ldcg() goes past the L1 cache by volatile loads of words, since vectors have no volatile copies.
constexpr const char* cuda_names = R"(
#define __activemask() __ballot(1)
#define __shfl_sync gpulab_shfl
#define __shfl_up_sync gpulab_shfl_up
#define __shfl_down_sync gpulab_shfl_down
#define __shfl_xor_sync gpulab_shfl_xor
#define __ballot_sync gpulab_ballot
#define __any_sync(mask, predicate) (gpulab_ballot(mask, predicate) != 0)
#define __all_sync(mask, predicate) (gpulab_ballot(mask, !(predicate)) == 0)
#define __reduce_max_sync gpulab_reduce_max
#define __syncwarp(...) gpulab_syncwarp()
template <class T> __device__ T __ldcg(const T* address) {
  T value;
  for (unsigned i = 0; i < sizeof(T) / 4; ++i)
    reinterpret_cast<unsigned*>(&value)[i] = reinterpret_cast<const volatile unsigned*>(address)[i];
  return value;
}
#define __ldcs(address) (*(address))
#define __stcs(address, value) (*(address) = (value))
#define GPULAB_LANES (sizeof(M) < 8 ? 32 : warpSize)
#define GPULAB_SHUFFLE(name, Number) \
  template <class M, class T> __device__ T gpulab_##name(M, T x, Number lanes, int width = GPULAB_LANES) { \
    return __##name(x, lanes, width); \
  }
GPULAB_SHUFFLE(shfl, int)
GPULAB_SHUFFLE(shfl_up, unsigned)
GPULAB_SHUFFLE(shfl_down, unsigned)
GPULAB_SHUFFLE(shfl_xor, int)
__device__ unsigned gpulab_lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
template <class M> __device__ M gpulab_ballot(M mask, int predicate) {
  const unsigned long long all = __ballot(predicate);
  return mask & M(sizeof(M) < 8 ? all >> (gpulab_lane() & 32) : all);
}
template <class M, class T> __device__ T gpulab_reduce_max(M mask, T x) {  // of a whole warp
  for (int lanes = GPULAB_LANES / 2; lanes > 0; lanes /= 2) {
    const T other = gpulab_shfl_xor(mask, x, lanes);
    x = other > x ? other : x;
  }
  return x;
}
__device__ void gpulab_syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
)";

constexpr const char* child_option = "--compile-for-amd";
// The last two refuse what NVRTC refuses, too.
constexpr const char* flags[] = {"-std=c++17", "-O3", "-Werror=vla", "-Werror=uninitialized"};
constexpr const char* source_file = "kernel.hip";
constexpr const char* code_file = "kernel.co";

// Exit codes of the child.
enum ChildCode : int { compiled = 0, refused = 1, no_library = 2, failed = 3 };

// hipRTC, opened in the child. Its header is not needed: handles are opaque, and results are 0 or an error.
class Library {
 public:
  Library()
      : library_(candidates({"libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so.6", "libamdhip64.so.5"})) {}

  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    int (*function)(Arguments...) = nullptr;
    library_.find(function, name);
    return function(arguments...);
  }

  const std::string& path() const { return library_.path(); }

  // Returns HIP's version where the library is HIP's own, else hipRTC's.
  std::string version() const try {
    int number = 0;  // 50221153 for 5.2.21153
    call("hipRuntimeGetVersion", &number);
    return std::to_string(number / 10'000'000) + "." + std::to_string(number / 100'000 % 100);
  } catch (const std::runtime_error&) {
    int major = 0, minor = 0;
    call("hiprtcVersion", &major, &minor);
    return std::to_string(major) + "." + std::to_string(minor);
  }

 private:
  device::DynamicLibrary library_;
};

// Returns the architectures of the library that hipRTC compiles with; empty if it cannot be asked.
std::vector<std::string> architectures() try {
  const device::DynamicLibrary comgr({"libamd_comgr.so.2", "libamd_comgr.so.3"});
  int (*count)(std::size_t*) = nullptr;
  int (*name)(std::size_t, const char**) = nullptr;
  comgr.find(count, "amd_comgr_get_isa_count");
  comgr.find(name, "amd_comgr_get_isa_name");
  std::size_t total = 0;
  count(&total);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < total; ++i) {
    const char* text = nullptr;  // "amdgcn-amd-amdhsa--gfx90a"
    if (name(i, &text) != 0 || !text) continue;
    names.emplace_back(text);
    names.back().erase(0, names.back().rfind('-') + 1);
  }
  return names;
} catch (const std::runtime_error&) {
  return {};
}

// Prints the path, the version and the architectures of hipRTC, each in a line, for the parent.
int describe() try {
  const Library library;
  std::printf("%s\n%s\n", library.path().c_str(), library.version().c_str());
  for (const std::string& name : architectures()) std::printf("%s\n", name.c_str());
  return compiled;
} catch (const std::runtime_error& problem) {
  std::puts(problem.what());
  return no_library;
}

// Compiles the file in the current folder, and prints the compiler's log for the parent.
int compile(const std::string& architecture) try {
  const Library library;
  // An #include could name any file.
  const sandbox::Confinement confinement(
      sandbox::Mode::automatic,
      {.read = sandbox::files_of_a_compiler(library.path()), .write = {fs::current_path()}},
      sandbox::SystemCalls::compiler);
  if (!confinement.confine_files() || !confinement.confine_system_calls()) return failed;
  const std::string text = read_file(source_file, std::size_t{1} << 30),
                    target = "--offload-arch=" + architecture;
  const std::string headers = "-I" + fs::current_path().string();
  std::vector<const char*> options{target.c_str(), headers.c_str()};
  options.insert(options.end(), std::begin(flags), std::end(flags));
  void* program = nullptr;
  const int status = library.call("hiprtcCreateProgram", &program, text.c_str(), source_file, 0,
                                  static_cast<const char**>(nullptr), static_cast<const char**>(nullptr));
  if (status != 0) return failed;
  const int result =
      library.call("hiprtcCompileProgram", program, static_cast<int>(options.size()), options.data());
  std::size_t bytes = 0;
  library.call("hiprtcGetProgramLogSize", program, &bytes);
  std::string log(bytes, '\0');
  if (bytes > 0) library.call("hiprtcGetProgramLog", program, log.data());
  std::puts(log.c_str());
  if (result != 0) return refused;
  library.call("hiprtcGetCodeSize", program, &bytes);
  std::string code(bytes, '\0');
  if (bytes == 0 || library.call("hiprtcGetCode", program, code.data()) != 0) return failed;
  replace_file(code_file, code);
  return compiled;
} catch (const std::runtime_error& problem) {
  std::puts(problem.what());
  return failed;
}

}  // namespace

std::vector<std::string> candidates(const std::vector<std::string>& libraries) {
  std::vector<std::string> folders{"", "/opt/rocm/lib/"};
  if (const char* root = std::getenv("ROCM_PATH"); root && *root)
    folders.insert(folders.begin(), std::string(root) + "/lib/");
  std::vector<std::string> files;
  for (const std::string& folder : folders)
    for (const std::string& name : libraries) files.push_back(folder + name);
  return files;
}

bool is_architecture(const std::string& name) {
  const std::string bare = name.substr(0, name.find(':'));
  return bare.starts_with("gfx") && bare.size() > 3 &&
         bare.find_first_not_of("0123456789abcdef", 3) == std::string::npos;
}

std::optional<int> compile_if_asked(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != child_option) return std::nullopt;
  const int code = words.size() == 2 ? describe() : compile(words[2]);
  std::fflush(nullptr);
  std::_Exit(code);  // without AMD's libraries' own clean-up
}

namespace {

Hiprtc find_hiprtc_in_child() {
  const auto result =
      sandbox::run_command({sandbox::own_program().string(), child_option}, fs::temp_directory_path());
  std::vector<std::string> lines = lines_of(result.output);
  if (result.exit_status != compiled || lines.size() < 2)
    return {.problem = lines.empty() ? "the process that looked for hipRTC ended by itself" : lines.front()};
  return {.path = lines[0], .version = lines[1], .architectures = {lines.begin() + 2, lines.end()}};
}

void throw_unknown(const std::string& architecture, const std::string& detail) {
  throw device::DeviceError("compiling for " + architecture, "HIPRTC_ERROR_INVALID_OPTION",
                            fmt::format("hipRTC of HIP {} does not know it{}", hiprtc().version, detail));
}

void require_architecture(const std::string& architecture) {
  const Hiprtc& compiler = hiprtc();
  if (compiler.path.empty())
    throw device::DeviceError(
        "compiling for " + architecture, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
        "there is no hipRTC here, AMD's run-time compiler (" + compiler.problem +
            "); it needs no GPU: on Debian, apt-get install libamdhip64-5 libhiprtc-builtins5");
  std::string list;
  for (const std::string& name : compiler.architectures) {
    if (name == architecture.substr(0, architecture.find(':'))) return;
    list += (list.empty() ? "" : ", ") + name;
  }
  if (!list.empty()) throw_unknown(architecture, ", only " + list);
}

// Returns the text that hipRTC gets. Its lines keep the file's name and numbers.
std::string text_for_hiprtc(const device::KernelSource& source) {
  return fmt::format("{}{}#line 1 \"{}\"\n{}", cuda_names, device::library_for(source::Code(source.text)),
                     device::name_for_compilers(source.name), source.text);
}

void compile_in_child(const device::KernelSource& source, const std::string& architecture,
                      const fs::path& folder) {
  replace_file(folder / source_file, text_for_hiprtc(source));
  for (const std::string& header : device::included_headers(source::Code(source.text)))
    if (device::empty_headers().contains(header)) {
      fs::create_directories((folder / header).parent_path());
      replace_file(folder / header, "\n");
    }
  const auto result =
      sandbox::run_command({sandbox::own_program().string(), child_option, architecture}, folder);
  if (result.exit_status == compiled) return;
  if (result.exit_status == refused)
    if (const auto error = device::error_in_file(source.name, result.output)) throw *error;
  if (result.exit_status > 128 && hiprtc().architectures.empty())
    throw_unknown(architecture, ", it seems: hipRTC ended its process");
  throw device::DeviceError(
      fmt::format("compiling {} for {}", source.name, architecture), "HIPRTC_ERROR_INTERNAL_ERROR",
      result.exit_status > 128 ? "hipRTC ended by signal " + std::to_string(result.exit_status - 128)
                               : printable_lines(trimmed(result.output)));
}

}  // namespace

const Hiprtc& hiprtc() {
  static const Hiprtc found = find_hiprtc_in_child();
  return found;
}

fs::path code_object(const device::KernelSource& source, const std::string& architecture,
                     device::CompileCache& cache) {
  require_architecture(architecture);
  std::string key = fmt::format("code object, HIP {} {}\n{}", hiprtc().version, hiprtc().path, architecture);
  for (const char* flag : flags) key += std::string(" ") + flag;
  key += fmt::format("\n{}\n{}", source.name, text_for_hiprtc(source));
  return cache.entry(key, [&](const fs::path& folder) { compile_in_child(source, architecture, folder); }) /
         code_file;
}

}  // namespace gpulab::hip
